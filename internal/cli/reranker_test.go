package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdReranker starts a reranker at $RERANK that has texts with the first of its words
// before those with the second, and all others last; with the word "down" it fails.
func cmdReranker(ts *testscript.TestScript, _ bool, words []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Query     string
			Documents []string
		}
		w.Header().Set("Content-Type", "application/json")
		switch err := json.NewDecoder(r.Body).Decode(&asked); {
		case err != nil || r.URL.Path != "/v1/rerank" || asked.Query == "":
			w.WriteHeader(http.StatusBadRequest)
			return
		case words[0] == "down":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"detail":"no such key"}`))
			return
		}
		type result struct {
			Index int `json:"index"`
			Score int `json:"relevance_score"`
		}
		var answer struct {
			Results []result `json:"results"`
		}
		for i, document := range asked.Documents {
			score := 0
			for k, word := range words {
				if strings.Contains(document, word) {
					score = max(score, len(words)-k)
				}
			}
			answer.Results = append(answer.Results, result{i, score})
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			ts.Logf("reranker: %v", err)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("RERANK", server.URL+"/v1")
}
