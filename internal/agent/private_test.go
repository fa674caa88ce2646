package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

const privateNote = "Confidential: Operation Larkspur begins at the Tilbury plant in October. The heron count " +
	"is not in it."

// An office is a shelf that also has a document of the user's own, and knows what was
// searched for.
type office struct {
	*shelf
	asked []string
}

func (o *office) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	o.asked = append(o.asked, q.Text)
	found, err := o.shelf.Search(ctx, q)
	return append(found, citewell.Result{Title: "note", URL: "file:///home/u/note.txt", Snippet: privateNote}), err
}

// Words that only private texts have reach nobody, unless a person or the operator allows
// it; what was allowed is not asked again when the run goes on.
func TestPrivateWordsAreNotTold(t *testing.T) {
	leak := searchFor("layoffs operation larkspur")
	story := func() *script {
		return &script{replies: []reply{calls(searchFor("herons")), calls(leak),
			calls(call("tell", args{"text": "larkspur"})), calls(heronFinal), calls(heronFinal), calls(heronFinal)}}
	}
	says := func(answer string) func(*agent.Options, *int) {
		return func(o *agent.Options, n *int) {
			o.Ask = func(_ context.Context, q agent.Question) (string, error) {
				if *n++; !strings.Contains(q.Text, "larkspur") {
					t.Errorf("asked %q", q.Text)
				}
				return answer, nil
			}
		}
	}
	for name, c := range map[string]struct {
		set   func(*agent.Options, *int)
		told  bool
		asked int
	}{
		"nobody_can_be_asked": {func(*agent.Options, *int) {}, false, 0},
		"deny": {func(o *agent.Options, n *int) {
			o.PrivateWords, o.Allow = tool.Deny, func(context.Context, tool.Question) (bool, error) {
				*n++
				return true, nil
			}
		}, false, 0},
		"allow": {func(o *agent.Options, _ *int) { o.PrivateWords = tool.Allow }, true, 0},
		"here":  {func(o *agent.Options, _ *int) { o.SearchesHere, o.Extra[0].Origin.Private = true, true }, true, 0},
		"a_person_allows": {func(o *agent.Options, n *int) {
			o.Allow = func(_ context.Context, q tool.Question) (bool, error) {
				if *n++; !strings.Contains(q.Why, "larkspur") {
					t.Errorf("asked with %q", q.Why)
				}
				return true, nil
			}
		}, true, 2},
		"the_user_says_yes": {says(" Yes\n"), true, 2},
		"the_user_says_no":  {says("why?"), false, 2},
		"no_questions_left": {func(o *agent.Options, n *int) { says("yes")(o, n); o.Limits.MaxClarifications = -1 },
			false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			desk, m, asked := &office{shelf: newShelf()}, story(), 0
			o := desk.options(agent.ShapeToolCalling, m)
			o.Searcher = desk
			var told []string
			o.Extra = []*tool.Tool{tool.New(tool.Spec{Name: "tell", Description: "Tells.",
				Hints: tool.Hints{ReadOnly: true, OpenWorld: true}, Origin: tool.Origin{
					Name: "x", Setting: "tools.tell"}},
				func(_ context.Context, in struct {
					Text string `json:"text" jsonschema:"what"`
				}) (struct{}, error) {
					told = append(told, in.Text)
					return struct{}{}, nil
				})}
			c.set(&o, &asked)
			r := run(t, o, heronTask)
			want := 1
			if c.told {
				want = 2
			}
			if len(desk.asked) != want || len(told) != want-1 || asked != c.asked || r.State != runstore.RunCompleted {
				t.Errorf("searched for %q, told %q, asked %d times: %s %s", desk.asked, told, asked, r.State, r.Reason)
			}
			refusal := m.asked[2].Messages[len(m.asked[2].Messages)-1].Content
			if refused := strings.Contains(refusal, "blocked_by_policy") && strings.Contains(refusal, "larkspur") &&
				strings.Contains(refusal, "search.private_words"); refused == c.told {
				t.Errorf("told the model %s", refusal)
			}
			before := asked
			m.asked = nil
			if again := run(t, o, heronTask); again.Clarifications != r.Clarifications || len(m.asked) != 0 ||
				asked != before || len(desk.asked) != want {
				t.Errorf("played again it asked %d models, %d persons and %d engines", len(m.asked), asked-before,
					len(desk.asked)-want)
			}
		})
	}
}

// The reason that a call gives stays here where the tool is the agent's own; another's is sent
// it, whatever its field is called, and a field that is given twice, too.
func TestAReasonIsToldToOthers(t *testing.T) {
	for _, arguments := range []string{`{"reasoning": "larkspur"}`, `{"text": "larkspur", "text": "x"}`} {
		desk, told := &office{shelf: newShelf()}, 0
		leak := agent.ToolCall{ID: "c", Name: "tell", Arguments: json.RawMessage(arguments)}
		m := &script{replies: []reply{calls(searchFor("herons")), calls(leak), calls(heronFinal), calls(heronFinal),
			calls(heronFinal)}}
		o := desk.options(agent.ShapeToolCalling, m)
		o.Searcher = desk
		given := tool.New(tool.Spec{Name: "tell"}, func(_ context.Context, _ struct {
			Text      string `json:"text,omitempty" jsonschema:"what"`
			Reasoning string `json:"reasoning,omitempty" jsonschema:"why"`
		}) (struct{}, error) {
			return struct{}{}, nil
		})
		o.Extra = []*tool.Tool{tool.Raw(tool.Spec{Name: "tell", Description: "Tells.",
			Hints: tool.Hints{ReadOnly: true, OpenWorld: true}, Origin: tool.Origin{Name: "x"}}, given.Input, nil,
			func(context.Context, json.RawMessage) (tool.Result, error) {
				told++
				return tool.Result{Text: "told"}, nil
			})}
		if run(t, o, heronTask); told != 0 {
			t.Errorf("%s was told", arguments)
		}
	}
}

