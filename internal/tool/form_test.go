package tool_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

type wish struct {
	Task   string `json:"task" jsonschema:"what to find out" bounds:"1..10"`
	Budget struct {
		Tokens int `json:"tokens,omitempty" bounds:"1..100"`
	} `json:"budget,omitzero"`
}

// A body says what is wrong with it, and where.
func TestForm(t *testing.T) {
	form := tool.NewForm[wish]("wishes")
	got, err := form.Read([]byte(`{"task": "x", "budget": {"tokens": 7.0}}`))
	if err != nil || got.Task != "x" || got.Budget.Tokens != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, test := range []struct{ name, body, want string }{
		{"empty", "", "line 1, column 1: it ends too early"},
		{"cut", "{\n \"task\": \"ü", "line 2, column 12: it ends too early"},
		{"comma", "{\n \"task\": \"x\",\n}", "line 3, column 1: invalid character '}'"},
		{"word", `{"task": tru}`, "line 1, column 13: invalid character '}' in literal true"},
		{"colon", `{"task" "x"}`, "line 1, column 9: invalid character '\"' after object key"},
		{"twice", "{\"task\": \"x\",\n\"task\": \"y\"}", `line 2, column 7: the key "task" stands twice`},
		{"tail", `{"task": "x"} {}`, "something follows after its end"},
		{"not_utf8", "{\"task\": \"\xff\"}", "line 1, column 11: not UTF-8"},
		{"deep", strings.Repeat("[", 100), "nested deeper than 64 levels"},
		{"list", `[]`, "the body must be a JSON object; it is a list"},
		{"null", `null`, "the body must be a JSON object; it is null"},
		{"null_field", `{"task": "x", "budget": null}`, "budget must be an object, not null"},
		{"null_required", `{"task": null}`, "task must be a string, not null"},
		{"absent", `{}`, "task is required"},
		{"blank", `{"task": " "}`, "task is required and may not be blank"},
		{"long", `{"task": "01234567890"}`, "task must have 1 to 10 characters; it has 11"},
		{"unknown", `{"tsak": "x", "task": "x"}`, "tsak is unknown; did you mean task?"},
		{"nested", `{"task": "x", "budget": {"token": 1}}`, "budget.token is unknown; did you mean tokens?"},
		{"range", `{"task": "x", "budget": {"tokens": 101}}`, "budget.tokens must be from 1 to 100; it is 101"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := form.Read([]byte(test.body))
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// What tags cannot say is added at the first use, once and in its order.
func TestFormIsAmended(t *testing.T) {
	added := ""
	form := tool.NewForm[wish]("wishes", func(s *jsonschema.Schema) {
		added += "a"
		s.Properties["task"].Pattern = "^x"
	}, func(*jsonschema.Schema) { added += "b" })
	if added != "" {
		t.Errorf("%q was added before the form was used", added)
	}
	if _, err := form.Read([]byte(`{"task": "y"}`)); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("%v", err)
	}
	if form.Schema().Properties["task"].Pattern != "^x" || added != "ab" {
		t.Errorf("%q", added)
	}
}

// A name that is near none is answered with those that there are, at its place.
func TestFormNamesWhatThereIs(t *testing.T) {
	form := tool.NewForm[wish]("wishes")
	for body, hint := range map[string]string{
		`{"task": "x", "lens": "a"}`:              "in place of lens there are task, budget",
		`{"task": "x", "budget": {"seconds": 1}}`: "in place of budget.seconds there are tokens",
		`{"tsak": "x", "task": "x"}`:              "",
	} {
		if _, err := form.Read([]byte(body)); citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			citewell.View(err).Hint != hint {
			t.Errorf("%s: %+v", body, citewell.View(err))
		}
	}
}

func FuzzForm(f *testing.F) {
	form := tool.NewForm[wish]("wishes")
	for _, seed := range []string{`{"task": "x"}`, `{"task": "x", "budget": {"tokens": 1e2}}`, `{"task":`, "[\n]",
		"\xff", `{"task": "x", "budget": {"tokens": 1e400}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := form.Read(body)
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument || len(err.Error()) > 2000 {
				t.Errorf("%.200v", err)
			}
			return
		}
		if strings.TrimSpace(got.Task) == "" || len([]rune(got.Task)) > 10 || got.Budget.Tokens < 0 ||
			got.Budget.Tokens > 100 {
			t.Errorf("%+v was taken", got)
		}
	})
}
