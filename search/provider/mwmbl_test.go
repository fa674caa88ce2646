package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["mwmbl"] = mwmblWire }

func mwmblWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "mwmbl", base) },
		Query: question, Good: replyOf(t, 200, "mwmbl/good.json"),
		Want: []citewell.Result{
			{Provider: "mwmbl", Rank: 1, Title: "Tidal power & waves", URL: "https://mills.example/tide?a=1&b=2",
				Snippet: "How the tide turns a wheel"},
			{Provider: "mwmbl", Rank: 2, Title: "Old tides", URL: "http://old.tides.example/"},
		},
		Empty: jsonReply(`{"number_of_results":0,"results":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/v2/search/", "q": question.Text})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 300, Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "the_older_form", Reply: jsonReply(
				`[{"url":"http://example.org/","title":[{"value":"Tide","is_bold":true}],"extract":[]}]`),
				Code: citewell.CodeBadResponse},
			{Name: "filters_by_time", Reply: jsonReply(`{"results":[]}`),
				Notes: []string{"mwmbl does not filter by time"}},
		},
	}
}
