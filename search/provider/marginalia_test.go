package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["marginalia"] = marginaliaWire }

func marginaliaWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "marginalia", base) },
		Query: question, Good: replyOf(t, 200, "marginalia/good.json"),
		Want: []citewell.Result{
			{Provider: "marginalia", Rank: 1, Title: "Tidal power & waves", URL: "https://mills.example/tide?a=1&b=2",
				Snippet: "A page about tides"},
			{Provider: "marginalia", Rank: 2, Title: "Old tides", URL: "http://old.tides.example/"},
		},
		Empty: jsonReply(`{"license":"CC-BY-NC-SA 4.0","query":"xyz","results":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/search",
				"query": "tidal power wave energy 50 潮", "count": "10"})
			if got := r.Header.Get("API-Key"); got != testKey {
				t.Errorf("the key is sent as %q", got)
			}
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("query") },
		MaxChars: 300, Special: `":`, Reserved: []string{},
		Quirks: []searchtest.Quirk{
			{Name: "filters_by_time", Reply: jsonReply(`{"results":[]}`),
				Notes: []string{"marginalia does not filter by time"}},
		},
	}
}

// The key that everybody shares is nobody's.
func TestMarginaliaNeedsAKeyOfOnesOwn(t *testing.T) {
	for key, want := range map[string]citewell.Code{"": citewell.CodeProviderNotConfigured,
		"public": citewell.CodeInvalidConfig, " Public ": citewell.CodeInvalidConfig, "mine": ""} {
		_, err := New("marginalia", withSettings(testDeps(t), "marginalia", Settings{APIKey: citewell.NewSecret(key)}))
		if citewell.CodeOf(err) != want {
			t.Errorf("with %q: %v", key, err)
		}
	}
}
