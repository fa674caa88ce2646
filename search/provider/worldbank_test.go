package provider

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["worldbank"] = worldBankWire }

func worldBankWire(t *testing.T) searchtest.Wire {
	asked := question
	asked.Identifier = citewell.Identifier{Scheme: citewell.SchemeWorldBank, Value: "SP.POP.TOTL/DEU;WLD"}
	unknown := jsonReply(
		`[{"message":[{"id":"120","key":"Invalid value","value":"The provided parameter value is not valid"}]}]`)
	want := []citewell.Result{
		{Provider: "worldbank", Rank: 1, Title: "Population, total: Germany",
			URL:     "https://api.worldbank.org/v2/country/DEU/indicator/SP.POP.TOTL?format=json&per_page=1000",
			Snippet: "2022: 83797985; 2021: 83196078"},
		{Provider: "worldbank", Rank: 2, Title: "Population, total: World",
			URL:     "https://api.worldbank.org/v2/country/WLD/indicator/SP.POP.TOTL?format=json&per_page=1000",
			Snippet: "2022: 8e9"},
	}
	check := func(t *testing.T, r *http.Request) {
		checkParams(t, r, map[string]string{"method": "GET", "path": "/v2/country/DEU;WLD/indicator/SP.POP.TOTL",
			"format": "json", "per_page": "1000"})
	}
	missing := []searchtest.Reply{
		jsonReply(`[{"message":[{"id":"175","key":"Invalid format","value":"The indicator was not found. It may have been deleted or archived."}]}]`),
		jsonReply(`[{"page":0,"pages":0,"per_page":0,"total":0,"sourceid":null,"lastupdated":null},null]`),
	}
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "worldbank", base) },
		Query: asked, CheckRequest: check, Good: replyOf(t, 200, "worldbank/good.json"), Want: want, Empty: missing[1],
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "more_than_a_page", Reply: jsonReply(
				`[{"pages":2},[{"indicator":{"value":"Trade"},"country":{"value":"World"},"countryiso3code":"WLD","date":"2022","value":1}]]`),
				Want: []citewell.Result{{Provider: "worldbank", Rank: 1, Title: "Trade: World",
					URL:     "https://api.worldbank.org/v2/country/WLD/indicator/SP.POP.TOTL?format=json&per_page=1000",
					Snippet: "2022: 1"}},
				Notes: []string{"first 1000"}},
			{Name: "it_knows_not_all_countries", Reply: unknown, Code: citewell.CodeInvalidArgument,
				Says: []string{"DEU;WLD", "one country"}},
			{Name: "a_refusal_of_its_own",
				Reply: jsonReply(`[{"message":[{"id":"199","key":"Busy","value":"Try <b>later</b>"}]}]`),
				Code:  citewell.CodeBadResponse, Says: []string{"Try"}},
			{Name: "one_object", Reply: jsonReply(`{"a":1}`), Code: citewell.CodeBadResponse},
			{Name: "another_list", Reply: jsonReply(`[{"a":1},[]]`), Code: citewell.CodeBadResponse,
				Says: []string{"base_url"}},
			{Name: "no_part", Reply: jsonReply(`[]`), Code: citewell.CodeBadResponse},
			{Name: "rows_of_no_country", Reply: jsonReply(
				`[{"pages":1},[{"countryiso3code":"a/b","date":"2022","value":1}]]`), Code: citewell.CodeBadResponse},
		},
		Lookups: []searchtest.Lookup{{ID: asked.Identifier, CheckRequest: check,
			Good: replyOf(t, 200, "worldbank/good.json"), Want: want, Missing: missing}},
	}
}

// Of one country that is not known, or a series, there is nothing.
func TestWorldBankKnowsNoSuchSeries(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `[{"message":[{"id":"120","key":"Invalid value","value":"The provided parameter value is not valid"}]}]`)
	}))
	defer server.Close()
	results, err := opened(t, "worldbank", server.URL).Search(t.Context(),
		citewell.Query{Text: "XX.NO.SUCH", Identifier: citewell.Identifier{
			Scheme: citewell.SchemeWorldBank, Value: "XX.NO.SUCH"}})
	if err != nil || len(results) > 0 {
		t.Errorf("%+v, %v", results, err)
	}
}

// Words find no series, and that is said, not "nothing".
func TestWorldBankSearchesNoWords(t *testing.T) {
	_, err := opened(t, "worldbank", "https://worldbank.example").Search(t.Context(),
		citewell.Query{Text: "population of Germany"})
	if citewell.CodeOf(err) != citewell.CodeInvalidArgument || citewell.View(err).Hint == "" {
		t.Errorf("%v", err)
	}
}
