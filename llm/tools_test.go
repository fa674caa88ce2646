package llm_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

func TestARequestWithToolsAndImages(t *testing.T) {
	s := modeltest.Serve(t, modeltest.Says("low"))
	c := ask(t, s, llm.Options{MaxTokens: 100, Temperature: 0.4, Extra: map[string]any{"top_k": 3}})
	cold := 0.0
	_, err := c.Chat(t.Context(), llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleUser, Content: "the tide?", Images: []llm.Image{llm.DataImage("image/png", []byte("png"))}},
			{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "tide",
				Arguments: json.RawMessage(`{"place":"x"}`)}}},
			{Role: llm.RoleTool, ToolCallID: "1", Content: "low"},
		},
		Tools: []llm.Tool{{Name: "tide", Description: "d", Parameters: json.RawMessage(
			`{"type":"object","properties":{"z":{},"a":{}}}`), Strict: true}, {Name: "none"}},
		OnlyTool: "tide", Serial: true, Temperature: &cold, ReasoningEffort: "low",
		Extra: map[string]any{"seed": 7, "top_k": 4}, MaxTokens: 50,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"max_tokens":50,"messages":[` +
		`{"content":[{"text":"the tide?","type":"text"},{"image_url":{"url":"data:image/png;base64,cG5n"},"type":"image_url"}],"role":"user"},` +
		`{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{\"place\":\"x\"}","name":"tide"},"id":"1","type":"function"}]},` +
		`{"content":"low","role":"tool","tool_call_id":"1"}],"model":"scripted","parallel_tool_calls":false,"reasoning_effort":"low","seed":7,"temperature":0,` +
		`"tool_choice":{"function":{"name":"tide"},"type":"function"},"tools":[` +
		`{"function":{"description":"d","name":"tide","parameters":{"properties":{"a":{},"z":{}},"type":"object"},"strict":true},"type":"function"},` +
		`{"function":{"description":"","name":"none","parameters":{"properties":{},"type":"object"}},"type":"function"}],"top_k":4}`
	if got := asJSON(t, s.Asked()[0].Body); got != want {
		t.Errorf("asked\n%s, want\n%s", got, want)
	}
}

// Ids are made where they are missing, doubled, or were used before; arguments are
// mended where that changes no meaning, and have a fault where they cannot be read.
func TestCallsAreRepaired(t *testing.T) {
	calls := []modeltest.Call{
		{Name: "tide", Arguments: ""},
		{ID: "same", Name: "tide", Arguments: `{"place":"a"}`},
		{ID: "same", Name: " tide ", Arguments: `{'place': 'b',}`},
		{ID: "used", Name: "unknown", Arguments: `"{\"place\":\"c\"}"`},
		{ID: "x", Name: "tide", Arguments: `{"place":"d`},
		{ID: "y", Name: "", Arguments: `{}`},
		{ID: "z", Name: "tide", Arguments: `[1]`},
	}
	r := user("?")
	r.Messages = append(r.Messages, llm.Message{Role: llm.RoleAssistant,
		ToolCalls: []llm.ToolCall{{ID: "used", Name: "tide"}}}, llm.Message{Role: llm.RoleTool, ToolCallID: "used"})
	for _, whole := range []bool{true, false} {
		reply := modeltest.Asks(calls...)
		reply.OnlyWhole = whole
		got, err := ask(t, modeltest.Serve(t, reply), llm.Options{}).Stream(t.Context(), r, nil)
		if err != nil || len(got.ToolCalls) != len(calls) {
			t.Fatalf("%+v %v", got, err)
		}
		var ids, given, faults []string
		for _, call := range got.ToolCalls {
			if call.ID == "" || slices.Contains(ids, call.ID) || call.ID == "used" {
				t.Errorf("the id %q of %+v", call.ID, call)
			}
			ids, given, faults = append(ids, call.ID), append(given, string(call.Arguments)), append(faults, call.Fault)
		}
		if want := []string{"{}", `{"place":"a"}`, `{"place":"b"}`, `{"place":"c"}`, `{"unreadable":"{\"place\":\"d"}`,
			"{}", `{"unreadable":"[1]"}`}; !slices.Equal(given, want) {
			t.Errorf("arguments %q", given)
		}
		if want := []string{"", "", "", "", "the arguments are not a JSON object", "the call names no tool",
			"the arguments are not a JSON object"}; !slices.Equal(faults, want) {
			t.Errorf("faults %q", faults)
		}
	}
}

// What an endpoint refuses by name is left out, or said otherwise, and not sent again.
func TestConcessions(t *testing.T) {
	cold := 0.1
	r := user("?")
	r.Tools, r.OnlyTool, r.Serial, r.Temperature, r.MaxTokens, r.ReasoningEffort = []llm.Tool{
		tideTool, {Name: "other"}}, "tide", true, &cold, 60, "low"
	s := modeltest.Serve(t, modeltest.Asks(modeltest.Call{ID: "1", Name: "tide", Arguments: `{"place":"x"}`}))
	s.Refuses = map[string]string{"stream_options": "", "parallel_tool_calls": "unknown field `parallel_tool_calls`",
		"temperature":      "",
		"reasoning_effort": "", "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. " +
			"Use 'max_completion_tokens' instead.", "tool_choice": "invalid tool_choice"}
	c := ask(t, s, llm.Options{})
	for range 2 {
		if reply, err := c.Stream(t.Context(), r, nil); err != nil || len(reply.ToolCalls) != 1 || !reply.Estimated {
			t.Fatalf("%+v %v", reply, err)
		}
	}
	asked := s.Asked()
	if len(asked) != 9 { // seven refusals: tool_choice is said in two ways
		t.Errorf("%d requests", len(asked))
	}
	last := asJSON(t, without(asked[len(asked)-1].Body, "messages", "tools"))
	if want := `{"max_completion_tokens":60,"model":"scripted","stream":true}`; last != want {
		t.Errorf("asked %s, want %s", last, want)
	}
	if tools := asked[len(asked)-1].Body["tools"].([]any); len(tools) != 1 {
		t.Errorf("the one tool that must be called is offered among %d", len(tools))
	}
	s = modeltest.Serve(t)
	s.Refuses = map[string]string{"max_tokens": "max_tokens is too large: 60"}
	if _, err := ask(t, s, llm.Options{}).Chat(t.Context(), r); err == nil || len(s.Asked()) != 1 {
		t.Errorf("a limit out of range must not be left out silently: %v after %d requests", err, len(s.Asked()))
	}
}

// What was counted is not counted again: a conversation is measured at each of its calls.
func TestACountIsRemembered(t *testing.T) {
	text := strings.Repeat("The kestrel pump moves 310 litres per minute; die Pumpe läuft. ", 1000)
	counted := llm.CountTokens(text)
	again := 0
	// a copy of each piece, and no more
	if n := testing.AllocsPerRun(5, func() { again = llm.CountTokens(text) }); n > 2*float64(len(text))/4096 ||
		again != counted {
		t.Errorf("%v allocations for %d tokens, %d the first time", n, again, counted)
	}
}