// A search that the journal has the end of is not judged again, by whatever rules.
func TestWhatWasMadeIsNotJudgedAgain(t *testing.T) {
	desk := &office{shelf: newShelf()}
	m := &script{replies: []reply{calls(searchFor("herons")), calls(searchFor("operation larkspur")),
		calls(heronFinal)}}
	o := desk.options(agent.ShapeToolCalling, m)
	o.Searcher, o.PrivateWords = desk, tool.Allow
	first := run(t, o, heronTask)
	m.asked, o.PrivateWords = nil, tool.Deny
	if again := run(t, o, heronTask); again.Answer != first.Answer || again.Usage.Searches != 2 || len(m.asked) != 0 ||
		len(desk.asked) != 2 {
		t.Errorf("it went another way: %d models, %q", len(m.asked), desk.asked)
	}
}

// What the task, the user's answers and public pages say may be searched for.
func TestKnownWordsAreTold(t *testing.T) {
	desk := &office{shelf: newShelf()}
	desk.pages["https://news.example/tilbury"] = "The old plant in Tilbury was built in 1961."
	m := &script{replies: []reply{calls(searchFor("herons")), calls(searchFor("Tilbury herons")), calls(heronFinal),
		calls(heronFinal)}}
	o := desk.options(agent.ShapeToolCalling, m)
	o.Searcher = desk
	if run(t, o, heronTask); len(desk.asked) != 2 {
		t.Errorf("searched for %q", desk.asked)
	}
}

// What a model of the operator's hands back is no more public than what it was given, and
// at another address it is somebody else's.
func TestPrivateWordsAreNotLaundered(t *testing.T) {
	desk := &office{shelf: newShelf()}
	m := &script{replies: []reply{calls(searchFor("herons")), calls(call("transform", args{"text": "larkspur"})),
		calls(searchFor("larkspur")),
		calls(call("transform", args{"text": "larkspur", "base_url": "https://heron.example/count"})),
		calls(heronFinal), calls(heronFinal), calls(heronFinal)}}
	o := desk.options(agent.ShapeToolCalling, m)
	o.Searcher = desk
	var told []string
	o.Extra = []*tool.Tool{tool.New(tool.Spec{Name: "transform", Description: "Says it again.",
		Hints: tool.Hints{ReadOnly: true, OpenWorld: true}, Origin: tool.Origin{Private: true}},
		func(_ context.Context, in struct {
			Text    string `json:"text" jsonschema:"what"`
			BaseURL string `json:"base_url,omitempty" jsonschema:"which"`
		}) (saidOutput, error) {
			told = append(told, in.BaseURL+in.Text)
			return saidOutput{in.Text}, nil
		})}
	o.Allow = func(_ context.Context, q tool.Question) (bool, error) {
		return !strings.Contains(q.Why, "private"), nil
	}
	run(t, o, heronTask)
	if len(desk.asked) != 1 || len(told) != 1 || told[0] != "larkspur" {
		t.Errorf("searched for %q, told %q", desk.asked, told)
	}
}

// A cabinet is an office whose document has a telling name.
type cabinet struct{ office }

func (c *cabinet) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	found, err := c.office.Search(ctx, q)
	for i := range found {
		found[i].URL = strings.Replace(found[i].URL, "/home/u/note.txt", "/home/u/brandauer_lease.pdf", 1)
	}
	return found, err
}

// The name of a private file is as private as its text; what is told in two searches counts
// together, also when the run is played again.
func TestNamesOfFilesAndPiecesAreNotTold(t *testing.T) {
	for name, c := range map[string]struct {
		searches []string
		told     int
	}{
		"file":       {[]string{"herons", "brandauer"}, 1},
		"pieces":     {[]string{"herons", "lark herons", "spur herons"}, 2},
		"everyday":   {[]string{"herons", "heron count", "heron nests"}, 3},
		"of_a_file":  {[]string{"herons", "brand herons", "auer herons"}, 2},
		"one_of_two": {[]string{"herons", "spur herons", "spur heron nests"}, 3},
	} {
		desk, m := &cabinet{office{shelf: newShelf()}}, &script{}
		for _, q := range c.searches {
			m.replies = append(m.replies, calls(searchFor(q)))
		}
		m.replies = append(m.replies, calls(heronFinal), calls(heronFinal), calls(heronFinal))
		o := desk.options(agent.ShapeToolCalling, m)
		o.Searcher = desk
		first := run(t, o, heronTask)
		if len(desk.asked) != c.told {
			t.Errorf("%s: searched for %q", name, desk.asked)
		}
		m.asked = nil
		if again := run(t, o, heronTask); again.Answer != first.Answer || len(m.asked) != 0 ||
			len(desk.asked) != c.told {
			t.Errorf("%s: played again it searched for %q, and asked %d models", name, desk.asked, len(m.asked))
		}
	}
}
