package agent

import (
	"encoding/json"
	"testing"

	"github.com/citewell/citewell"
	"github.com/google/jsonschema-go/jsonschema"
)

// A reference in a tool's schema leads to the tool's own definitions, by their names in the
// whole; one to any other place is left out, and lets everything through.
func TestReferencesOfASchema(t *testing.T) {
	known := map[string]*jsonschema.Schema{"page": {Type: "string"}}
	for ref, want := range map[string]string{"#/$defs/page": "#/$defs/read.page", "#/definitions/page": "#/$defs/read.page", "page": "", "#/$defs/other": "", "https://schema.example/page": "", "#": ""} {
		moved := referring(&jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"of": {Type: "array", Items: &jsonschema.Schema{Ref: ref}}}}, "read", known)
		if got := moved.Properties["of"].Items.Ref; got != want {
			t.Errorf("%s became %q, want %q", ref, got, want)
		}
	}
}

// What is asked is estimated by all that is sent.
func TestSizeOfARequest(t *testing.T) {
	text := Message{Role: RoleUser, Content: "123456"}
	called := Message{Role: RoleAssistant, Calls: []ToolCall{{Name: "123", Arguments: json.RawMessage("123456")}}}
	for name, test := range map[string]struct {
		request Request
		want    int
	}{
		"nothing":    {Request{}, 0},
		"a message":  {Request{Messages: []Message{text}}, 6},
		"a call":     {Request{Messages: []Message{called}}, 4 + 1 + 2 + 8},
		"a function": {Request{Functions: []Function{{Name: "123", Description: "123", Parameters: json.RawMessage("12345")}}}, 1 + 1 + 2 + 8},
		"a schema":   {Request{Schema: json.RawMessage("1234")}, 2},
	} {
		if got := test.request.size(); got != test.want {
			t.Errorf("%s: %d tokens, want %d", name, got, test.want)
		}
	}
}

// A claim that shares no word with a source, as in another language, is held against its
// first passages.
func TestNearestPassages(t *testing.T) {
	s := &source{passages: []citewell.Passage{{Text: "Reeds grow."}, {Text: "Boats rest."}, {Text: "Herons nest here."}, {Text: "Herons feed."}}}
	for claim, want := range map[string][]string{"Herons nest.": {"Herons nest here.", "Herons feed."}, "Журавли гнездятся.": {"Reeds grow.", "Boats rest."}} {
		got := nearest(claim, "", s, 2)
		if len(got) != 2 || got[0].Text != want[0] || got[1].Text != want[1] {
			t.Errorf("%s: %+v", claim, got)
		}
	}
	if got := nearest("Herons nest.", "", &source{}, 2); len(got) != 0 {
		t.Errorf("of no passages: %+v", got)
	}
}
