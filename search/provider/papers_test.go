package provider

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

// An answering answers without a network.
type answering func(*http.Request) (*http.Response, error)

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func (w *wire) itself() *wire { return w }

// Whatever a register of papers or books answers, to a question or to a look-up, what is read
// of it is safe to show, or an error.
func FuzzPapers(f *testing.F) {
	names := []string{"arxiv", "core", "crossref", "datacite", "europepmc", "openalex", "openlibrary",
		"semanticscholar"}
	ids := []citewell.Identifier{{}, {Scheme: citewell.SchemeDOI, Value: "10.5555/x"},
		{Scheme: citewell.SchemeArXiv, Value: "2401.00001"},
		{Scheme: citewell.SchemePMID, Value: "1"}, {Scheme: citewell.SchemeISBN, Value: "9780306406157"}}
	var body []byte
	answer := answering(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
	})
	providers := make([]search.Provider, len(names))
	for i, name := range names {
		providers[i] = opened(f, name, "https://papers.example")
		providers[i].(interface{ itself() *wire }).itself().client = &http.Client{Transport: answer}
		file := name + "/good.json"
		if name == "arxiv" {
			file = name + "/good.xml"
		}
		f.Add(uint8(i), uint8(0), fixture(f, file))
		f.Add(uint8(i), uint8(1), []byte(
			`{"title":"x","paperId":"1","data":{"attributes":{"titles":[{}]}},"results":[{"title":null}],"message":{"title":"x"},"docs":[null],"errCode":1}`))
	}
	f.Fuzz(func(t *testing.T, which, id uint8, said []byte) {
		body = said
		p := providers[int(which)%len(providers)]
		results, err := p.Search(t.Context(), citewell.Query{Text: "tides", Identifier: ids[int(id)%len(ids)]})
		if err != nil && len(results) > 0 {
			t.Errorf("%d results with %v", len(results), err)
		}
		searchtest.CheckResults(t, p.Name(), results)
	})
}
