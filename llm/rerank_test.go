package llm_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/llm"
)

func reranker(t testing.TB, base string) *llm.Reranker {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := llm.NewReranker(llm.RerankOptions{BaseURL: base, APIKey: citewell.NewSecret("s3cret-key"), Model: "judge",
		Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// answering is an endpoint that gives one answer to all.
func answering(t testing.TB, status int, contentType, body string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// The request is that of Jina, Cohere's v2, llama.cpp and vLLM, and so is what is read of
// the answer: each of them adds something of its own.
func TestRerank(t *testing.T) {
	answers := map[string]string{
		"jina": `{"model":"judge","object":"list","usage":{"total_tokens":9},"results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.2},{"index":1,"relevance_score":-0.1}]}`,
		"cohere": `{"id":"a","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":0.2},{"index":1,"relevance_score":-0.1}],
			"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}}`,
		"llama.cpp": `{"model":"judge","object":"list","usage":{"prompt_tokens":9,"total_tokens":9},"results":[{"index":0,"relevance_score":0.2},{"index":1,"relevance_score":-0.1},{"index":2,"relevance_score":0.9}]}`,
		"vllm":      `{"id":"rerank-1","model":"judge","usage":{"total_tokens":9},"results":[{"index":2,"document":{"text":"three"},"relevance_score":0.9},{"index":0,"document":{"text":"one"},"relevance_score":0.2},{"index":1,"document":{"text":"two"},"relevance_score":-0.1}]}`,
	}
	for name, body := range answers {
		var asked map[string]any
		var path, auth string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, auth = r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		}))
		scores, err := reranker(t, server.URL+"/v1/").Rerank(t.Context(), "which?",
			[]string{"one", "two", strings.Repeat("ü", 3000)})
		server.Close()
		if diff := cmp.Diff([]float64{0.2, -0.1, 0.9}, scores); diff != "" || err != nil {
			t.Errorf("%s: %v, scores (-want +got):\n%s", name, err, diff)
		}
		want := map[string]any{"model": "judge", "query": "which?",
			"documents": []any{"one", "two", strings.Repeat("ü", 2000)}, "top_n": 3.0}
		if diff := cmp.Diff(want, asked); diff != "" || path != "POST /v1/rerank" || auth != "Bearer s3cret-key" {
			t.Errorf("%s: %s with %q, request (-want +got):\n%s", name, path, auth, diff)
		}
	}
}

// Whatever is wrong with an answer, there is an error of the right code and no score, and
// the key is in none of them.
func TestRerankFaults(t *testing.T) {
	const form = "application/json"
	tests := []struct {
		name        string
		status      int
		contentType string
		body        string
		code        citewell.Code
	}{
		{"too few", 200, form, `{"results":[{"index":0,"relevance_score":1}]}`, citewell.CodeBadResponse},
		{"too many", 200, form,
			`{"results":[{"index":0,"relevance_score":1},{"index":1,"relevance_score":1},{"index":1,"relevance_score":1}]}`, citewell.CodeBadResponse},
		{"twice", 200, form, `{"results":[{"index":0,"relevance_score":1},{"index":0,"relevance_score":1}]}`,
			citewell.CodeBadResponse},
		{"beyond", 200, form, `{"results":[{"index":0,"relevance_score":1},{"index":2,"relevance_score":1}]}`,
			citewell.CodeBadResponse},
		{"below", 200, form, `{"results":[{"index":-1,"relevance_score":1},{"index":0,"relevance_score":1}]}`,
			citewell.CodeBadResponse},
		{"no index", 200, form, `{"results":[{"relevance_score":1},{"relevance_score":1}]}`, citewell.CodeBadResponse},
		{"another's shape", 200, form, `[{"index":0,"score":1},{"index":1,"score":1}]`, citewell.CodeBadResponse},
		{"another's score", 200, form, `{"results":[{"index":0,"score":1},{"index":1,"score":1}]}`,
			citewell.CodeBadResponse},
		{"no number", 200, form, `{"results":[{"index":0,"relevance_score":"NaN"},{"index":1,"relevance_score":1}]}`,
			citewell.CodeBadResponse},
		{"too large a number", 200, form,
			`{"results":[{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":1}]}`,
			citewell.CodeBadResponse},
		{"nothing", 200, form, ``, citewell.CodeBadResponse},
		{"half", 200, form, `{"results":[{"index":0,`, citewell.CodeBadResponse},
		{"a page", 200, "text/html", `<html>welcome</html>`, citewell.CodeBadResponse},
		{"an error that is fine", 200, form, `{"error":{"message":"no, s3cret-key","code":"insufficient_quota"}}`,
			citewell.CodeQuotaExhausted},
		{"a wrong key", 401, form, `{"detail":"who is s3cret-key?"}`, citewell.CodeAuth},
		{"no such model", 404, form, `{"message":"model judge, s3cret-key, not found"}`, citewell.CodeModelFailed},
		{"no such path", 404, "text/plain", `not found`, citewell.CodeModelFailed},
	}
	for _, test := range tests {
		scores, err := reranker(t, answering(t, test.status, test.contentType, test.body)).Rerank(t.Context(), "which?",
			[]string{"one", "two"})
		if citewell.CodeOf(err) != test.code || scores != nil {
			t.Errorf("%s: %v, %v, want %s", test.name, scores, err, test.code)
			continue
		}
		if view := citewell.View(err); strings.Contains(view.Message+view.Hint+err.Error(), "s3cret") {
			t.Errorf("%s tells the key: %v", test.name, err)
		}
	}
}

// An answer without an end is given up, and what leads elsewhere is not followed with the
// key.
func TestRerankGoesNowhereElse(t *testing.T) {
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
				return
			}
		}
	}))
	defer endless.Close()
	if _, err := reranker(t, endless.URL).Rerank(t.Context(), "q", []string{"one"}); err == nil {
		t.Error("an answer without an end was read")
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if auth := r.Header.Get("Authorization"); auth != "" {
			t.Errorf("another host was told %q", auth)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"results":[{"index":0,"relevance_score":1}]}`)
	}))
	defer elsewhere.Close()
	leading := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/rerank", http.StatusTemporaryRedirect))
	defer leading.Close()
	if scores, err := reranker(t, leading.URL).Rerank(t.Context(), "q",
		[]string{"one"}); citewell.CodeOf(err) != citewell.CodeBlockedRedirect {
		t.Errorf("another host was believed: %v, %v", scores, err)
	}
}

func TestRerankIsConfigured(t *testing.T) {
	for _, base := range []string{"", "judge", "file:///v1", "http://"} {
		if _, err := llm.NewReranker(llm.RerankOptions{BaseURL: base}); citewell.CodeOf(
			err) != citewell.CodeInvalidConfig {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := reranker(t, "http://127.0.0.1:9").Rerank(t.Context(), "q",
		make([]string, llm.MaxRerankTexts+1)); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("too many texts: %v", err)
	}
}

func FuzzRerankAnswer(f *testing.F) {
	f.Add([]byte(`{"results":[{"index":1,"relevance_score":0.5},{"index":0,"relevance_score":-3}]}`))
	f.Add([]byte(`{"results":[{"index":1e9,"relevance_score":1e99}],"error":null}`))
	f.Add([]byte(`{"error":["no"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		scores, err := llm.RerankerAnswering(t, body).Rerank(t.Context(), "q", []string{"one", "two"})
		if (err == nil) != (len(scores) == 2) {
			t.Fatalf("%q gave %v, %v", body, scores, err)
		}
	})
}
