package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
	"github.com/google/jsonschema-go/jsonschema"
)

// asks is a model that calls one tool.
func asks(c agent.ToolCall) modeltest.Reply {
	return modeltest.Asks(modeltest.Call{Name: c.Name, Arguments: string(c.Arguments)})
}

// object is a model that writes the reasoning and a call, or the call's name, as one object.
func object(c agent.ToolCall, into string) modeltest.Reply {
	o := args{}
	for name, value := range thought {
		o[name] = value
	}
	switch into {
	case "function":
		function := args{"tool_name_discriminator": c.Name}
		if err := json.Unmarshal(c.Arguments, &function); err != nil {
			panic(err)
		}
		o["function"] = function
	default:
		o[into] = c.Name
	}
	return modeltest.Says(string(call("", o).Arguments))
}

// overEndpoint are the options of a run whose model is a server's.
func overEndpoint(t *testing.T, server *modeltest.Server, shape agent.Shape, o llm.Options) agent.Options {
	t.Helper()
	var err error
	if o.Guard, err = egress.NewGuard(egress.Options{}); err != nil {
		t.Fatal(err)
	}
	o.BaseURL, o.Model = server.Base(), "scripted"
	client, err := llm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	options := newShelf().options(shape, agent.Chat{Client: client})
	options.Price = client.Price()
	return options
}

// Each shape works over a model's endpoint, in the shape of OpenAI's API: with native
// calls, in pieces, with a schema, and in words alone.
func TestEveryShapeOverAnEndpoint(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	think := asks(call("reasoning_tool", thought))
	for shape, replies := range map[agent.Shape][]modeltest.Reply{
		agent.ShapeToolCalling: {asks(searchFor("herons")), modeltest.Cut(asks(readHerons), 40, false),
			asks(readHerons), asks(heronFinal)},
		agent.ShapeSGRToolCalling: {think, asks(searchFor("herons")), modeltest.Thinks("hm", ""), think,
			asks(readHerons), think, asks(heronFinal)},
		agent.ShapeSGR: {object(searchFor("herons"), "function"), modeltest.Says("no"),
			object(readHerons, "function"), object(heronFinal, "function")},
		agent.ShapeIron: {object(searchFor("herons"), "function_name_choice"),
			modeltest.Says(string(searchFor("herons").Arguments)), object(readHerons, "function_name_choice"),
			modeltest.Says(string(readHerons.Arguments)), object(heronFinal, "function_name_choice"),
			modeltest.Says(string(heronFinal.Arguments))},
	} {
		t.Run(string(shape), func(t *testing.T) {
			server := modeltest.Serve(t, replies...)
			o := overEndpoint(t, server, shape, llm.Options{ContextWindow: 32_000,
				Price: llm.Price{Input: 1, Output: 2}})
			heard := 0
			o.Tell = func(e agent.Event) {
				if e.Kind == "delta" {
					heard++
				}
			}
			r := run(t, o, heronTask)
			if r.Outcome != runstore.RunAnswered || r.Usage.InputTokens == 0 || r.Usage.USD == 0 {
				t.Errorf("%+v", r)
			}
			if streams := shape != agent.ShapeSGR; streams != (heard > 0) {
				t.Errorf("%d pieces were heard", heard)
			}
		})
	}
}

