package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["datacite"] = dataCiteWire }

func dataCiteWire(t *testing.T) searchtest.Wire {
	notFound := refusal(404, `{"errors":[{"status":"404","title":"The resource you are looking for doesn't exist."}]}`)
	preprint := `{"data":{"id":"10.48550/arxiv.math/0309136","type":"dois","attributes":{"doi":"10.48550/arxiv.math/0309136","titles":[{"title":"Tides"}],"creators":[{"name":"Crane, A."}],"publisher":"arXiv",` +
		`"publicationYear":2003,"types":{"resourceTypeGeneral":"Text"},"url":"https://arxiv.org/abs/math/0309136"}}}`
	found := []citewell.Result{{Provider: "datacite", Rank: 1, Title: "Tides",
		URL: "https://arxiv.org/abs/math/0309136",
		Work: &citewell.Work{Authors: []string{"Crane, A."}, Year: 2003, Venue: "arXiv", Publisher: "arXiv",
			Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv.math/0309136", ArXiv: "math/0309136",
			OpenCopy: "https://arxiv.org/pdf/math/0309136"}}}
	lookup := func(scheme, value, path string) searchtest.Lookup {
		return searchtest.Lookup{ID: citewell.Identifier{Scheme: scheme, Value: value}, Good: jsonReply(preprint),
			Want: found, Missing: []searchtest.Reply{notFound}, CheckRequest: lookedUp(path, "query", "")}
	}
	return searchtest.Wire{
		New: func(t *testing.T, base string) search.Provider {
			p := opened(t, "datacite", base)
			p.(*dataCite).now = now
			return p
		},
		Query: question, Good: replyOf(t, 200, "datacite/good.json"),
		Want: []citewell.Result{
			{Provider: "datacite", Rank: 1, Title: "Crabs counted under tidal weirs", URL: "https://seadata.example/51",
				Snippet: "We count. Few are left.", Published: "2024-02-09",
				Work: &citewell.Work{Authors: []string{"Ada Crane", "Tide Institute"}, Families: []string{"Crane", ""},
					Year: 2024, Venue: "Sea Data", Publisher: "Sea Data", Kind: citewell.WorkDataset,
					DOI: "10.5555/data.51", Licence: "cc0-1.0", Version: "1.2", Abstract: true}},
			{Provider: "datacite", Rank: 2, Title: "On tides", URL: "https://arxiv.org/abs/2401.00052",
				Snippet: "We wait.", Published: "2024-01-02",
				Work: &citewell.Work{Authors: []string{"Ada Crane"}, Families: []string{"Crane"}, Year: 2024,
					Venue: "arXiv", DOI: "10.5555/tide.52", ArXiv: "2401.00052",
					OpenCopy: "https://arxiv.org/pdf/2401.00052", Abstract: true,
					Versions: []citewell.WorkVersion{{Kind: citewell.WorkPreprint, DOI: "10.48550/arxiv.2401.00052",
						ArXiv: "2401.00052", URL: "https://arxiv.org/abs/2401.00052"}}}},
			{Provider: "datacite", Rank: 3, Title: "A thesis of tides", URL: "https://doi.org/10.5555/thesis.53",
				Work: &citewell.Work{Venue: "Theses of the Sea", Volume: "7", Issue: "1", Pages: "3-9",
					Publisher: "A University", Kind: citewell.WorkThesis, DOI: "10.5555/thesis.53",
					Licence: "All rights reserved", Versions: []citewell.WorkVersion{{DOI: "10.5555/tide.53",
						URL: "https://doi.org/10.5555/tide.53"}}}},
		},
		Empty: jsonReply(`{"data":[],"meta":{"total":0}}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/dois",
				"query":      "tidal power wave energy 50 潮 AND publicationYear:[2026 TO *]",
				"page[size]": "10", "page[number]": "1", "sort": "relevance", "disable-facets": "true",
				"fields[dois]": dataCiteFields})
		},
		Sent: func(_ *testing.T, r *http.Request) string {
			words, _, _ := strings.Cut(r.Form.Get("query"), " AND publicationYear:")
			return words
		},
		MaxChars: 500, MaxWords: 40, Special: lucene.escaped + lucene.blank, Reserved: reservedWords,
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "filters_by_year", Reply: jsonReply(`{"data":[]}`),
				Notes: []string{"datacite keeps to the years of the days that were asked for"}},
			{Name: "errors_of_json_api", Reply: refusal(400,
				`{"errors":[{"status":"400","title":"Your query could not be parsed"}]}`),
				Code: citewell.CodeInvalidArgument},
			{Name: "errors_with_200", Reply: jsonReply(`{"errors":[{"status":"500","title":"Something went wrong"}]}`),
				Code: citewell.CodeBadResponse},
		},
		Lookups: []searchtest.Lookup{
			lookup(citewell.SchemeDOI, "10.5555/data.51(a)<b>", "/dois/10.5555/data.51(a)<b>"),
			lookup(citewell.SchemeArXiv, "math.gt/0309136", "/dois/10.48550/arxiv.math/0309136"),
		},
	}
}

// The e-mail of whoever runs this is a parameter, too.
func TestDataCiteIsToldWhoAsks(t *testing.T) {
	d := testDeps(t)
	d.Contact = "ops@example.org"
	if got := requestOf(t, d, "datacite").URL.Query().Get("mailto"); got != "ops@example.org" {
		t.Errorf("mailto is %q", got)
	}
}
