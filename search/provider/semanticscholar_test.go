package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["semanticscholar"] = semanticScholarWire }

func semanticScholarWire(t *testing.T) searchtest.Wire {
	one := `{"paperId":"79ff","externalIds":{"DOI":"10.5555/tide.9","ArXiv":"2401.00009"},"url":"https://www.semanticscholar.org/paper/79ff","title":"RETRACTED: Tides","year":1998,"publicationTypes":["Conference"]}`
	gone := []citewell.Result{{Provider: "semanticscholar", Rank: 1, Title: "RETRACTED: Tides",
		URL: "https://doi.org/10.5555/tide.9",
		Work: &citewell.Work{Year: 1998, Kind: citewell.WorkConference, DOI: "10.5555/tide.9", ArXiv: "2401.00009",
			Retracted: citewell.WorkRetracted}}}
	lookup := func(scheme, value, path string) searchtest.Lookup {
		return searchtest.Lookup{ID: citewell.Identifier{Scheme: scheme, Value: value},
			Good: jsonReply(one), Want: gone,
			Missing: []searchtest.Reply{refusal(404, `{"error":"Paper with id DOI:10.5555/x not found"}`)},
			CheckRequest: func(t *testing.T, r *http.Request) {
				lookedUp("/graph/v1/paper/"+path, "fields", semanticScholarFields)(t, r)
				if r.Header.Get("X-Api-Key") != testKey {
					t.Error("it was asked without the key")
				}
			}}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "semanticscholar", base)
			p.(*semanticScholar).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "semanticscholar/good.json"),
		Want: []citewell.Result{
			{Provider: "semanticscholar", Rank: 1, Title: "Crabs & tidal weirs", URL: "https://doi.org/10.5555/tide.71",
				Snippet: "We count <10 crabs.", Published: "2024-02-09",
				Work: &citewell.Work{Authors: []string{"Ada Crane", "Ben Okafor"}, Year: 2024,
					Venue: "Journal of Tides", Volume: "12", Pages: "101-118", Kind: citewell.WorkArticle,
					DOI: "10.5555/tide.71", PMID: "41000071",
					OpenCopy: "https://repository.example/71.pdf", Licence: "CCBY", Abstract: true}},
			{Provider: "semanticscholar", Rank: 2, Title: "On tides", URL: "https://doi.org/10.48550/arxiv.2401.00072",
				Snippet: "It waits for the tide.",
				Work: &citewell.Work{Year: 2024, Venue: "arXiv.org", Kind: citewell.WorkPreprint,
					DOI: "10.48550/arxiv.2401.00072", ArXiv: "2401.00072"}},
			{Provider: "semanticscholar", Rank: 3, Title: "Weirs", URL: "https://www.semanticscholar.org/paper/73cc",
				Work: &citewell.Work{Venue: "Weir Letters"}},
		},
		Empty: jsonReply(`{"total":0,"offset":0}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/graph/v1/paper/search",
				"query": "tidal power wave energy 50 潮", "limit": "10",
				"fields": semanticScholarFields, "publicationDateOrYear": "2026-01-12:"})
			if r.Header.Get("X-Api-Key") != testKey {
				t.Error("it was asked without the key")
			}
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("query") },
		MaxChars: 300, MaxWords: 40, Special: lucene.escaped, Reserved: reservedWords,
		Quirks: []searchtest.Quirk{
			{Name: "too_many_calls", Reply: refusal(429,
				`{"message":"Too Many Requests. Please wait and try again or apply for a key for higher rate limits.","code":"429"}`), Code: citewell.CodeRateLimited},
			{Name: "a_wrong_key", Reply: refusal(403, `{"message":"Forbidden"}`), Code: citewell.CodeAuth},
			{Name: "no_such_field", Reply: refusal(400, `{"error":"Unrecognized or unsupported fields: [x]"}`),
				Code: citewell.CodeInvalidArgument},
		},
		Lookups: []searchtest.Lookup{
			lookup(citewell.SchemeDOI, "10.5555/tide.9(a)<b>", "DOI:10.5555/tide.9(a)<b>"),
			lookup(citewell.SchemeArXiv, "math.gt/0309136", "ARXIV:math/0309136"),
			lookup(citewell.SchemePMID, "39", "PMID:39"),
			lookup(citewell.SchemePMCID, "PMC3257301", "PMCID:3257301"),
		},
	}
}