// An endpoint that counts more tokens than we do, and refuses a question together with
// the answer that is asked for where they are longer than its window, is asked for what
// fits: a small window ends no run.
func TestASmallWindowThatIsCountedOtherwise(t *testing.T) {
	think := asks(call("reasoning_tool", thought))
	inObjects := []modeltest.Reply{object(searchFor("herons"), "function"), object(readHerons, "function"),
		object(heronFinal, "function")}
	for name, test := range map[string]struct {
		shape   agent.Shape
		window  int
		told    bool // by the endpoint's list of models; else by its refusal
		replies []modeltest.Reply
	}{
		"calls of 8k": {agent.ShapeToolCalling, 8192, true,
			[]modeltest.Reply{asks(searchFor("herons")), asks(readHerons), asks(heronFinal)}},
		"calls of 8k refused": {agent.ShapeToolCalling, 8192, false,
			[]modeltest.Reply{asks(searchFor("herons")), asks(readHerons), asks(heronFinal)}},
		"reasoning of 8k": {agent.ShapeSGRToolCalling, 8192, true,
			[]modeltest.Reply{think, asks(searchFor("herons")), think, asks(readHerons), think, asks(heronFinal)}},
		"objects of 8k": {agent.ShapeSGR, 8192, true, inObjects},
		"objects of 6k": {agent.ShapeSGR, 6144, false, inObjects},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.Serve(t)
			if test.told {
				server.Models = fmt.Sprintf(`{"data":[{"id":"scripted","max_model_len":%d}]}`, test.window)
			}
			taken := 0
			server.Script = func(_ int, a modeltest.Asked) modeltest.Reply {
				text, err := json.Marshal([]any{a.Body["messages"], a.Body["tools"], a.Body["response_format"]})
				if err != nil {
					t.Error(err)
				}
				prompt := llm.CountTokens(string(text)) * 115 / 100
				answer, _ := a.Body["max_tokens"].(float64)
				if prompt+int(answer) > test.window {
					return modeltest.Fails(400, fmt.Sprintf("This model's maximum context length is %d tokens. "+
						"However, you requested %d tokens (%d in the messages, %d in the completion).",
						test.window, prompt+int(answer), prompt, int(answer)))
				}
				reply := test.replies[min(taken, len(test.replies)-1)]
				reply.Usage = fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":20}`, prompt)
				taken++
				return reply
			}
			o := overEndpoint(t, server, test.shape, llm.Options{ContextWindow: llm.AutoWindow})
			r := run(t, o, heronTask)
			if r.Outcome != runstore.RunAnswered || taken != len(test.replies) {
				t.Errorf("%s %s: %s; %d of %d requests were taken", r.State, r.Outcome, r.Reason, taken,
					len(server.Asked()))
			}
		})
	}
}

// Where an endpoint takes no tools for its model the run goes on in JSON, from the
// refusal on, and so it does when it is played again.
func TestAModelThatTakesNoTools(t *testing.T) {
	for name, refuses := range map[string]map[string]string{
		"Ollama": {"tools": "gemma3:4b does not support tools"},
		"vLLM": {
			"tools": `"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`},
		"nothing but text": {"tools": "", "response_format": "", "guided_json": ""},
	} {
		for _, shape := range []agent.Shape{agent.ShapeToolCalling, agent.ShapeSGRToolCalling, agent.ShapeDialog} {
			t.Run(name+"/"+string(shape), func(t *testing.T) {
				server := modeltest.Serve(t)
				server.Refuses = refuses
				replies := []modeltest.Reply{object(searchFor("herons"), "function"), object(readHerons, "function"),
					object(heronFinal, "function")}
				taken := 0
				server.Script = func(int, modeltest.Asked) modeltest.Reply {
					taken++
					return replies[min(taken, len(replies))-1]
				}
				o := overEndpoint(t, server, shape, llm.Options{})
				told := 0
				o.Tell = func(e agent.Event) {
					if e.Kind == "without_tools" {
						told++
					}
				}
				r := run(t, o, heronTask)
				if r.Outcome != runstore.RunAnswered || taken != 3 || told != 1 || r.Iteration != 3 {
					t.Errorf("%s %s after %d of %d requests, told %d times: %s", r.State, r.Outcome, taken,
						len(server.Asked()), told, r.Reason)
				}
				asked := len(server.Asked())
				if again := run(t, o, heronTask); again.Answer != r.Answer || len(server.Asked()) != asked {
					t.Errorf("played again: %s after %d more requests", again.Outcome, len(server.Asked())-asked)
				}
			})
		}
	}
}

// What helps against a model's failure is in the reason of the run's end, and the answer
// that code writes then is from pages, which are read for it where none was.
func TestWhatHelpsAgainstAModelThatFails(t *testing.T) {
	for hint, reply := range map[string]modeltest.Reply{
		"check llm.api_key and llm.base_url": modeltest.Fails(401, "bad key"),
		"llm.base_url usually ends in /v1":   modeltest.Page(),
		"raise llm.max_tokens":               modeltest.Stops("In the spring", "length"),
	} {
		t.Run(hint, func(t *testing.T) {
			t.Parallel()
			server := modeltest.Serve(t, asks(searchFor("herons")), reply)
			o := overEndpoint(t, server, agent.ShapeToolCalling, llm.Options{})
			r := run(t, o, heronTask)
			if r.Outcome != runstore.RunModelFailed || !strings.HasSuffix(r.Reason, "; "+hint) {
				t.Errorf("%s: %s", r.Outcome, r.Reason)
			}
			if r.Usage.Fetches != 3 || !strings.Contains(r.Answer, "312 grey herons") || len(r.Report.Findings) == 0 ||
				r.Report.Findings[0].Citations[0].Verdict != citewell.VerdictSupported {
				t.Errorf("%d pages were read for %s", r.Usage.Fetches, r.Answer)
			}
			asked := len(server.Asked())
			if again := run(t, o, heronTask); again.Answer != r.Answer || again.Reason != r.Reason ||
				len(server.Asked()) != asked {
				t.Errorf("played again: %s: %s", again.Reason, again.Answer)
			}
		})
	}
}

