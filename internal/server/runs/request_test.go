package runs

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server/intake"
)

func TestChoose(t *testing.T) {
	offers := []string{"text/markdown; charset=utf-8", "text/html; charset=utf-8", "application/json"}
	for _, test := range []struct{ accept, want string }{
		{"", offers[0]},
		{"*/*", offers[0]},
		{"text/*", offers[0]},
		{"text/html", offers[1]},
		{"application/json", offers[2]},
		{"application/*", offers[2]},
		{"text/html;q=0.5, application/json;q=0.9", offers[2]},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", offers[1]},
		{"*/*;q=0.1, text/markdown;q=0", offers[1]},
		{"text/html;q=none, application/json;q=0.1", offers[2]},
		{"TEXT/HTML", offers[1]},
		{"nonsense", offers[0]},
		{"image/png", ""},
		{"*/*;q=0", ""},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		if test.accept != "" {
			r.Header.Set("Accept", test.accept)
		}
		got, err := choose(r, offers...)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q gives %q, %v", test.accept, got, err)
		}
	}
}

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
		if want == "" && err != nil || want != "" && (citewell.CodeOf(err) != citewell.CodeInvalidArgument || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", query, err)
		}
	}
}

func parameters(r *http.Request) (any, error) { return query(r, listParameters...) }

// FuzzBody sends bodies of every kind: none breaks the server, and what is taken is
// within its bounds.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"task": "x"}`, `{"task": "x", "agent": "a", "budget": {"tokens": 5, "usd": 0.5}, "history": [{"role": "user", "content": "y"}], "id": "00000000-0000-4000-8000-000000000000"}`,
		`{"task": "x", "attachments": [{"filename": "a.txt", "text": "y"}, {"filename": "b", "data": "QUJD"}]}`, `{"task":`, `[]`, `null`, `{"task": "x", "task": "y"}`, `{"text": "x"}`, "\xff", `{"task": "` + "\\ud800" + `"}`, strings.Repeat("[", 1000)} {
		f.Add([]byte(seed), "application/json")
	}
	f.Add([]byte("task=x"), "application/x-www-form-urlencoded")
	f.Add([]byte(`{"task": "x"}`), "application/json; charset=utf-8; charset=x")
	a := New(Options{})
	f.Fuzz(func(t *testing.T, body []byte, kind string) {
		r := httptest.NewRequest("POST", "/v1/runs", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", kind)
		given, release, err := read(a.starts, httptest.NewRecorder(), r, startForm)
		if err != nil {
			if code := citewell.CodeOf(err); code != citewell.CodeInvalidArgument && code != citewell.CodeUnsupportedType {
				t.Errorf("%v", err)
			}
			return
		}
		defer release()
		if strings.TrimSpace(given.Task) == "" || len(given.Attachments) > intake.MaxFiles || len(given.Task) > 4*65536 || given.Budget.Tokens < 0 || len(given.History) > 200 {
			t.Errorf("%+v was taken", given)
		}
		for _, m := range given.History {
			if m.Role != "user" && m.Role != "assistant" {
				t.Errorf("%q was taken", m.Role)
			}
		}
	})
}
