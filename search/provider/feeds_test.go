package provider

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/google/go-cmp/cmp"
)

func init() {
	suites["feeds"] = func(t *testing.T) {
		searchtest.RunContract(t, searchtest.Contract{
			Provider: openedFeeds(t), Query: question, Nothing: citewell.Query{Text: "cookies"}, Want: feedResults,
		})
	}
}

// feedResults are what question finds in the two feeds: an entry that is older than a month is
// not there, and none that leads nowhere or shares no word.
var feedResults = []citewell.Result{
	{Provider: "feeds", Rank: 1, Title: "Tidal power station opens", URL: "https://harbour.example/opens",
		Snippet: "The station of tidal power & light opened.", Published: "2026-02-10"},
	{Provider: "feeds", Rank: 2, Title: "Who pays for the power of the waves", URL: "https://coast.example/waves",
		Snippet: "Nobody has said.", Published: "2026-02-11"},
	{Provider: "feeds", Rank: 3, Title: "A short note on energy of the sea.", URL: "https://coast.example/note",
		Snippet: "A short note on energy of the sea."},
}

// pagesKept are pages by address, and what was asked for.
type pagesKept struct {
	bodies map[string][]byte
	mu     sync.Mutex
	asked  []fetch.Request
}

func (p *pagesKept) Get(ctx context.Context, r fetch.Request) (citewell.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r)
	body, ok := p.bodies[r.URL]
	switch {
	case ctx.Err() != nil:
		return citewell.Page{}, ctx.Err()
	case !ok:
		return citewell.Page{}, &citewell.Error{Code: citewell.CodeHTTPStatus, Op: "fetch.get",
			Message: "the server answered 404 Not Found"}
	}
	return citewell.Page{URL: r.URL, Body: body}, nil
}

func feedsKept(t *testing.T) *pagesKept {
	return &pagesKept{bodies: map[string][]byte{"https://harbour.example/feed": fixture(t, "feeds/harbour.xml"),
		"https://coast.example/atom?key=s3cret": fixture(t, "feeds/coast.xml")}}
}

func feedsOver(t *testing.T, pages PageGetter, urls ...string) *feeds {
	t.Helper()
	d := withSettings(testDeps(t), "feeds", Settings{URLs: urls})
	d.Pages = pages
	p, err := New("feeds", d)
	if err != nil {
		t.Fatal(err)
	}
	p.(*feeds).now = now
	return p.(*feeds)
}

func openedFeeds(t *testing.T) *feeds {
	return feedsOver(t, feedsKept(t), "https://harbour.example/feed", "https://coast.example/atom?key=s3cret",
		"https://harbour.example/feed")
}

// Each feed is asked for once, and the fetcher is told for how long that is enough.
func TestFeedsAreFetchedPolitely(t *testing.T) {
	pages := feedsKept(t)
	p := feedsOver(t, pages, slices.Sorted(maps.Keys(pages.bodies))...)
	if _, err := p.Search(t.Context(), question); err != nil {
		t.Fatal(err)
	}
	if len(pages.asked) != 2 || pages.asked[0].Keep != 15*time.Minute || !pages.asked[0].IgnoreRobots {
		t.Errorf("asked for %+v", pages.asked)
	}

	var mu sync.Mutex
	asked := make(map[string]int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		w.Header().Set("Cache-Control", "no-store")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
			return
		}
		_, _ = w.Write(fixture(t, "feeds/harbour.xml"))
	}))
	defer server.Close()
	client := feedFetcher(t, &kept{})
	p = feedsOver(t, client, server.URL+"/feed", server.URL+"/gone")
	for range 3 {
		if detail := detailOf(t, p, question); detail != "1 of 2 feeds could not be read: 127.0.0.1 (the server "+
			"answered 410 Gone)" {
			t.Errorf("it says %q", detail)
		}
	}
	if diff := cmp.Diff(map[string]int{"/feed": 1, "/gone": 1}, asked); diff != "" {
		t.Error("three searches: want - got +\n" + diff)
	}
}

// kept is a fetch.Cache.
type kept struct{ sync.Map }

func (k *kept) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	value, ok := k.Load(key)
	if !ok {
		return nil, time.Time{}, false, nil
	}
	return value.([]byte), time.Now(), true, nil
}

func (k *kept) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	k.Store(key, value)
	return nil
}

func feedFetcher(t *testing.T, cache fetch.Cache) *fetch.Client {
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: guard, Cache: cache, Spacing: -1})
	t.Cleanup(client.Close)
	return client
}

