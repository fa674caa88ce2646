package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["core"] = coreWire }

func coreWire(t *testing.T) searchtest.Wire {
	const path = "/v3/search/works/"
	list := func(items string) searchtest.Reply {
		return jsonReply(`{"totalHits":1,"limit":10,"offset":0,"results":[` + items + `]}`)
	}
	other := `{"id":88,"title":"Tides II","doi":"10.5555/tide.90","links":[]}`
	one := `{"id":89,"title":"Tides","doi":"10.5555/TIDE.9\"(a)","yearPublished":1998,"links":[]}`
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "core", base)
			p.(*core).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "core/good.json"),
		Want: []citewell.Result{
			{Provider: "core", Rank: 1, Title: "Crabs of tidal weirs", URL: "https://doi.org/10.5555/tide.81",
				Snippet: "We count <10 crabs.", Published: "2024-02-09",
				Work: &citewell.Work{Authors: []string{"Crane, Ada", "Okafor, Ben"}, Year: 2024,
					Venue: "Journal of Tides", Publisher: "Sea Press", DOI: "10.5555/tide.81", PMID: "41000081",
					OpenCopy: "https://core.ac.uk/download/81.pdf", Abstract: true}},
			{Provider: "core", Rank: 2, Title: "A thesis of tides", URL: "https://core.ac.uk/works/82",
				Work: &citewell.Work{Venue: "A University", Publisher: "A University", Kind: citewell.WorkThesis}},
			{Provider: "core", Rank: 3, Title: "On tides", URL: "https://arxiv.org/pdf/2401.00083", Snippet: "We wait.",
				Work: &citewell.Work{Year: 2024, ArXiv: "2401.00083", OpenCopy: "https://arxiv.org/pdf/2401.00083",
					Abstract: true}},
		},
		Empty: list(""),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": path,
				"q": "tidal power wave energy 50 潮 AND yearPublished>=2026", "limit": "10", "exclude": "fullText"})
			if r.Header.Get("Authorization") != "Bearer "+testKey {
				t.Error("it was asked without the key")
			}
		},
		Sent: func(_ *testing.T, r *http.Request) string {
			words, _, _ := strings.Cut(r.Form.Get("q"), " AND yearPublished>=")
			return words
		},
		MaxChars: 300, MaxWords: 40, Special: lucene.escaped, Reserved: reservedWords,
		Quirks: []searchtest.Quirk{
			{Name: "filters_by_year", Reply: list(""), Notes: []string{
				"core keeps to the years of the days that were asked for"}},
			{Name: "a_wrong_key", Reply: refusal(401, `{"message":"The API Key you provided is not valid."}`),
				Code: citewell.CodeAuth},
			{Name: "too_many_calls", Reply: refusal(429, `{"message":"Too many requests"}`),
				Code: citewell.CodeRateLimited},
			{Name: "overloaded", Reply: refusal(500, `{"message":"all shards failed"}`), Code: citewell.CodeHTTPStatus},
		},
		Lookups: []searchtest.Lookup{{
			ID:           citewell.Identifier{Scheme: citewell.SchemeDOI, Value: `10.5555/tide.9"(a)`},
			CheckRequest: lookedUp(path, "q", `doi:"10.5555/tide.9\"(a)"`),
			Good:         list(other + "," + one + "," + one), Want: []citewell.Result{
				{Provider: "core", Rank: 1, Title: "Tides", URL: "https://doi.org/10.5555/tide.9%22%28a%29",
					Work: &citewell.Work{Year: 1998, DOI: `10.5555/tide.9"(a)`}}},
			Missing: []searchtest.Reply{list(""), list(other)},
		}},
	}
}
