package provider

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
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

func (h *hosts) hearing(s *spoken) {
	for _, at := range h.byLanguage {
		at.hearing(s)
	}
}

// hostileAnswers are answers in the forms of several providers, with fields of other types than documented.
var hostileAnswers = []string{
	`{"protocolSection":{"identificationModule":{"nctId":7}},"count":1,"items":[null],"hits":[{"objectID":{}}],"results":[{"title":["<<a"]}],"studies":[{}],"query":{"pages":[{"index":1}]},"backoff":"1e9"}`,
	`{"title":"x","paperId":"1","data":{"attributes":{"titles":[{}]}},"results":[{"title":null}],"message":{"title":"x"},"docs":[null],"errCode":1}`,
	`{"web":{"results":[{"title":"<<a","description":"&#0;&#x110000;<!--","age":"-1 days ago","extra_snippets":[1]}]}}`,
	`{"results":[{"highlights":[null,1,{}],"publishedDate":20260101}]}`,
	`{"items":[{"snippet":" ... ","pagemap":{"metatags":[{"date":"99 days ago"},null]}}]}`,
	`{"organic_results":[],"error":{"a":1},"answer_box":[],"knowledge_graph":{"source":1}}`,
	`{"results":[null,{"url":1,"title":[],"published_date":"99999999999 days ago"}]}`,
	`{"results":[{"url":"http://a.example/\u0000","title":1}],"answers":[null],"infoboxes":[{}],"unresponsive_engines":[[null]]}`,
	`{"results":[{"url":"https://a.example","title":"\ud800","content":"\u202e"}]}`,
	strings.Repeat(`{"results":[`, 2000),
	`<a class=result__a href="//duckduckgo.com/l/?uddg=http://a.example/%00"><b>x`,
	strings.Repeat("<div class=result>", 600),
	`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><feed xmlns="http://www.w3.org/2005/Atom"><entry><id>&b;</id></entry></feed>`,
}

// fuzzedIDs are identifiers of the schemes that providers look up.
var fuzzedIDs = map[string]string{citewell.SchemeDOI: "10.5555/x", citewell.SchemeArXiv: "2401.00001",
	citewell.SchemePMID: "1", citewell.SchemePMCID: "PMC1", citewell.SchemeISBN: "9780306406157",
	citewell.SchemeNCT: "NCT00000009", citewell.SchemeWorldBank: "SP.POP.TOTL"}

// FuzzProviders checks that whatever a provider on a network answers, to a question or to a look-up, is read as results
// that are safe to show, or as an error. Its seeds are the files of each provider's folder in testdata.
func FuzzProviders(f *testing.F) {
	names := slices.Sorted(maps.Keys(wires))
	said := new(spoken)
	providers := make([]search.Provider, len(names))
	ids := make([][]citewell.Identifier, len(names)) // what each looks up, after nothing
	for i, name := range names {
		d := withSettings(testDeps(f), name, keyed("https://provider.example"))
		d.Contact = "ops@harbour.example"
		p, err := New(name, d)
		if err != nil {
			f.Fatal(err)
		}
		hears, ok := p.(interface{ hearing(*spoken) })
		if !ok {
			f.Fatalf("%s is built on neither a service nor hosts: give it a method hearing in this file", name)
		}
		hears.hearing(said)
		providers[i] = p
		about, _ := Describe(name)
		ids[i] = []citewell.Identifier{about.Sample}
		for _, scheme := range about.Lookups {
			if fuzzedIDs[scheme] == "" {
				f.Fatalf("%s looks up %s, of which fuzzedIDs has none", name, scheme)
			}
			ids[i] = append(ids[i], citewell.Identifier{Scheme: scheme, Value: fuzzedIDs[scheme]})
		}
		files, err := filepath.Glob(filepath.Join("testdata", name, "*"))
		if err != nil || len(files) == 0 {
			f.Fatalf("testdata/%s has no reply to begin with: %v", name, err)
		}
		for _, file := range files {
			f.Add(uint8(i), uint8(0), fixture(f, filepath.Join(name, filepath.Base(file))))
		}
		for id, body := range hostileAnswers {
			f.Add(uint8(i), uint8(id), []byte(body)) // each provider's look-ups in turn
		}
	}
	f.Fuzz(func(t *testing.T, which, id uint8, body []byte) {
		said.body = body
		i := int(which) % len(providers)
		q := citewell.Query{Text: "tides", Region: "de-de", TimeRange: citewell.PastMonth,
			Identifier: ids[i][int(id)%len(ids[i])]}
		results, err := providers[i].Search(t.Context(), q)
		checkFuzzed(t, names[i], results, err)
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

func fuzzReply(contentType string, body []byte) *reply {
	return &reply{status: http.StatusOK, header: http.Header{"Content-Type": {contentType}}, body: body}
}

func checkFuzzed(t *testing.T, name string, results []citewell.Result, err error) {
	searchtest.CheckResults(t, name, results)
	if err != nil && (len(results) > 0 || citewell.CodeOf(err) == citewell.CodeInternal) {
		t.Errorf("%d results and %v", len(results), err)
	}
}
