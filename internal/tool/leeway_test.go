package tool_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

type easedIn struct {
	Words string      `json:"words"`
	Depth int         `json:"depth,omitempty" default:"3" bounds:"1..10"`
	Least float64     `json:"least,omitempty" bounds:"0.5.."`
	Short bool        `json:"short,omitempty" default:"false"`
	Parts []easedPart `json:"parts,omitempty" bounds:"0..2"`
}

type easedPart struct {
	Size int `json:"size,omitempty" bounds:"..5"`
}

// easy is a toolset with one tool, which gives back what it took.
func easy(l tool.Leeway) *tool.Toolset {
	return &tool.Toolset{Leeway: l, Tools: []*tool.Tool{
		tool.New(tool.Spec{Name: "say"}, func(_ context.Context, in easedIn) (easedIn, error) { return in, nil })}}
}

func TestLeeway(t *testing.T) {
	for name, test := range map[string]struct {
		leeway    tool.Leeway
		arguments string
		want      string   // what was taken, or what is said against it
		notes     []string // none where empty
	}{
		"none": {tool.None, `{"words":"x","depth":"5"}`, `depth must be a number, not the string "5"`, nil},
		"fits": {tool.Nearest, `{"words":"5","depth":5}`, `{"words":"5","depth":5}`, nil},
		"quoted": {tool.Kinds, `{"words":"x","depth":" 5 ","short":"True"}`,
			`{"words":"x","depth":5,"short":true}`, []string{`depth: the string " 5 " was taken as 5`,
				`short: the string "True" was taken as true`}},
		"kinds_alone": {tool.Kinds, `{"words":"x","depth":20}`, "depth must be from 1 to 10; it is 20", nil},
		"nearest": {tool.Nearest, `{"words":"x","depth":"20"}`, `{"words":"x","depth":10}`,
			[]string{`depth: the string "20" was taken as 10; it must be from 1 to 10`}},
		"nearest_below": {tool.Nearest, `{"words":"x","depth":-1,"least":0}`, `{"words":"x","depth":1,"least":0.5}`,
			[]string{"depth: the number -1 was taken as 1; it must be from 1 to 10",
				"least: the number 0 was taken as 0.5; it must be at least 0.5"}},
		"default": {tool.Default, `{"words":"x","depth":0}`, `{"words":"x","depth":3}`,
			[]string{"depth: the number 0 was taken as 3; it must be from 1 to 10"}},
		"no_default": {tool.Default, `{"words":"x","least":0}`, `{"words":"x","depth":3,"least":0.5}`,
			[]string{"least: the number 0 was taken as 0.5; it must be at least 0.5"}},
		"within": {tool.Nearest, `{"words":"x","depth":2,"parts":[{"size":"9"}]}`,
			`{"words":"x","depth":2,"parts":[{"size":5}]}`, []string{
				`parts[0].size: the string "9" was taken as 5; it must be at most 5`}},
		"no_number": {tool.Nearest, `{"words":"x","depth":"many"}`,
			`depth must be a number, not the string "many"`, nil},
		"no_plain_number": {tool.Nearest, `{"words":"x","depth":"0x10"}`,
			`depth must be a number, not the string "0x10"`, nil},
		"endless": {tool.Nearest, `{"words":"x","depth":1e400}`,
			"depth is no number that can be counted with", nil},
		"no_truth": {tool.Nearest, `{"words":"x","short":"maybe"}`,
			`short must be true or false, not the string "maybe"`, nil},
		"too_many": {tool.Nearest, `{"words":"x","parts":[{},{},{}]}`,
			"parts must have 0 to 2 items; it has 3", nil},
		"list_for_number":  {tool.Nearest, `{"words":"x","depth":[5]}`, "depth must be a number, not a list", nil},
		"text_stays_text":  {tool.Nearest, `{"words":7}`, "words must be a string, not the number 7", nil},
		"unknown_argument": {tool.Nearest, `{"words":"x","deep":"5"}`, "deep is unknown", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := easy(test.leeway).Call(t.Context(), "say", json.RawMessage(test.arguments))
			if err != nil {
				if v := citewell.View(err); v.Code != citewell.CodeInvalidArgument ||
					!strings.Contains(v.Message, test.want) {
					t.Errorf("%v; want %s", err, test.want)
				}
				return
			}
			if want := strings.Replace(test.want, `"words":"x"}`, `"words":"x","depth":3}`, 1); r.Text != want ||
				!slices.Equal(r.Notes, test.notes) {
				t.Errorf("it took %s and says %q; want %s and %q", r.Text, r.Notes, want, test.notes)
			}
		})
	}
}

// What fits is taken as it is, whatever the leeway; what is taken fits.
func FuzzLeeway(f *testing.F) {
	for _, seed := range []string{`{"words":"x","depth":"5"}`, `{"words":"x","depth":1e400,"parts":[{"size":"-0"}]}`,
		`{"words":"x","depth":"\"5\""}`, `null`, "\xff"} {
		f.Add([]byte(seed))
	}
	strict, lenient := easy(tool.None), easy(tool.Nearest)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		want, refused := strict.Call(t.Context(), "say", arguments)
		got, err := lenient.Call(t.Context(), "say", arguments)
		switch {
		case refused == nil && (err != nil || got.Text != want.Text || got.Notes != nil):
			t.Errorf("%s is taken as %s with %q, %v", arguments, got.Text, got.Notes, err)
		case refused != nil && err == nil && got.Notes == nil:
			t.Errorf("%s is taken as %s, and nothing is said of it", arguments, got.Text)
		case err == nil:
			if in := got.Structured.(easedIn); in.Depth < 1 || in.Depth > 10 || strings.TrimSpace(in.Words) == "" {
				t.Errorf("%s is taken as %+v", arguments, in)
			}
		}
	})
}
