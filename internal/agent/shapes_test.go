package agent_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/golden"
)

// inSteps tells a story in the form of each shape.
func inSteps(shape agent.Shape, steps ...func(shown string) agent.ToolCall) []reply {
	var list []reply
	for _, step := range steps {
		switch shape {
		case agent.ShapeSGR:
			list = append(list, seeing(func(shown string) reply {
				c := step(shown)
				function := args{}
				if err := json.Unmarshal(c.Arguments, &function); err != nil {
					panic(err)
				}
				function["tool_name_discriminator"] = c.Name
				object := args{"function": function}
				for name, value := range thought {
					object[name] = value
				}
				return words(string(call("", object).Arguments))
			}))
		case agent.ShapeIron:
			object := args{}
			for name, value := range thought {
				object[name] = value
			}
			list = append(list, seeing(func(shown string) reply {
				object["function_name_choice"] = step(shown).Name
				return words("Let me see.\n```json\n" + string(call("", object).Arguments) + "\n```")
			}), seeing(func(shown string) reply { return words(string(step(shown).Arguments)) }))
		case agent.ShapeToolCalling:
			list = append(list, seeing(func(shown string) reply { return calls(step(shown)) }))
		default:
			list = append(list, thinks(), seeing(func(shown string) reply { return calls(step(shown)) }))
		}
	}
	return list
}

func always(c agent.ToolCall) func(string) agent.ToolCall {
	return func(string) agent.ToolCall { return c }
}

// Each shape searches, reads, reports and answers over the demo web; every citation of
// its report verifies against the store.
func TestEveryShapeWritesAReportThatVerifies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, shape := range []agent.Shape{agent.ShapeSGR, agent.ShapeToolCalling, agent.ShapeSGRToolCalling,
		agent.ShapeIron, agent.ShapeDialog} {
		t.Run(string(shape), func(t *testing.T) {
			d := newDesk(t)
			m := &script{replies: inSteps(shape,
				always(call("generate_plan_tool", args{"reasoning": "two parts", "research_goal": "output and opening",
					"planned_steps": []string{"search", "read", "report"}, "search_strategies": []string{
						"the owner's site", "reports"}})),
				always(searchFor("Skarrow Sound tidal plant electricity a year")),
				always(d.readPlant()),
				func(shown string) agent.ToolCall { return reportCall(goodText(shown)) },
				always(finalCall("The report is written.")))}
			o := d.options(t, shape, m)
			if shape == agent.ShapeSGR || shape == agent.ShapeIron {
				o.Model = m
			}
			r := run(t, o, question)
			if r.State != runstore.RunCompleted || r.Outcome != runstore.RunAnswered || r.Iteration != 5 ||
				r.Usage.Searches != 1 || r.Usage.Fetches != 2 {
				t.Fatalf("%+v", r)
			}
			v, err := cite.Verify(t.Context(), r.Report.Brief(), archive{d.store})
			if err != nil || !v.OK || len(v.Citations) != 2 {
				t.Errorf("verification %+v, %v", v, err)
			}
			for _, c := range v.Citations {
				// the page says more
				if c.Basis != cite.BasisSnapshot || !c.OK || c.Verdict != citewell.VerdictUndecided {
					t.Errorf("citation %+v", c)
				}
			}
			file, err := os.ReadFile(r.ReportPath)
			if err != nil || !strings.Contains(string(file), "\n## Sources\n") ||
				!strings.Contains(string(file), "\n## Verification\n") {
				t.Errorf("the file %s: %v\n%s", r.ReportPath, err, file)
			}
			golden.Check(t, "testdata/transcript/"+string(shape)+".txt", d.transcript(m, r))
		})
	}
}
