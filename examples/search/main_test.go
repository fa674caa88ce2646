package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/search/provider"
)

const key = "tvly-0123456789"

// web is a server that answers as Tavily does, and has the page that it names.
func web(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"results": []map[string]any{
			{"title": "The tower", "url": server.URL + "/tower", "content": "A tower in the north.", "score": 0.9}}})
	})
	mux.HandleFunc("GET /tower", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<title>The tower</title><article><h1>The tower</h1><p>The tower of Hallvik was built in 1871 "+
			"by the harbour board. It is 48 metres high, and visitors climb 212 steps to the lamp.</p></article>")
	})
	return server
}

func TestSearch(t *testing.T) {
	server := web(t)
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.1/32")})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		guard *egress.Guard
		key   string
		want  []string
	}{
		"a key":                  {guard, key, []string{"built in 1871", "tavily: ok"}},
		"a wrong key":            {guard, "wrong", []string{"no provider answered", "the key or password was refused"}},
		"a page on this machine": {egress.Default(), key, []string{"tavily: ok", "not a public address"}},
	} {
		t.Run(name, func(t *testing.T) {
			settings := map[string]provider.Settings{
				"tavily":     {APIKey: citewell.NewSecret(test.key), BaseURL: server.URL},
				"duckduckgo": {Disabled: true},
			}
			for _, name := range provider.Names() { // this one alone, and nothing of the open web
				if d, _ := provider.Describe(name); d.Open {
					settings[name] = provider.Settings{Disabled: true}
				}
			}
			var out strings.Builder
			if err := ask(t.Context(), &out, test.guard, settings, "When was the tower of Hallvik built?"); err != nil {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, out.String())
				}
			}
			if strings.Contains(out.String(), key) {
				t.Error("the key is shown")
			}
		})
	}
}
