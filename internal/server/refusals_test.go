package server

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/server/access"
)

// Who is not let in is told so in the form that the clients of a route read.
func TestRefusals(t *testing.T) {
	tokens, err := access.Load(filepath.Join(t.TempDir(), "tokens.json"))
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{}
	for _, scope := range access.Scopes {
		if given[scope], err = tokens.Create(access.Token{Name: scope, Scopes: []string{scope}}, 0); err != nil {
			t.Fatal(err)
		}
	}
	door, err := access.New(access.Options{Listen: "127.0.0.1:8010", Tokens: tokens,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	inside := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "inside") })
	h := Handler(Options{Door: door, MCP: inside, OpenAI: inside, Runs: inside, Documents: inside, Status: inside,
		Metrics: inside, Log: slog.New(slog.DiscardHandler)})
	ask := func(path, host, scope string) (int, string) {
		r := httptest.NewRequest("GET", "http://"+host+path, nil)
		if scope != "" {
			r.Header.Set("Authorization", "Bearer "+given[scope])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	openai, detail, ours := `{"error":{"message":`, `{"detail":"`, `{"error":{"code":`
	for path, form := range map[string]string{"/v1/models": openai, "/v1/chat/completions": openai, "/v1/": openai,
		"/agents": detail, "/agents/x/state": detail,
		"/v1/runs": ours, "/v1/runs/x": ours, "/v1/documents": ours, "/v1/documents/x/text": ours, "/v1/graph": ours,
		"/v1/graph/x": ours, "/v1/status": ours, "/mcp": ours, "/metrics": ours} {
		own, other := access.ScopeAPI, access.ScopeMCP
		switch path {
		case "/mcp":
			own, other = other, own
		case "/metrics":
			own = access.ScopeMetrics
		}
		for _, test := range []struct {
			host, scope string
			status      int
		}{{"evil.test", own, 403}, {"127.0.0.1:8010", "", 401}, {"127.0.0.1:8010", other, 401}} {
			if status, body := ask(path, test.host, test.scope); status != test.status ||
				!strings.HasPrefix(body, form) {
				t.Errorf("%s at %s with %q: %d %s", path, test.host, test.scope, status, body)
			} else if told := strings.Contains(body, "lacks the scope"); told != (test.scope == other) {
				t.Errorf("%s at %s with %q tells of scopes: %v: %s", path, test.host, test.scope, told, body)
			}
		}
		for _, scope := range []string{own, access.ScopeAll} {
			if status, body := ask(path, "localhost:8010", scope); status != 200 || body != "inside" {
				t.Errorf("%s with %s: %d %s", path, scope, status, body)
			}
		}
	}
	if status, body := ask("/health", "localhost", ""); status != 200 || body != "inside" {
		t.Errorf("/health: %d %s", status, body)
	}
}
