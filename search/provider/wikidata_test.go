package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["wikidata"] = wikidataWire }

func wikidataWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "wikidata", base) },
		Query: question, Good: replyOf(t, 200, "wikidata/good.json"),
		Want: []citewell.Result{
			{Provider: "wikidata", Rank: 1, Title: "Gezeitenkraftwerk", URL: "https://www.wikidata.org/wiki/Q11",
				Snippet: "Art von Kraftwerk & Bauwerk"},
			{Provider: "wikidata", Rank: 2, Title: "Gezeitenkraftwerk Rance", URL: "https://www.wikidata.org/wiki/Q12",
				Snippet: "Kraftwerk in Frankreich"},
			{Provider: "wikidata", Rank: 3, Title: "Q13", URL: "https://www.wikidata.org/wiki/Q13"},
		},
		Empty: jsonReply(`{"batchcomplete":true}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/w/api.php", "action": "query",
				"format": "json", "formatversion": "2",
				"errorformat": "plaintext", "generator": "search", "gsrsearch": "tidal power wave energy 50 潮",
				"gsrnamespace": "0", "gsrlimit": "10",
				"prop": "info|entityterms", "inprop": "url", "wbetterms": "label|description", "uselang": "de"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("gsrsearch") },
		MaxChars: 300, Special: `"*?~!:\|<>/()[]{}=^`, Reserved: []string{"AND", "OR", "NOT"},
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "too_many_calls_with_200",
				Reply: jsonReply(`{"error":{"code":"ratelimited","info":"You've exceeded your rate limit."}}`),
				Code:  citewell.CodeRateLimited},
			{Name: "the_agent_is_refused", Reply: refusal(403, "Please set a user-agent and respect our robot policy"),
				Code: citewell.CodeBlockedByProvider, Says: []string{"contact"}},
			{Name: "items_without_an_address", Reply: jsonReply(`{"query":{"pages":[{"index":1,"title":"Q1"}]}}`),
				Code: citewell.CodeBadResponse, Says: []string{"none can be read"}},
			{Name: "filters_by_time", Reply: jsonReply(`{"batchcomplete":true}`),
				Notes: []string{"wikidata does not filter by time"}},
		},
	}
}
