package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/config"
)

// The chat model's key goes to a reranker on the chat model's own host, and to no other.
func TestRerankerKey(t *testing.T) {
	var told string
	listen := func() string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			told = r.Header.Get("Authorization")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"results":[{"index":0,"relevance_score":1}]}`)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := network{Guard: guard, modelGuard: guard}
	chat := config.LLM{BaseURL: listen() + "/v1", APIKey: citewell.NewSecret("chat")}
	for _, test := range []struct {
		name   string
		rerank config.Rerank
		want   string
	}{
		{"same host", config.Rerank{BaseURL: chat.BaseURL}, "Bearer chat"},
		{"same host, own key", config.Rerank{BaseURL: chat.BaseURL, APIKey: citewell.NewSecret("own")}, "Bearer own"},
		{"other host", config.Rerank{BaseURL: listen() + "/v1"}, ""},
	} {
		r, err := newReranker(config.Config{LLM: chat, Rerank: test.rerank}, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Rerank(t.Context(), "q", []string{"x"}); err != nil || told != test.want {
			t.Errorf("%s: told %q, want %q; %v", test.name, told, test.want, err)
		}
		r.Close()
	}
	if r, err := newReranker(config.Config{LLM: chat}, n, nil); r != nil || err != nil {
		t.Errorf("without settings there is %v, %v", r, err)
	}
}