// Whatever is wrong with a feed's server, a feed that cannot be read is never an empty one.
func TestFeedsThatCannotBeRead(t *testing.T) {
	good := searchtest.Reply{Header: map[string]string{"Content-Type": "application/rss+xml"},
		Body: fixture(t, "feeds/harbour.xml")}
	for _, fault := range (searchtest.Wire{Good: good}).Faults() {
		t.Run(fault.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			results, err := feedsOver(t, feedFetcher(t, nil), serving(t, fault.Handler)).Search(ctx, question)
			if err == nil && len(results) == 0 {
				t.Error("it looks as if there were nothing to find")
			}
			if outcome := outcomes.OfProvider(err); err != nil && outcome.Answered() {
				t.Errorf("%v counts as %s", err, outcome)
			}
			searchtest.CheckResults(t, "feeds", results)
		})
	}
	for name, test := range map[string]struct {
		urls []string
		code citewell.Code
		says string
		note string
	}{
		"one of two": {[]string{"https://harbour.example/feed", "https://other.example/?key=s3cret"}, "", "",
			"1 of 2 feeds could not be read: other.example (the server answered 404 Not Found)"},
		"all": {[]string{"https://other.example/?key=s3cret", "https://e.example/"}, citewell.CodeHTTPStatus,
			"2 of 2 feeds could not be read: other.example (", ""},
		"many": {[]string{"https://a.example/", "https://b.example/", "https://c.example/", "https://d.example/"},
			citewell.CodeHTTPStatus, "c.example (the server answered 404 Not Found)", ""},
		"no feed": {[]string{"https://page.example/"}, citewell.CodeBadResponse,
			"1 of 1 feed could not be read: page.example (the page is no RSS or Atom feed)", ""},
	} {
		pages := feedsKept(t)
		pages.bodies["https://page.example/"] = []byte("<html>Sign in</html>")
		p := feedsOver(t, pages, test.urls...)
		a := <-search.Ask(t.Context(), question, []search.Provider{p}, 10*time.Second)
		if citewell.CodeOf(a.Err) != test.code || !strings.Contains(a.Detail, test.says) ||
			!strings.Contains(a.Detail, test.note) || strings.Contains(a.Detail, "s3cret") ||
			strings.Contains(a.Detail, "d.example") {
			t.Errorf("%s: %v, %q", name, a.Err, a.Detail)
		}
	}
}

func TestFeedsOfSettings(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.opml",
		`<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body><outline text="News"><outline type="rss" text="A &amp; B" xmlUrl="https://a.example/feed?x=1&amp;y=2" htmlUrl="https://a.example/"/>
		<outline text="local" xmlUrl="file:///etc/passwd"/></outline><outline text="b" xmlURL=" https://b.example/ "/><outline xmlUrl="https://a.example/feed?x=1&amp;y=2"/></body></opml>`)
	many := make([]string, maxFeeds+1)
	for i := range many {
		many[i] = "https://a.example/" + strings.Repeat("x", i)
	}
	for name, test := range map[string]struct {
		settings Settings
		want     []string
		code     citewell.Code
		says     string
	}{
		"none": {Settings{}, nil, citewell.CodeProviderNotConfigured, "set search.providers.feeds.urls"},
		"urls": {Settings{URLs: []string{"https://c.example/", "https://c.example/"}},
			[]string{"https://c.example/"}, "", ""},
		"opml": {Settings{OPML: good}, []string{"https://a.example/feed?x=1&y=2", "https://b.example/"}, "",
			""},
		"both": {Settings{URLs: []string{"https://b.example/"}, OPML: good},
			[]string{"https://b.example/", "https://a.example/feed?x=1&y=2"}, "", ""},
		"no URL": {Settings{URLs: []string{"https://c.example/", "c.example/?key=s3cret"}}, nil,
			citewell.CodeInvalidConfig, "the feed number 2"},
		"no file": {Settings{OPML: filepath.Join(dir, "none")}, nil, citewell.CodeInvalidConfig,
			"opml cannot be read"},
		"cut": {Settings{OPML: write("cut.opml", `<opml><body><outline xmlUrl="https://a`)}, nil,
			citewell.CodeInvalidConfig, "opml cannot be read"},
		"lists none": {Settings{OPML: write("none.opml", `<opml><body><outline text="x"/></body></opml>`)}, nil,
			citewell.CodeInvalidConfig, "lists no feed"},
		"too many": {Settings{URLs: many}, nil, citewell.CodeInvalidConfig, "at most 200 are read"},
		"switched off": {Settings{URLs: []string{"https://c.example/"}, Disabled: true}, nil,
			citewell.CodeProviderNotConfigured, "switched off"},
	} {
		d := withSettings(testDeps(t), "feeds", test.settings)
		d.Pages = feedsKept(t)
		p, err := New("feeds", d)
		view := citewell.View(err)
		if citewell.CodeOf(err) != test.code || !strings.Contains(view.Message+view.Hint, test.says) ||
			strings.Contains(view.Message+view.Hint, "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && !slices.Equal(p.(*feeds).urls, test.want) {
			t.Errorf("%s: %q", name, p.(*feeds).urls)
		}
	}
	if _, err := New("feeds", withSettings(testDeps(t), "feeds", Settings{OPML: good})); citewell.CodeOf(
		err) != citewell.CodeProviderNotConfigured {
		t.Errorf("without anything to fetch with: %v", err)
	}
}

// A feed that does not answer costs the others nothing.
func TestFeedsAreNotWaitedFor(t *testing.T) {
	hanging := serving(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	server := serving(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(fixture(t, "feeds/harbour.xml"))
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	results, err := feedsOver(t, feedFetcher(t, nil), hanging, strings.Replace(server, "127.0.0.1", "127.0.0.2", 1),
		server).Search(ctx, question)
	if err != nil || len(results) != 1 {
		t.Errorf("%+v, %v", results, err)
	}
}
