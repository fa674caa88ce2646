package agent

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/tool"
)

// An acknowledging output repeats what the model has written. People are told all of it; the
// model, which has it in its own call, is told in short that it stands.
type acknowledging interface{ acknowledged(d *door.Door) door.Text }

const noted = "Noted."

func (Reasoning) acknowledged(*door.Door) door.Text     { return door.Ours(noted) }
func (generatedPlan) acknowledged(*door.Door) door.Text { return door.Ours(noted) }
func (adaptedPlan) acknowledged(*door.Door) door.Text   { return door.Ours(noted) }

// acknowledged says that the report stands, and what of it is otherwise than it was written.
func (o createReportOutput) acknowledged(d *door.Door) door.Text {
	var otherwise strings.Builder
	if o.instead != "" {
		otherwise.WriteString("\n" + o.instead)
	}
	for i, p := range o.Unverified[:min(len(o.Unverified), maxProblems)] {
		fmt.Fprintf(&otherwise, "\n%d. marked ⚠: “%s”: %s", i+1, tool.Shorten(p.Text, 300), p.Detail)
	}
	if more := len(o.Unverified) - maxProblems; more > 0 {
		fmt.Fprintf(&otherwise, "\nand %d more", more)
	}
	if len(o.Removed) > 0 {
		otherwise.WriteString("\ntaken out: " + strings.Join(o.Removed, ", "))
	}
	if otherwise.Len() == 0 {
		return door.Ours("The report is accepted and stands as you wrote it, with %s sources.",
			door.Number(o.SourcesCount))
	}
	return door.Ours("The report is accepted with %s sources, and stands as you wrote it but for this:\n%s",
		door.Number(o.SourcesCount),
		d.Again(door.Ours("what is otherwise"), strings.TrimPrefix(otherwise.String(), "\n")))
}
