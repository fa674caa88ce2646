package agent

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

//go:embed prompts/system.md
var systemPrompt string

//go:embed prompts/task.md
var taskPrompt string

//go:embed prompts/clarification.md
var clarificationPrompt string

// Prompts are the three templates; an empty one is ours. {available_tools}, {task},
// {current_date} and {clarifications} are filled in, every other brace stays as it is.
type Prompts struct{ System, Task, Clarification string }

func (p Prompts) withDefaults() Prompts {
	return Prompts{cmp.Or(p.System, systemPrompt), cmp.Or(p.Task, taskPrompt),
		cmp.Or(p.Clarification, clarificationPrompt)}
}

// dateForm is ISO's, as the prompts explain it.
const dateForm = "2006-01-02 15:04:05"

// system fills in the system prompt. The rules of the envelope stand below it,
// whatever the template is. In short a tool is described by its first sentence.
func (p Prompts) system(tools []*tool.Tool, rules string, short bool) string {
	var list strings.Builder
	for i, t := range tools {
		description := strings.TrimSpace(t.Description)
		if spans := text.Sentences(description); short && len(spans) > 1 {
			description = strings.TrimSpace(description[:spans[0].End])
		}
		fmt.Fprintf(&list, "%d. %s: %s\n", i+1, t.Name, description)
	}
	return fill(p.System, "{available_tools}", strings.TrimSpace(list.String())) + "\n\n" + rules
}

func (p Prompts) task(task string, now time.Time) string {
	return fill(p.Task, "{task}", task, "{current_date}", now.Format(dateForm))
}

func (p Prompts) clarification(answer string, now time.Time) string {
	return fill(p.Clarification, "{clarifications}", answer, "{current_date}", now.Format(dateForm))
}

func fill(template string, pairs ...string) string {
	return strings.TrimSpace(strings.NewReplacer(pairs...).Replace(template))
}
