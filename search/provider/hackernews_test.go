package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["hackernews"] = hackerNewsWire }

func hackerNewsWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "hackernews", base)
			p.(*hackerNews).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "hackernews/good.json"),
		Want: []citewell.Result{
			// its day is not that of the link
			{Provider: "hackernews", Rank: 1, Title: "Tidal power & waves", URL: "https://mills.example/tide?a=1&b=2"},
			{Provider: "hackernews", Rank: 2, Title: "Ask HN: Why 'tidal'?",
				URL: "https://news.ycombinator.com/item?id=72", Snippet: "Why not waves? They are > 3 m.",
				Published: "2026-01-21"},
		},
		Empty: jsonReply(`{"hits":[],"nbHits":0,"page":0,"nbPages":0,"hitsPerPage":10}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/v1/search",
				"query": "tidal power wave energy 50 潮", "tags": "story", "hitsPerPage": "10",
				"numericFilters": "created_at_i>=1768176000"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("query") },
		MaxChars: 250, MaxWords: 30, Special: `"`, Reserved: []string{},
		// Where its letters are broken there are hits without numbers and addresses.
		Codes: map[string]citewell.Code{"401": citewell.CodeBlockedByProvider, "403": citewell.CodeBlockedByProvider,
			"broken_utf8": citewell.CodeBadResponse},
		Quirks: []searchtest.Quirk{
			{Name: "hits_of_another_form",
				Reply: jsonReply(`{"hits":[{"title":"Tides"},{"objectID":"seven","title":"Waves"}],"nbHits":2}`),
				Code:  citewell.CodeBadResponse, Says: []string{"none can be read"}},
			{Name: "a_number_for_an_id", Reply: jsonReply(
				`{"hits":[{"objectID":7,"title":"Tides","created_at":"2026-01-01T00:00:00Z"}]}`),
				Want: []citewell.Result{{Provider: "hackernews", Rank: 1, Title: "Tides",
					URL: "https://news.ycombinator.com/item?id=7", Published: "2026-01-01"}}},
		},
	}
}
