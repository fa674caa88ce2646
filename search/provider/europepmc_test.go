package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["europepmc"] = europePMCWire }

// lookedUp is the check of a look-up's request by one parameter.
func lookedUp(path, name, want string) func(*testing.T, *http.Request) {
	return func(t *testing.T, r *http.Request) {
		if r.URL.Path != path || r.Form.Get(name) != want {
			t.Errorf("asked %s with %s %q, want %s with %q", r.URL.Path, name, r.Form.Get(name), path, want)
		}
	}
}

func europePMCWire(t *testing.T) searchtest.Wire {
	const path = "/europepmc/webservices/rest/search"
	list := func(items string) searchtest.Reply {
		return jsonReply(`{"version":"6.9","hitCount":1,"request":{"queryString":"x"},"resultList":{"result":[` +
			items + `]}}`)
	}
	one := `{"id":"30000003","source":"MED","pmid":"30000003","doi":"10.5555/tide.9","title":"Tides.","journalInfo":{"journal":{"title":"J"}},"pubYear":"1998",` +
		`"commentCorrectionList":{"commentCorrection":[{"type":"Erratum in"},{"type":"Expression of concern in"},{"type":"Retraction of"}]}}`
	doubted := []citewell.Result{{Provider: "europepmc", Rank: 1, Title: "Tides", URL: "https://doi.org/10.5555/tide.9",
		Work: &citewell.Work{Kind: citewell.WorkArticle, Venue: "J", Year: 1998, DOI: "10.5555/tide.9",
			PMID: "30000003", Retracted: citewell.WorkDoubted}}}
	other := strings.Replace(one, "tide.9", "tide.90", 1)
	lookup := func(scheme, value, query string, missing ...searchtest.Reply) searchtest.Lookup {
		return searchtest.Lookup{ID: citewell.Identifier{Scheme: scheme, Value: value},
			CheckRequest: lookedUp(path, "query", query),
			Good:         list(one), Want: doubted, Missing: append(missing, list(""))}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "europepmc", base)
			p.(*europePMC).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "europepmc/good.json"),
		Want: []citewell.Result{
			{Provider: "europepmc", Rank: 1, Title: "Crabs under tidal barrages & weirs",
				URL: "https://doi.org/10.5555/tide.21", Snippet: "Aim We count. Results Few are left.",
				Published: "2024-02-09", Work: &citewell.Work{Authors: []string{"Ada Crane", "Okafor B", "Tide Group"},
					Families: []string{"Crane", "", ""}, Year: 2024, Venue: "Journal of Tides",
					Kind: citewell.WorkArticle, DOI: "10.5555/tide.21", PMID: "41000001",
					OpenCopy: "https://europepmc.org/articles/PMC9000001?pdf=render", Licence: "cc by",
					Retracted: citewell.WorkCorrected, Abstract: true, Volume: "4", Issue: "2", Pages: "1-9"}},
			{Provider: "europepmc", Rank: 2, Title: "A preprint of tides", URL: "https://doi.org/10.5555/pre.22",
				Published: "2025-06-30",
				Work: &citewell.Work{Authors: []string{"Ada Crane"}, Families: []string{"Crane"}, Year: 2025,
					Venue: "seaRxiv", Publisher: "seaRxiv", Kind: citewell.WorkPreprint, DOI: "10.5555/pre.22"}},
			{Provider: "europepmc", Rank: 3, Title: "Waves cure gout",
				URL: "https://europepmc.org/article/MED/30000003",
				Work: &citewell.Work{Year: 1998, Venue: "Journal of Waves", Kind: citewell.WorkArticle,
					PMID: "30000003", Retracted: citewell.WorkRetracted}},
		},
		Empty: list(""),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": path, "format": "json", "resultType": "core",
				"pageSize": "10",
				"query": "TITLE_ABS:(tidal AND power AND wave AND energy AND 50 AND 潮) AND " +
					"FIRST_PDATE:[2026-01-12 TO " +
					"3000-01-01]"})
		},
		Sent: func(t *testing.T, r *http.Request) string {
			words, _, _ := strings.Cut(strings.TrimPrefix(r.Form.Get("query"), "TITLE_ABS:("), ")")
			return strings.ReplaceAll(words, " AND ", " ")
		},
		MaxChars: 300, MaxWords: 20, Special: lucene.escaped, Reserved: reservedWords,
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "an_error_with_200", Reply: jsonReply(
				`{"version":"6.9","errCode":404,"errMsg":"Invalid page size. Page size must be between 0 and 1000"}`),
				Code: citewell.CodeInvalidArgument, Says: []string{"404"}},
			{Name: "too_many_calls_with_200", Reply: jsonReply(`{"errCode":429,"errMsg":"Too many requests"}`),
				Code: citewell.CodeRateLimited},
			{Name: "down_with_200", Reply: jsonReply(`{"errCode":500,"errMsg":"Internal"}`),
				Code: citewell.CodeHTTPStatus},
			{Name: "a_notice_is_not_what_it_retracts", Reply: list(
				`{"id":"30000004","source":"MED","title":"Retraction: Tides.","pubYear":"1999","pubTypeList":{"pubType":["Retraction of Publication"]},"commentCorrectionList":{"commentCorrection":[{"type":"Retraction of"}]}}`),
				Want: []citewell.Result{{Provider: "europepmc", Rank: 1, Title: "Retraction: Tides",
					URL: "https://europepmc.org/article/MED/30000004", Work: &citewell.Work{Year: 1999}}}},
			{Name: "retracted_in_another",
				Reply: list(`{"id":"30000005","source":"MED","title":"Tides.","commentCorrectionList":{"commentCorrection":[{"type":"Retraction in"},{"type":"Erratum in"}]}}`),
				Want: []citewell.Result{{Provider: "europepmc", Rank: 1, Title: "Tides",
					URL: "https://europepmc.org/article/MED/30000005", Work: &citewell.Work{
						Retracted: citewell.WorkRetracted}}}},
		},
		Lookups: []searchtest.Lookup{
			lookup(citewell.SchemeDOI, "10.5555/tide.9", `DOI:"10.5555/tide.9"`, list(other)),
			lookup(citewell.SchemePMID, "30000003", `EXT_ID:"30000003" AND SRC:MED`),
			lookup(citewell.SchemePMCID, "PMC9000003", `PMCID:"PMC9000003"`),
		},
	}
}

// A DOI may hold what ends a phrase.
func TestEuropePMCQuotesADOI(t *testing.T) {
	if got := europePMCLookup(citewell.Identifier{Scheme: citewell.SchemeDOI, Value: `10.5555/a"b\c`}); got !=
		`DOI:"10.5555/a\"b\\c"` {
		t.Errorf("it is asked for as %s", got)
	}
}