// Where the endpoint counts more tokens than were estimated, what follows is estimated by
// that: after its first answer no request is larger than the window.
func TestTheEstimateFollowsTheEndpoint(t *testing.T) {
	const window, answer = 30_000, 500
	s := newShelf()
	task := heronTask
	var replies []reply
	counted := func(q agent.Request) int { // two of three bytes, as a model that knows no Chinese
		bytes := 0
		for _, m := range q.Messages {
			bytes += len(m.Content)
			for _, c := range m.Calls {
				bytes += len(c.Arguments)
			}
		}
		for _, f := range q.Functions {
			bytes += len(f.Description) + len(f.Parameters)
		}
		return bytes * 2 / 3
	}
	for i := range 14 {
		url := fmt.Sprintf("https://site%02d.example/", i)
		s.pages[url] = strings.Repeat("湖边的芦苇每年冬天由基金会的看守人收割。", 100)
		task += " " + url
		replies = append(replies, func(q agent.Request) (agent.Reply, error) {
			return agent.Reply{Calls: []agent.ToolCall{call("extract_page_content_tool",
				args{"reasoning": url, "urls": []string{url}})}, InputTokens: counted(q), OutputTokens: 20}, nil
		})
	}
	m := &script{window: window, replies: append(replies, calls(finalCall("Nothing was found.")),
		calls(finalCall("Nothing was found.")))}
	o := s.options(agent.ShapeToolCalling, m)
	o.Limits, o.Budget.Tokens = agent.Limits{MaxIterations: 30, MaxTokens: answer, ContentLimit: 3000}, -1
	run(t, o, task)
	largest := 0
	for i, q := range m.asked[1:] {
		n := counted(q)
		if largest = max(largest, n); n > window-answer {
			t.Errorf("request %d has %d tokens of %d", i+1, n, window-answer)
		}
	}
	if len(m.asked) < 15 || largest < window/2 {
		t.Errorf("%d requests, the largest of %d tokens: nothing was to be cut", len(m.asked), largest)
	}
}

// Tools of others whose schemas have definitions, of the same name even, are called in one
// object: each reference leads to its own tool's.
func TestAStepHasTheDefinitionsOfItsTools(t *testing.T) {
	var told []string
	foreign := func(name, definitions string) *tool.Tool {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(`{"type":"object","properties":{"at":{"$ref":"#/`+definitions+
			`/place"}},"required":["at"],"`+definitions+`":{
			"place":{"type":"object","properties":{"`+name+`":{"type":"string"},"near":{"$ref":"#/`+definitions+`/place"}},"required":["`+name+`"]}}}`), &s); err != nil {
			t.Fatal(err)
		}
		return tool.Raw(tool.Spec{Name: name, Hints: tool.Hints{ReadOnly: true}}, &s, nil,
			func(_ context.Context, arguments json.RawMessage) (tool.Result, error) {
				told = append(told, string(arguments))
				return tool.Result{Text: "The lighthouse of Hallvik has 42 steps."}, nil
			})
	}
	where := call("town", args{"at": args{"town": "Hallvik", "near": args{"town": "Ostend"}}})
	server := modeltest.Serve(t, object(call("town", args{"at": args{"lake": "Alder"}}), "function"),
		object(where, "function"), object(finalCall("The lighthouse of Hallvik has 42 steps [1]."), "function"))
	o := overEndpoint(t, server, agent.ShapeSGR, llm.Options{})
	o.Extra = []*tool.Tool{foreign("town", "$defs"), foreign("lake", "definitions")}
	if r := run(t, o, "How many steps has the lighthouse of Hallvik?"); r.Outcome != runstore.RunAnswered ||
		len(told) != 1 || !strings.Contains(told[0], `"near":{"town":"Ostend"}`) {
		t.Errorf("%s %s: %q", r.Outcome, r.Reason, told)
	}
}
