package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["govuk"] = govukWire }

func govukWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "govuk", base)
			p.(*govuk).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "govuk/good.json"),
		Want: []citewell.Result{ // the old one is older than a month, the last has no day
			{Provider: "govuk", Rank: 1, Title: "Tidal range schemes: guidance",
				URL: "https://www.gov.uk/guidance/tidal-range-schemes", Snippet: "How to plan a scheme.",
				Published: "2026-01-20"},
			{Provider: "govuk", Rank: 2, Title: "Marine licences", URL: "https://www.marine.example/licences"},
		},
		Empty: jsonReply(`{"results":[],"total":0,"start":0}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/search.json",
				"q": "tidal power & wave energy + 50% é 潮", "count": "10",
				"fields": "title,description,link,public_timestamp"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 300, Special: `"`, Reserved: []string{},
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "all_are_too_old", Reply: jsonReply(
				`{"results":[{"title":"t","link":"/t","public_timestamp":"1999-01-20T10:00:00Z"}]}`)},
			{Name: "a_parameter_that_it_does_not_know", Reply: refusal(422, `{"error":"Unexpected parameters: x"}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "no_addresses", Reply: jsonReply(`{"results":[{"title":"t","link":"javascript:x"},{"title":"u"}]}`),
				Code: citewell.CodeBadResponse},
		},
	}
}
