package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/golden"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

type lookupInput struct {
	Reason string            `json:"reason" jsonschema:"why now"`
	Query  string            `json:"query" jsonschema:"what to look for" bounds:"1..20"`
	Limit  int               `json:"limit,omitempty" jsonschema:"how many" default:"5" bounds:"1..10"`
	Weight float64           `json:"weight,omitempty" bounds:"0..1"`
	Units  string            `json:"units,omitempty" default:"metric" oneof:"metric imperial"`
	Tags   []string          `json:"tags,omitempty" bounds:"1..3"`
	Where  map[string]string `json:"where,omitempty"`
	Deep   bool              `json:"deep,omitempty"`
	Nodes  []lookupNode      `json:"nodes,omitempty"`
	tool.Window
}

type lookupNode struct {
	ID    string `json:"id" jsonschema:"the node's id"`
	Props any    `json:"props,omitempty"`
}

type lookupOutput struct {
	Echo lookupInput `json:"echo"`
	List []string    `json:"list"`
}

func newLookup(s tool.Spec) *tool.Tool {
	s.Name, s.Description = "lookup", "Looks things up."
	return tool.New(s, func(_ context.Context, in lookupInput) (lookupOutput, error) {
		switch in.Query {
		case "panic":
			panic("a bug with a secret in it")
		case "fail":
			return lookupOutput{}, errors.New("it broke")
		}
		return lookupOutput{Echo: in, List: []string{"<b>"}}, nil
	})
}

// The schema keeps the order of the fields, and every tag is in it.
func TestSchemaOfAType(t *testing.T) {
	lookup := newLookup(tool.Spec{})
	got, err := json.MarshalIndent(map[string]*jsonschema.Schema{"input": lookup.Input, "output": lookup.Output}, "",
		"  ")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("testdata", "schema.json")
	golden.Check(t, name, string(got)+"\n")
}

// Tools that give the same hold one schema of it.
func TestOutputsOfOneTypeShareASchema(t *testing.T) {
	one, other := newLookup(tool.Spec{}), newLookup(tool.Spec{})
	if one.Output != other.Output || one.Input == other.Input {
		t.Errorf("output %p and %p, input %p and %p", one.Output, other.Output, one.Input, other.Input)
	}
}

// A wrong argument is named together with what it may be, and all of them at once.
func TestArgumentsThatDoNotFit(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"none", ``, "reason is required; query is required"},
		{"blank", `{"reason":"x","query":" \t"}`, "query is required and may not be blank"},
		{"too_long", `{"reason":"x","query":"` + strings.Repeat("é", 21) + `"}`,
			"query must have 1 to 20 characters; it has 21"},
		{"above_range", `{"reason":"x","query":"q","limit":11}`, "limit must be from 1 to 10; it is 11"},
		{"below_range", `{"reason":"x","query":"q","limit":-1}`, "limit must be from 1 to 10; it is -1"},
		{"beyond_numbers", `{"reason":"x","query":"q","limit":1e309}`,
			"limit is no number that can be counted with from 1 to 10"},
		{"no_whole_number", `{"reason":"x","query":"q","limit":2.5}`, "limit must be a whole number; it is 2.5"},
		{"text_for_number", `{"reason":"x","query":"q","limit":"3"}`, `limit must be a number, not the string "3"`},
		{"number_for_text", `{"reason":"x","query":7}`, "query must be a string, not the number 7"},
		{"list_for_text", `{"reason":"x","query":[]}`, "query must be a string, not a list"},
		{"not_in_enum", `{"reason":"x","query":"q","units":"kelvin"}`,
			`units must be one of metric, imperial; it is "kelvin"`},
		{"misspelt", `{"reason":"x","query":"q","limt":3}`, "limt is unknown; did you mean limit?"},
		{"unknown", `{"reason":"x","query":"q","favourite_colour":3}`, "favourite_colour is unknown"},
		{"wrong_case", `{"reason":"x","Query":"q"}`, "query is required; Query is unknown; did you mean query?"},
		{"too_many_items", `{"reason":"x","query":"q","tags":["a","b","c","d"]}`,
			"tags must have 1 to 3 items; it has 4"},
		{"item", `{"reason":"x","query":"q","tags":["a",1]}`, "tags[1] must be a string, not the number 1"},
		{"nested", `{"reason":"x","query":"q","nodes":[{"id":"a"},{"ids":"b"}]}`,
			"nodes[1].id is required; nodes[1].ids is unknown; did you mean id?"},
		{"map_value", `{"reason":"x","query":"q","where":{"a":1}}`, "where.a must be a string, not the number 1"},
		{"twice", `{"reason":"x","query":"q","query":"r"}`,
			`the arguments are no JSON object: the key "query" stands twice`},
		{"cut", `{"reason":"x"`, "the arguments are no JSON object: it ends too early"},
		{"list", `[1]`, "the arguments must be a JSON object; they are a list"},
		{"tail", `{} {}`, "the arguments are no JSON object: something follows after its end"},
		{"deep", strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80),
			"the arguments are no JSON object: nested deeper than 64 levels"},
		{"not_utf8", "{\"query\":\"\xff\"}", "the arguments are no JSON object: not UTF-8"},
		{"many", `{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1}`,
			"reason is required; query is required; a1 is unknown; a2 is unknown; a3 is unknown; and 3 more"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := newLookup(tool.Spec{}).Call(t.Context(), json.RawMessage(test.arguments))
			view := citewell.View(err)
			if view.Code != citewell.CodeInvalidArgument || view.Message != test.want {
				t.Errorf("got %s: %s\nwant %s", view.Code, view.Message, test.want)
			}
			if !strings.Contains(view.Hint, "limit (integer 1..10)") {
				t.Errorf("the hint does not say what is taken: %s", view.Hint)
			}
		})
	}
}

