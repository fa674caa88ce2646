package llm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/smallmodel"
	"github.com/citewell/citewell/llm"
)

// smallModel returns a client of a real model behind a real server. It writes
// nonsense: what is asserted holds whatever it writes.
func smallModel(t *testing.T) *llm.Client {
	t.Helper()
	base := smallmodel.Start(t)
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := llm.New(llm.Options{BaseURL: base, Model: smallmodel.Model, Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestExamineASmallModel(t *testing.T) {
	c := smallModel(t)
	found, err := c.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if found.Structured != "json_schema" || found.Streaming != llm.Can || found.Embeddings != llm.Cannot ||
		found.Tools == "" {
		t.Errorf("it was found that it %s", found)
	}
	if want := (llm.Window{Tokens: smallmodel.Window, From: llm.FromModels}); found.Window != want {
		t.Errorf("its window is %+v, want %+v", found.Window, want)
	}
	if again, err := c.Capabilities(t.Context()); err != nil || again != found {
		t.Errorf("it is remembered that it %s, %v", again, err)
	}
}

// What is decoded has the form that was asked for, in each way of asking that the
// endpoint enforces.
func TestDecodeWithASmallModel(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"place":{"type":"string","maxLength":40},
		"kind":{"enum":["harbour","lighthouse","tower"]},
		"open":{"type":"boolean"},
		"years":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":3},
		"next":{"anyOf":[
			{"type":"object","properties":{"tool":{"const":"search"},"query":{"type":"string","maxLength":40}},"required":["tool","query"],"additionalProperties":false},
			{"type":"object","properties":{"tool":{"const":"stop"},"why":{"type":"string","maxLength":40}},"required":["tool","why"],"additionalProperties":false}]}},
		"required":["place","kind","open","years","next"],"additionalProperties":false}`
	resolved := func() *jsonschema.Resolved {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}()
	base := smallModel(t)
	for _, format := range []string{"json_schema", "grammar", "tool"} {
		t.Run(format, func(t *testing.T) {
			o := base.Options()
			o.StructuredOutput, o.Endpoints = format, nil
			c, err := llm.New(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			r := user("Describe the harbour of Aberwick and what to look for next.")
			r.Schema, r.SchemaName, r.MaxTokens = json.RawMessage(schema), "place", 512
			var value any
			reply, err := c.Decode(t.Context(), r, &value)
			if err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(value); err != nil {
				t.Errorf("%v does not fit: %v", value, err)
			}
			if reply.InputTokens <= 0 || reply.OutputTokens <= 0 || reply.OutputTokens > 512*reply.Tries {
				t.Errorf("%d tokens in, %d out in %d tries", reply.InputTokens, reply.OutputTokens, reply.Tries)
			}
			if c.Format() != format {
				t.Errorf("it was asked by %s in the end", c.Format())
			}
		})
	}
}

// The pieces of a stream are the answer, and the tokens are the endpoint's own count.
func TestStreamOfASmallModel(t *testing.T) {
	c := smallModel(t)
	// The question is longer than the answer: what it has in common with the longer one is
	// most of what the server has read, which is when it goes on with that.
	r := user("Write a long story about a harbour, a tide and a heron, in which the heron waits for the tide, the " +
		"tide comes late into the harbour, and a boat comes with it that nobody had expected. Do not stop early.")
	r.MaxTokens = 24
	var pieces strings.Builder
	told := 0
	first, err := c.Stream(t.Context(), r, func(d llm.Delta) {
		pieces.WriteString(d.Content)
		told++
	})
	if !errors.Is(err, llm.ErrLength) && (err != nil || first.OutputTokens > 24) {
		t.Fatalf("%v after %d tokens", err, first.OutputTokens)
	}
	if !first.Streamed || told < 2 || strings.TrimSpace(pieces.String()) != strings.TrimSpace(first.Text) {
		t.Errorf("%d pieces say %q, the answer is %q", told, pieces.String(), first.Text)
	}
	if errors.Is(err, llm.ErrLength) && first.OutputTokens != 24 {
		t.Errorf("cut at 24 tokens, of which %d are counted", first.OutputTokens)
	}
	r.Messages[0].Content += " Begin with the heron."
	longer, err := c.Chat(t.Context(), r)
	if err != nil && !errors.Is(err, llm.ErrLength) {
		t.Fatal(err)
	}
	if longer.InputTokens <= first.InputTokens || longer.CachedTokens <= first.InputTokens/2 ||
		longer.CachedTokens >= longer.InputTokens {
		t.Errorf("%d tokens in, and %d of them cached of %d for the longer question", first.InputTokens,
			longer.CachedTokens, longer.InputTokens)
	}
}

// A tool that must be called is called, whichever the model would like; it may only
// write its arguments.
func TestCallsOfASmallModel(t *testing.T) {
	c := smallModel(t)
	parameters := json.RawMessage(
		`{"type":"object","properties":{"place":{"type":"string","maxLength":60},"days":{"type":"integer"}},"required":["place","days"],"additionalProperties":false}`)
	r := user("When is high water at Hallvik?")
	r.Tools = []llm.Tool{{Name: "tide", Description: "Looks up the tide at a place.", Parameters: parameters},
		{Name: "weather", Description: "Looks up the weather at a place.", Parameters: parameters}}
	r.MaxTokens = 256
	for _, force := range []string{"", "weather"} {
		r.ToolChoice, r.OnlyTool = llm.ToolRequired, force
		reply, err := c.Chat(t.Context(), r)
		if err != nil || len(reply.ToolCalls) != 1 {
			t.Fatalf("force %q: %d calls, %v", force, len(reply.ToolCalls), err)
		}
		call := reply.ToolCalls[0]
		var given struct {
			Place *string
			Days  *int
		}
		if err := json.Unmarshal(call.Arguments, &given); err != nil || call.Fault != "" || given.Place == nil ||
			given.Days == nil {
			t.Errorf("force %q: %s with %s (%s), %v", force, call.Name, call.Arguments, call.Fault, err)
		}
		if force != "" && call.Name != force || call.Name != "tide" && call.Name != "weather" {
			t.Errorf("force %q: %s was called", force, call.Name)
		}
		if call.ID == "" || reply.FinishReason != "tool_calls" {
			t.Errorf("force %q: id %q, finished by %q", force, call.ID, reply.FinishReason)
		}
	}
}

// A question beyond the window is refused before anything is spent, and tells how long
// the window is.
func TestTooLongForASmallModel(t *testing.T) {
	c := smallModel(t)
	_, err := c.Chat(t.Context(), user(strings.Repeat("The tide at Hallvik turns. ", smallmodel.Window)))
	if !errors.Is(err, llm.ErrContext) {
		t.Fatalf("%v, want ErrContext", err)
	}
	if want := (llm.Window{Tokens: smallmodel.Window, From: llm.FromError}); c.Window(t.Context()) != want {
		t.Errorf("its window is %+v, want %+v", c.Window(t.Context()), want)
	}
}
