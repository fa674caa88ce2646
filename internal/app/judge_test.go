package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/llm"
)

// What the judge leaves out is llm's; llm's key goes to llm's own host, and to no other.
func TestJudgeFromConfiguration(t *testing.T) {
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			keys = append(keys, r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{}`)
	}))
	defer server.Close()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, endpoints := network{Guard: guard, modelGuard: guard}, llm.NewEndpoints(llm.EndpointsOptions{})
	key := citewell.NewSecret("chat-key")
	here := config.LLM{BaseURL: server.URL, Model: "m", APIKey: key}
	tests := []struct {
		name  string
		llm   config.LLM
		judge config.Judge
		want  string // name of the judge; empty: there is none
		sent  string // key that it is asked with
		code  citewell.Code
	}{
		{"llm alone", here, config.Judge{Use: "auto", Protocol: "auto"}, "judge m", "Bearer chat-key", ""},
		{"never", here, config.Judge{Use: "never"}, "", "", ""},
		{"no model", config.LLM{}, config.Judge{Use: "auto"}, "", "", ""},
		{"another model there", here, config.Judge{Model: "other"}, "judge other", "Bearer chat-key", ""},
		{"another host", config.LLM{BaseURL: "https://chat.example/v1", Model: "m", APIKey: key},
			config.Judge{BaseURL: server.URL, Model: "other"}, "judge other", "", ""},
		{"a key of its own", here, config.Judge{APIKey: citewell.NewSecret("own")}, "judge m", "Bearer own", ""},
		{"classify", config.LLM{}, config.Judge{Protocol: "classify", BaseURL: server.URL, Model: "nli"},
			"judge nli", "", ""},
		{"classify nowhere", here, config.Judge{Protocol: "classify"}, "", "", citewell.CodeInvalidConfig},
		{"no name", config.LLM{}, config.Judge{BaseURL: server.URL}, "", "", citewell.CodeInvalidConfig},
	}
	for _, test := range tests {
		keys = nil
		j, err := newJudge(settings{Config: config.Config{LLM: test.llm, Judge: test.judge}}, n, endpoints, nil, nil)
		if test.want == "" {
			if j != nil || citewell.CodeOf(err) != test.code {
				t.Errorf("%s: %v, %v", test.name, j, err)
			}
			continue
		}
		if err != nil || j.Name() != test.want {
			t.Errorf("%s: %v, %v", test.name, j, err)
			continue
		}
		if _, err := j.Examine(t.Context()); err == nil || len(keys) == 0 || keys[0] != test.sent {
			t.Errorf("%s: asked with %q: %v", test.name, keys, err)
		}
	}
}