// A schema of others is understood as far as models are shown it.
func TestArgumentsOfARawTool(t *testing.T) {
	for name, test := range map[string]struct{ schema, arguments, want string }{
		"fits": {`{"anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":2.0,"c":null}`, ``},
		"ref": {`{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":"x"}`,
			`a must be a number, not the string "x"`},
		"anyOf":   {`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "the whole must have one of a and b"},
		"pattern": {`{"properties":{"a":{"pattern":"^x"}}}`, `{"a":"y"}`, `a must match the pattern ^x; it is "y"`},
		"unread":  {`{"properties":{"a":{"pattern":"(?=x)"}}}`, `{"a":"y"}`, ``},
		"endless": {`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`, `{"a":1}`,
			"a cannot be checked: it is too large, or its schema leads back to itself"},
	} {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(test.schema), &s); err != nil {
			t.Fatal(err)
		}
		raw := tool.Raw(tool.Spec{Name: "raw"}, &s, nil, func(_ context.Context,
			arguments json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: string(arguments)}, nil
		})
		if _, err := raw.Call(t.Context(), json.RawMessage(test.arguments)); citewell.View(err).Message != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestArgumentsTooLarge(t *testing.T) {
	_, err := newLookup(tool.Spec{}).Call(t.Context(), json.RawMessage(`{"query":"`+
		strings.Repeat("x", tool.MaxArguments)+`"}`))
	if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Error(err)
	}
}

// An absent argument and a null one are the default; a whole number may be written
// with a fraction of zero.
func TestDefaults(t *testing.T) {
	r, err := newLookup(tool.Spec{}).Call(t.Context(), json.RawMessage(
		`{"reason":"x","query":"q","limit":null,"units":null,"start_index":2.0}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"echo":{"reason":"x","query":"q","limit":5,"units":"metric","max_length":20000,"start_index":2},"list":["<b>"]}`
	if r.Text != want {
		t.Errorf("got  %s\nwant %s", r.Text, want)
	}
}

func TestFailuresOfATool(t *testing.T) {
	call := func(query string) error {
		_, err := newLookup(tool.Spec{}).Call(t.Context(), json.RawMessage(`{"reason":"x","query":"`+query+`"}`))
		return err
	}
	if v := citewell.View(call("panic")); v.Code != citewell.CodeInternal || strings.Contains(v.Message, "secret") {
		t.Errorf("a panic became %+v", v)
	}
	if err := call("fail"); err == nil || err.Error() != "it broke" {
		t.Errorf("the tool's own error became %v", err)
	}
	_, err := newLookup(tool.Spec{Hidden: "set weather.api_key"}).Call(t.Context(), nil)
	if v := citewell.View(err); v.Code != citewell.CodeToolNotConfigured || v.Hint != "set weather.api_key" {
		t.Errorf("a hidden tool answered %+v", v)
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"reason":"x","query":"q","limit":3,"nodes":[{"id":"a","props":{"b":[null]}}]}`))
	f.Add([]byte(`{"limit":1e400}`))
	f.Add([]byte(`{"tags":null,"where":{"":""}}`))
	lookup := newLookup(tool.Spec{})
	f.Fuzz(func(t *testing.T, arguments []byte) {
		r, err := lookup.Call(t.Context(), arguments)
		if err != nil {
			if code := citewell.CodeOf(err); code != citewell.CodeInvalidArgument && code != citewell.CodeInternal {
				t.Fatalf("%s: %v", code, err)
			}
			return
		}
		echo := r.Structured.(lookupOutput).Echo
		if strings.TrimSpace(echo.Query) == "" || echo.Limit < 1 || echo.Limit > 10 || echo.Weight < 0 ||
			echo.Weight > 1 {
			t.Fatalf("%s passed as %+v", arguments, echo)
		}
	})
}
