package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/egress"
	"github.com/citewell/citewell/internal/modeltest"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store"
)

func decoded(t *testing.T, c agent.ToolCall) args {
	t.Helper()
	fields := args{}
	if err := json.Unmarshal(c.Arguments, &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

// Each shape works over a model's endpoint, in the shape of OpenAI's API: with native
// calls, in pieces, with a schema, and in words alone.
func TestEveryShapeOverAnEndpoint(t *testing.T) {
	asks := func(c agent.ToolCall) modeltest.Reply {
		return modeltest.Asks(modeltest.Call{Name: c.Name, Arguments: string(c.Arguments)})
	}
	think := asks(call("reasoning_tool", thought))
	object := func(c agent.ToolCall, into string) modeltest.Reply {
		o := args{}
		for name, value := range thought {
			o[name] = value
		}
		switch into {
		case "function":
			function := args{"tool_name_discriminator": c.Name}
			for name, value := range decoded(t, c) {
				function[name] = value
			}
			o["function"] = function
		default:
			o[into] = c.Name
		}
		return modeltest.Says(string(call("", o).Arguments))
	}
	for shape, replies := range map[agent.Shape][]modeltest.Reply{
		agent.ShapeToolCalling:    {asks(searchFor("herons")), modeltest.Cut(asks(readHerons), 40, false), asks(readHerons), asks(heronFinal)},
		agent.ShapeSGRToolCalling: {think, asks(searchFor("herons")), modeltest.Thinks("hm", ""), think, asks(readHerons), think, asks(heronFinal)},
		agent.ShapeSGR:            {object(searchFor("herons"), "function"), modeltest.Says("no"), object(readHerons, "function"), object(heronFinal, "function")},
		agent.ShapeIron: {object(searchFor("herons"), "function_name_choice"), modeltest.Says(string(searchFor("herons").Arguments)), object(readHerons, "function_name_choice"),
			modeltest.Says(string(readHerons.Arguments)), object(heronFinal, "function_name_choice"), modeltest.Says(string(heronFinal.Arguments))},
	} {
		t.Run(string(shape), func(t *testing.T) {
			server := modeltest.Serve(t, replies...)
			guard, err := egress.NewGuard(egress.Options{})
			if err != nil {
				t.Fatal(err)
			}
			client, err := llm.New(llm.Options{BaseURL: server.Base(), Model: "m", Guard: guard, ContextWindow: 32_000, Price: llm.Price{Input: 1, Output: 2}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			o := newShelf().options(shape, agent.Chat{Client: client})
			o.Price = client.Price()
			heard := 0
			o.Tell = func(e agent.Event) {
				if e.Kind == "delta" {
					heard++
				}
			}
			r := run(t, o, heronTask)
			if r.Outcome != store.RunAnswered || r.Usage.InputTokens == 0 || r.Usage.USD == 0 {
				t.Errorf("%+v", r)
			}
			if streams := shape != agent.ShapeSGR; streams != (heard > 0) {
				t.Errorf("%d pieces were heard", heard)
			}
		})
	}
}
