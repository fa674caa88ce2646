package runs

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/intake"
)

func TestQuery(t *testing.T) {
	for query, want := range map[string]string{
		"":                                 "",
		"limit=5&state=failed":             "",
		"state=failed&state=completed":     "",
		"limit=5&limit=6":                  "the parameter limit stands 2 times",
		"limti=5":                          `the parameter "limti" is unknown; did you mean limit?`,
		"after=5":                          `the parameter "after" is unknown`,
		"state=done":                       `state must be one of inited, researching, waiting_for_clarification, completed, failed, error, cancelled; it is "done"`,
		"state=":                           "state must be one of",
		"limit=-1":                         `limit must be a number; it is "-1"`,
		"limit=1e3":                        "limit must be a number",
		"limit=%zz":                        "the query of the address cannot be read",
		"a;b":                              "the query of the address cannot be read",
		"cursor=99999999999999999999":      "cursor must be what a list gave as next",
		"agent=" + strings.Repeat("a", 65): "agent must be the name of an agent",
	} {
		r := httptest.NewRequest("GET", "/v1/runs", nil)
		r.URL.RawQuery = query
		_, err := parameters(r)
		if want == "" && err != nil || want != "" && (citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", query, err)
		}
	}
}

// A parameter that is near none is answered with those that there are.
func TestQueryNamesWhatThereIs(t *testing.T) {
	for query, want := range map[string]string{"after=5": "there are " + listParameters[0].Name + ", ", "limti=5": ""} {
		_, err := parameters(httptest.NewRequest("GET", "/v1/runs?"+query, nil))
		if hint := citewell.View(err).Hint; err == nil || !strings.HasPrefix(hint, want) ||
			(want == "") != (hint == "") {
			t.Errorf("%s: %q", query, hint)
		}
	}
	_, err := intake.Query(httptest.NewRequest("GET", "/v1/watches?limit=3", nil))
	if hint := citewell.View(err).Hint; hint != "this path takes no parameters" {
		t.Errorf("of a path without parameters: %q", hint)
	}
}

func parameters(r *http.Request) (any, error) { return intake.Query(r, listParameters...) }

// FuzzBody sends bodies of every kind: none breaks the server, and what is taken is
// within its bounds.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"task": "x"}`,
		`{"task": "x", "agent": "a", "budget": {"tokens": 5, "usd": 0.5}, "history": [{"role": "user", "content": "y"}], "id": "00000000-0000-4000-8000-000000000000"}`,
		`{"task": "x", "attachments": [{"filename": "a.txt", "text": "y"}, {"filename": "b", "data": "QUJD"}]}`,
		`{"task":`, `[]`, `null`, `{"task": "x", "task": "y"}`, `{"text": "x"}`, "\xff",
		`{"task": "` + "\\ud800" + `"}`, strings.Repeat("[", 1000)} {
		f.Add([]byte(seed), "application/json")
	}
	f.Add([]byte("task=x"), "application/x-www-form-urlencoded")
	f.Add([]byte(`{"task": "x"}`), "application/json; charset=utf-8; charset=x")
	a := New(Options{})
	f.Fuzz(func(t *testing.T, body []byte, kind string) {
		r := httptest.NewRequest("POST", "/v1/runs", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", kind)
		given, release, err := intake.Read(a.starts, httptest.NewRecorder(), r, startForm)
		if err != nil {
			if code := citewell.CodeOf(err); code != citewell.CodeInvalidArgument &&
				code != citewell.CodeUnsupportedType {
				t.Errorf("%v", err)
			}
			return
		}
		defer release()
		if strings.TrimSpace(given.Task) == "" || len(given.Attachments) > intake.MaxFiles ||
			len([]rune(given.Task)) > job.MaxTask || given.Budget.Tokens < 0 || len(given.History) > 200 {
			t.Errorf("%+v was taken", given)
		}
		for _, m := range given.History {
			if m.Role != "user" && m.Role != "assistant" {
				t.Errorf("%q was taken", m.Role)
			}
		}
	})
}
