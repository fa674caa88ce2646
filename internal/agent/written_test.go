package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// spelled is a call as text: %n stands for its name and %a for its arguments.
func spelled(form string, c agent.ToolCall) modeltest.Reply {
	quoted, err := json.Marshal(string(c.Arguments))
	if err != nil {
		panic(err)
	}
	return modeltest.Says(strings.NewReplacer("%n", c.Name, "%a", string(c.Arguments), "%q",
		string(quoted)).Replace(form))
}

// Calls that come as text, from endpoints that do not read them, are made; no report is
// one.
func TestCallsInWordsAreMade(t *testing.T) {
	for name, form := range map[string]string{
		"an object":     `{"name": "%n", "arguments": %a}`,
		"parameters":    `{"type": "function", "name": "%n", "parameters": %a}`,
		"in a tag":      "<tool_call>\n{\"name\": \"%n\", \"arguments\": %a}\n</tool_call>",
		"in a fence":    "I will go on so {as planned}:\n```json\n{\"name\": \"%n\", \"arguments\": %a}\n```",
		"in a list":     `[TOOL_CALLS][{"name": "%n", "arguments": %q}]`,
		"in a function": `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "%n", "arguments": %q}}]}`,
		"bare":          "```json\n%a\n```",
	} {
		for _, shape := range []agent.Shape{agent.ShapeToolCalling, agent.ShapeSGRToolCalling} {
			t.Run(name+"/"+string(shape), func(t *testing.T) {
				var replies []modeltest.Reply
				for _, c := range []agent.ToolCall{searchFor("herons"), readHerons,
					reportCall("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2]."),
					heronFinal} {
					if shape == agent.ShapeSGRToolCalling {
						replies = append(replies, spelled(form, call("reasoning_tool", thought)))
					}
					replies = append(replies, spelled(form, c))
				}
				server := modeltest.Serve(t, replies...)
				r := run(t, overEndpoint(t, server, shape, llm.Options{}), heronTask)
				if r.Outcome != runstore.RunAnswered || r.Iteration != 4 || r.Usage.Searches != 1 ||
					len(server.Asked()) != len(replies) || r.Report == nil ||
					!strings.Contains(r.Report.Content, "312 grey herons") {
					t.Errorf("%s %s after %d requests: %s", r.State, r.Outcome, len(server.Asked()), r.Answer)
				}
				if shape == agent.ShapeSGRToolCalling && r.Reasoning == nil {
					t.Error("the reasoning was not taken")
				}
			})
		}
	}
}

// A call in words of a tool that is not there, or whose arguments do not fit, is told to
// the model as any such call is.
func TestACallInWordsThatIsWrong(t *testing.T) {
	for wrong, told := range map[string]string{
		`{"name": "web_serch_tool", "arguments": {"query": "herons"}}`: "did you mean web_search_tool?",
		`{"name": "web_search_tool", "arguments": {}}`:                 "query is required",
	} {
		server := modeltest.Serve(t, modeltest.Says(wrong), asks(searchFor("herons")), asks(readHerons),
			asks(heronFinal))
		r := run(t, overEndpoint(t, server, agent.ShapeToolCalling, llm.Options{}), heronTask)
		if said := server.Asked()[1].Last(); r.Outcome != runstore.RunAnswered || !strings.Contains(said, told) {
			t.Errorf("%s: told %q; %s", wrong, said, r.Outcome)
		}
	}
}

// Words before anything was read are sent back once; then they are the answer.
func TestWordsBeforeAnythingWasRead(t *testing.T) {
	early := modeltest.Says("Sure! I will search the web for herons.")
	answer := modeltest.Says("In the spring of 2024 the wardens counted 312 grey herons at Alder Lake [2].")
	for name, test := range map[string]struct {
		replies []modeltest.Reply
		asked   int
		outcome runstore.RunOutcome
	}{
		"then it calls": {[]modeltest.Reply{early, asks(searchFor("herons")), asks(readHerons),
			asks(heronFinal)}, 4, runstore.RunAnswered},
		"after a search": {[]modeltest.Reply{asks(searchFor("herons")),
			modeltest.Says("Now I will read the page."), asks(readHerons), answer}, 4, runstore.RunAnswered},
		"an answer that cites": {[]modeltest.Reply{asks(searchFor("herons")), answer}, 2, runstore.RunAnswered},
		"it only talks":        {[]modeltest.Reply{early, early}, 2, runstore.RunNoSources},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.Serve(t, test.replies...)
			o := overEndpoint(t, server, agent.ShapeToolCalling, llm.Options{})
			r := run(t, o, heronTask)
			if r.Outcome != test.outcome || len(server.Asked()) != test.asked {
				t.Errorf("%s %s after %d requests: %s", r.State, r.Outcome, len(server.Asked()), r.Answer)
			}
			if again := run(t, o, heronTask); again.Answer != r.Answer || again.Outcome != r.Outcome ||
				len(server.Asked()) != test.asked {
				t.Errorf("played again: %s after %d requests: %s", again.Outcome, len(server.Asked()), again.Answer)
			}
		})
	}
}
