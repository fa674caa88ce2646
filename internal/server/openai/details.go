package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
)

// details tells of an entry of the log as a collapsible block of the content. The blocks are of the kind of Open
// WebUI's own reasoning, which it does not send back as part of the conversation.
func (s *stream) details(e runstore.RunEvent) error {
	var entry job.Entry
	if json.Unmarshal(e.Data, &entry) != nil {
		return nil
	}
	switch e.Type {
	case "reasoning":
		var thought agent.Reasoning
		if json.Unmarshal([]byte(entry.Text), &thought) != nil {
			return nil
		}
		summary := fmt.Sprintf("Step %d", entry.Iteration)
		if len(thought.RemainingSteps) > 0 {
			summary += ": " + thought.RemainingSteps[0]
		}
		words := append(thought.ReasoningSteps, "Situation: "+thought.CurrentSituation, "Plan: "+thought.PlanStatus)
		for _, next := range thought.RemainingSteps {
			words = append(words, "Next: "+next)
		}
		return s.block(summary, strings.Join(words, "\n"))
	case "call":
		s.waiting[entry.CallID] = entry
	case "result":
		call, ok := s.waiting[entry.CallID]
		if delete(s.waiting, entry.CallID); !ok || closing(call.Name) && !strings.HasPrefix(entry.Text, "Error (") {
			return nil // what it wrote is said below
		}
		return s.block(call.Name, call.Text+"\n\n"+boundary.ReplaceAllString(entry.Text, ""))
	}
	return nil
}

// closing says whether a call writes what the content says in the end.
func closing(name string) bool {
	return name == "create_report_tool" || name == "final_answer_tool"
}

// boundary is what parts a page's words from others for the model.
var boundary = lazyregexp.New(`(?m)^<<<(?:DATA|END) .*>>>\n?`)

// escapes are what a tag, a link or an image could be made of.
var escapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "[", `\[`)

// block is one block. Its text comes from pages too: no tag of it may end the block.
func (s *stream) block(summary, shown string) error {
	quoted := strings.ReplaceAll(escapes.Replace(shown), "\n", "\n> ")
	said := fmt.Sprintf("<details type=\"reasoning\" done=\"true\">\n<summary>%s</summary>\n> %s\n</details>\n\n",
		escapes.Replace(text.Prefix(text.OneLine(summary), 200)), quoted)
	return s.send(delta{Content: &said}, nil)
}
