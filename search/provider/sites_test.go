package provider

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// Engines of the web are told which sites to look at, each in its own way; a question is left
// as it was asked.
func TestOnlySites(t *testing.T) {
	q := question
	q.Sites = []string{"one.example", "two.example"}
	operators := "+(site:one.example+OR+site:two.example)"
	for name, want := range map[string]string{
		"duckduckgo": operators, "searxng": operators, "brave": operators, "google": operators, "serpapi": operators,
		"tavily": `"include_domains":["one.example","two.example"]`,
		"exa":    `"includeDomains":["one.example","two.example"]`,
	} {
		wire := wires[name](t)
		asked := make(chan string, 10)
		at := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked <- strings.NewReplacer("%3A", ":", "%28", "(", "%29", ")", "%20", "+").Replace(r.URL.RawQuery) +
				string(body)
			w.WriteHeader(http.StatusTeapot)
		}))
		_, _ = wire.New(t, at).Search(t.Context(), q) // what it answers is not what is looked at
		if sent := <-asked; !strings.Contains(sent, want) {
			t.Errorf("%s was sent %q, want %q", name, sent, want)
		}
	}
	q.Sites = q.Sites[:1]
	if got := onlySites(q); got != " site:one.example" {
		t.Errorf("one site is %q", got)
	}
	q.Sites = nil
	if got := onlySites(q); got != "" {
		t.Errorf("no site is %q", got)
	}
}
