package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["clinicaltrials"] = clinicalTrialsWire }

func clinicalTrialsWire(t *testing.T) searchtest.Wire {
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "clinicaltrials", base)
			p.(*clinicalTrials).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "clinicaltrials/good.json"),
		Want: []citewell.Result{
			{Provider: "clinicaltrials", Rank: 1, Title: "Sea Water for Tired Feet",
				URL:       "https://clinicaltrials.gov/study/NCT00000001",
				Snippet:   "Status: not yet recruiting. Feet are put into the sea. Then they are taken out.",
				Published: "2026-01-20"},
			{Provider: "clinicaltrials", Rank: 2, Title: "Tides and Sleep",
				URL: "https://clinicaltrials.gov/study/NCT00000002", Snippet: "Status: completed."},
		},
		Empty: jsonReply(`{"totalCount":0,"studies":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/api/v2/studies",
				"query.term": "tidal power wave energy 50 潮", "pageSize": "10",
				"fields": clinicalTrialsFields, "format": "json",
				"filter.advanced": "AREA[StudyFirstPostDate]RANGE[2026-01-12,MAX]"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("query.term") },
		MaxChars: 300, Special: `"()[]/\`, Reserved: []string{"AND", "OR", "NOT", "AREA", "RANGE"},
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "a_query_that_it_cannot_read", Reply: searchtest.Reply{
				Status: 400, Header: map[string]string{"Content-Type": "text/plain"},
				Body: []byte("Too complicated query")}, Code: citewell.CodeInvalidArgument},
			{Name: "studies_without_numbers",
				Reply: jsonReply(
					`{"studies":[{"protocolSection":{"identificationModule":{"nctId":"NCT1/../x","briefTitle":"t"}}}]}`), Code: citewell.CodeBadResponse},
		},
		Lookups: []searchtest.Lookup{{
			ID: citewell.Identifier{Scheme: citewell.SchemeNCT, Value: "NCT00000009"},
			CheckRequest: func(t *testing.T, r *http.Request) {
				checkParams(t, r, map[string]string{"method": "GET", "path": "/api/v2/studies/NCT00000009",
					"fields": clinicalTrialsFields, "format": "json"})
			},
			Good: jsonReply(
				`{"protocolSection":{"identificationModule":{"nctId":"NCT00000009","briefTitle":"One Trial"},"statusModule":{"overallStatus":"RECRUITING"},"descriptionModule":{"briefSummary":"It is one."}}}`),
			Want: []citewell.Result{{Provider: "clinicaltrials", Rank: 1, Title: "One Trial",
				URL: "https://clinicaltrials.gov/study/NCT00000009", Snippet: "Status: recruiting. It is one."}},
			Missing: []searchtest.Reply{{Status: 404, Header: map[string]string{"Content-Type": "text/plain"},
				Body: []byte("NCT number NCT00000009 not found")}},
		}},
	}
}
