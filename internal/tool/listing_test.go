package tool_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/citewell/citewell/internal/tool"
)

type listedIn struct {
	Words  string         `json:"words" jsonschema:"what to say" bounds:"0..9"`
	Kind   string         `json:"kind,omitempty" oneof:"a b" default:"a"`
	Count  int            `json:"count,omitempty" bounds:"0..5" default:"0"`
	Parts  []listedPart   `json:"parts,omitempty" bounds:"0..3"`
	Any    map[string]any `json:"any,omitempty"`
	Counts map[string]int `json:"counts,omitempty"`
}

type listedPart struct {
	Name string `json:"name"`
}

type listedOut struct {
	Said []string `json:"said" jsonschema:"all of it"`
}

// The list keeps names, order, bounds, defaults, values and what is required; it leaves
// out what every value fits, and the fields of the result. The tool itself keeps all.
func TestListed(t *testing.T) {
	d := tool.New(tool.Spec{Name: "say"}, func(context.Context, listedIn) (listedOut, error) {
		return listedOut{}, nil
	})
	input, output := d.Listed()
	for want, schema := range map[string]any{
		`{"type":"object","properties":{"words":{"type":"string","description":"what to say","minLength":1,"maxLength":9},` +
			`"kind":{"type":"string","default":"a","enum":["a","b"]},"count":{"type":"integer","default":0,"minimum":0,"maximum":5},` +
			`"parts":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string","minLength":1}},"required":["name"]},"maxItems":3},` +
			`"any":{"type":"object"},"counts":{"type":"object","additionalProperties":{"type":"integer"}}},"required":["words"]}`: input,
		`{"type":"object"}`: output,
	} {
		got, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("listed is\n%s\nnot\n%s", got, want)
		}
	}
	if _, err := d.Call(t.Context(), json.RawMessage(`{"words":"x","wrods":"y"}`)); err == nil {
		t.Error("an unknown name was taken")
	}
	if d.Output.Properties["said"].Description != "all of it" {
		t.Error("the tool's own schema was shortened")
	}
}
