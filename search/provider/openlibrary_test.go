package provider

import (
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

func init() { wires["openlibrary"] = openLibraryWire }

func openLibraryWire(t *testing.T) searchtest.Wire {
	list := func(docs string) searchtest.Reply { return jsonReply(`{"numFound":1,"start":0,"docs":[` + docs + `]}`) }
	return searchtest.Wire{
		New:   func(t *testing.T, base string) search.Provider { return opened(t, "openlibrary", base) },
		Query: question, Good: replyOf(t, 200, "openlibrary/good.json"),
		Want: []citewell.Result{
			{Provider: "openlibrary", Rank: 1, Title: "The tide mill: a novel",
				URL: "https://openlibrary.org/works/OL61W", Snippet: "The mill stood where the river met the sea.",
				Work: &citewell.Work{Authors: []string{"Ada Crane", "Ben Okafor"}, Year: 1911, Kind: citewell.WorkBook,
					ISBN: "9780306406157", OpenCopy: "https://archive.org/details/tidemill00cran"}},
			{Provider: "openlibrary", Rank: 2, Title: "Tides", URL: "https://openlibrary.org/works/OL62W",
				Work: &citewell.Work{Authors: []string{"Ada Crane"}, Year: 1988, Venue: "Sea Press",
					Publisher: "Sea Press", Kind: citewell.WorkBook, ISBN: "080442957X"}},
			{Provider: "openlibrary", Rank: 3, Title: "Of nobody", URL: "https://openlibrary.org/works/OL63W",
				Work: &citewell.Work{Kind: citewell.WorkBook}},
		},
		Empty: jsonReply(`{"numFound":0,"start":0,"docs":[]}`),
		CheckRequest: func(t *testing.T, r *http.Request) {
			checkParams(t, r, map[string]string{"method": "GET", "path": "/search.json",
				"q": "tidal power wave energy 50 潮", "fields": openLibraryFields, "limit": "10"})
		},
		Sent:     func(_ *testing.T, r *http.Request) string { return r.Form.Get("q") },
		MaxChars: 300, MaxWords: 40, Special: lucene.escaped, Reserved: reservedWords,
		Codes: openCodes,
		Quirks: []searchtest.Quirk{
			{Name: "filters_by_time", Reply: list(""), Notes: []string{"openlibrary does not filter by time"}},
			{Name: "a_scan_that_is_an_address",
				Reply: list(`{"key":"/works/OL64W","title":"Tides","ebook_access":"public","ia":["../../evil?x"]}`),
				Want: []citewell.Result{{Provider: "openlibrary", Rank: 1, Title: "Tides",
					URL: "https://openlibrary.org/works/OL64W", Work: &citewell.Work{Kind: citewell.WorkBook}}}},
			{Name: "a_key_that_is_an_address", Reply: list(`{"key":"@evil.example/works/OL1W","title":"Tides"}`)},
		},
		Lookups: []searchtest.Lookup{{
			ID:           citewell.Identifier{Scheme: citewell.SchemeISBN, Value: "978-0-306-40615-7"},
			CheckRequest: lookedUp("/search.json", "q", "isbn:9780306406157"),
			Good: list(
				`{"key":"/works/OL62W","title":"Tides","author_name":["Ada Crane"],"first_publish_year":1988,"isbn":["9780000000002","0306406152"]}`),
			Want: []citewell.Result{{Provider: "openlibrary", Rank: 1, Title: "Tides",
				URL: "https://openlibrary.org/works/OL62W",
				Work: &citewell.Work{Authors: []string{"Ada Crane"}, Year: 1988, Kind: citewell.WorkBook,
					ISBN: "9780306406157"}}},
			Missing: []searchtest.Reply{list("")},
		}},
	}
}
