package brief

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store/sqlite"
)

// realParts are a fetcher, an extractor and a store like those of the program, and
// a small web on loopback whose sites are told apart by their names.
func realParts(t *testing.T, pages map[string]http.HandlerFunc) (o Options, at func(
	string) string, archive cite.Archive) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		page := pages[host+r.URL.Path]
		if page == nil {
			http.NotFound(w, r)
			return
		}
		page(w, r)
	}))
	address, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8", "::1/128")})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cache, err := sqlite.OpenCache(t.Context(), t.TempDir()+"/cache.db", sqlite.CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: guard, Spacing: -1})
	t.Cleanup(func() { client.Close(); server.Close(); db.Close(); cache.Close() })
	store := db.Tenant("t")
	o = Options{Fetcher: client, Extract: extract.New(extract.Options{}).Extract, Archive: store, Cache: cache}
	return o, func(page string) string {
		host, path, _ := strings.Cut(page, "/")
		return "http://" + host + ":" + address.Port() + "/" + path
	}, stored{store}
}

// stored gives cite.Verify what the store keeps.
type stored struct{ *sqlite.Store }

func (s stored) Passage(ctx context.Context, id string) (cite.Record, error) {
	r, err := s.Store.Passage(ctx, id)
	return cite.Record(r), err
}

func html(title string, paragraphs ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>%s</title></head><body><main><article><h1>%s</h1>",
			title, title)
		for _, p := range paragraphs {
			fmt.Fprintf(w, "<p>%s</p>\n", p)
		}
		fmt.Fprint(w, "</article></main></body></html>")
	}
}

const filler = "The valley around it is known for its orchards, its slow river and the long stone walls that the " +
	"farmers have kept in order for generations, and walkers come here from far away in every season of the year."

func TestWithRealParts(t *testing.T) {
	pages := map[string]http.HandlerFunc{
		"tower.localhost/": html("The Marl Tower", "The Marl Tower is 84 metres tall and stands above the "+
			"village of Marl.", filler, "It was built in 1907 by the engineer Ada Brand."),
		"guide.localhost/marl": html("An unofficial guide to Marl",
			"This is an unofficial guide and is not affiliated with the Marl Tower.",
			"The Marl Tower is 91 metres tall, as far as we could measure it from the road.", filler),
		"copy.localhost/": html("The Marl Tower", "The Marl Tower is 84 metres tall and stands above the "+
			"village of Marl.", filler, "It was built in 1907 by the engineer Ada Brand."),
		"closed.localhost/robots.txt": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "User-agent: *\nDisallow: /\n")
		},
		"moved.localhost/": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.localhost/", http.StatusFound)
		},
		"empty.localhost/": func(http.ResponseWriter, *http.Request) {},
		"image.localhost/": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "\x89PNG\r\n\x1a\n0000") },
		"short.localhost/": html("Tiny", "The Marl Tower is tall."),
		"inward.localhost/": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		},
		"tower.localhost/deep/down": html("Deep", "The Marl Tower has a deep cellar below the village of Marl, says "+
			"the keeper.", filler),
		"closed.localhost/marl": html("Closed", "The Marl Tower is 84 metres tall."),
		"elsewhere.localhost/":  html("Elsewhere", "The Marl Tower is 84 metres tall."),
	}
	o, at, archive := realParts(t, pages)
	p := finds("p", 0)
	var urls []string
	for _, page := range []string{"tower.localhost/", "guide.localhost/marl", "copy.localhost/",
		"closed.localhost/marl", "moved.localhost/",
		"empty.localhost/", "image.localhost/", "short.localhost/", "inward.localhost/", "gone.localhost/"} {
		urls = append(urls, at(page))
	}
	*p = *finds("p", 0, urls...)
	o.Providers = []search.Provider{p}
	w := New(o)
	r := Request{Query: citewell.Query{Text: "How tall is the Marl Tower, and when was it built?"}, Depth: 10}
	b, err := w.Write(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]citewell.FetchOutcome{
		"tower.localhost": citewell.FetchOK, "guide.localhost": citewell.FetchOK, "copy.localhost": citewell.FetchOK,
		"closed.localhost": citewell.FetchBlockedRobots, "moved.localhost": citewell.FetchCrossDomainRedirect,
		"empty.localhost": citewell.FetchEmptyBody,
		"image.localhost": citewell.FetchUnsupportedType, "short.localhost": citewell.FetchLowYield,
		"inward.localhost": citewell.FetchCrossDomainRedirect, "gone.localhost": citewell.FetchHTTPStatus,
	}
	for host, outcome := range fetched(b) {
		if outcome != want[host] {
			t.Errorf("%s: %s, want %s", host, outcome, want[host])
		}
	}
	if !strings.Contains(said(b), "84 metres") || !strings.Contains(said(b), "1907") {
		t.Errorf("findings %s", said(b))
	}
	guide := slices.IndexFunc(b.Sources, func(s citewell.Source) bool { return s.Host == "guide.localhost" })
	if !strings.Contains(b.Sources[guide].Warning, "not official") {
		t.Errorf("warning %q", b.Sources[guide].Warning)
	}
	if len(b.Disagreements) != 1 || !strings.Contains(b.Disagreements[0].Text, "91") {
		t.Errorf("disagreements %+v", b.Disagreements)
	}
	for _, f := range b.Findings {
		cited := map[string]bool{}
		for _, c := range f.Citations {
			cited[b.Sources[c.N-1].Host] = true
		}
		if cited["tower.localhost"] && cited["copy.localhost"] {
			t.Errorf("%q counts a copy as a second voice", f.Text)
		}
	}
	for name, basis := range map[cite.Basis]cite.Archive{cite.BasisSnapshot: archive, cite.BasisFile: nil} {
		v, err := cite.Verify(t.Context(), b, basis)
		if err != nil || !v.OK || len(v.Citations) == 0 || v.Citations[0].Basis != name {
			t.Errorf("against %s: %v %+v", name, err, v)
		}
	}
	again, err := w.Write(t.Context(), r)
	if err != nil || !again.Coverage.Cache || again.ID != b.ID || len(again.Findings) != len(b.Findings) {
		t.Errorf("the second asking: %v, cache %v", err, again.Coverage.Cache)
	}
}

// A page that could once be read is not hidden by the snippet of a later search in
// which it could not.
func TestASnippetDoesNotHideASnapshot(t *testing.T) {
	up := true
	page := html("The Marl Tower", "The Marl Tower is 84 metres tall and stands above the village of Marl.", filler)
	o, at, _ := realParts(t, map[string]http.HandlerFunc{"tower.localhost/": func(w http.ResponseWriter,
		r *http.Request) {
		if !up {
			w.WriteHeader(503)
			return
		}
		page(w, r)
	}})
	o.Providers = []search.Provider{finds("p", 0, at("tower.localhost/"))}
	r := Request{Query: citewell.Query{Text: "How tall is the Marl Tower?"}, Fresh: true}
	for range 2 {
		if _, err := New(o).Write(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		up = false
	}
	got, _, err := o.Archive.Snapshot(t.Context(), at("tower.localhost/"))
	if err != nil || got.Status != 200 || !strings.Contains(string(got.Body), "84 metres") {
		t.Errorf("%v: status %d", err, got.Status)
	}
}
