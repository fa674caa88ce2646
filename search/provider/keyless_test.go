package provider

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
)

// A spoken answers each request with its own bytes.
type spoken struct{ body []byte }

func (s *spoken) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(s.body)),
		Request: r}, nil
}

func (w *wire) hearing(s *spoken) { w.client = &http.Client{Transport: s} }

// Whatever a provider without a key answers, what is read of it is safe to show, or an error.
func FuzzKeyless(f *testing.F) {
	names := []string{"clinicaltrials", "federalregister", "github", "govuk", "hackernews", "marginalia", "mwmbl",
		"sec", "stackexchange", "wikidata", "worldbank"}
	trial := citewell.Identifier{Scheme: citewell.SchemeNCT, Value: "NCT00000009"}
	said := new(spoken)
	providers := make([]search.Provider, len(names))
	for i, name := range names {
		d := withSettings(testDeps(f), name, keyed("https://keyless.example"))
		d.Contact = "ops@harbour.example"
		p, err := New(name, d)
		if err != nil {
			f.Fatal(err)
		}
		p.(interface{ hearing(*spoken) }).hearing(said)
		providers[i] = p
		f.Add(uint8(i), false, fixture(f, name+"/good.json"))
		f.Add(uint8(i), i == 0, []byte(
			`{"protocolSection":{"identificationModule":{"nctId":7}},"count":1,"items":[null],"hits":[{"objectID":{}}],"results":[{"title":["<<a"]}],"studies":[{}],"query":{"pages":[{"index":1}]},"backoff":"1e9"}`))
	}
	f.Fuzz(func(t *testing.T, which uint8, lookUp bool, body []byte) {
		said.body = body
		p, q := providers[int(which)%len(providers)], citewell.Query{Text: "tides", TimeRange: citewell.PastMonth}
		switch d, _ := Describe(p.Name()); {
		case d.Sample != citewell.Identifier{}:
			q.Identifier = d.Sample
		case lookUp:
			q.Identifier = trial
		}
		results, err := p.Search(t.Context(), q)
		if err != nil && len(results) > 0 {
			t.Errorf("%d results with %v", len(results), err)
		}
		searchtest.CheckResults(t, p.Name(), results)
	})
}

// A file that lists feeds lists addresses that can be fetched, or none.
func FuzzOPML(f *testing.F) {
	f.Add([]byte(`<?xml version="1.0"?><opml><body><outline text="a"><outline xmlUrl="https://a.example/feed?x=1&amp;y=2"/></outline></body></opml>`))
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "c">]><OUTLINE XMLURL=" https://a.example/&b; "`))
	f.Fuzz(func(t *testing.T, file []byte) {
		urls, err := opmlFeeds(bytes.NewReader(file))
		if err != nil && len(urls) > 0 {
			t.Errorf("%d addresses with %v", len(urls), err)
		}
		for _, at := range urls {
			if _, err := weburl.Parse(at); err != nil {
				t.Errorf("%q: %v", at, err)
			}
		}
	})
}
