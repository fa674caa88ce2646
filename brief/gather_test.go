package brief

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// Coverage has every provider in the configured order, whatever the order in which
// they answered, and how each of them ended.
func TestFanOutReportsEveryProviderInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := finds("deaf", 0, "http://deaf.example/")
		deaf.search = func(context.Context, citewell.Query) ([]citewell.Result, error) {
			time.Sleep(time.Hour) // heeds nothing
			return nil, nil
		}
		broken := finds("broken", 0)
		broken.search = func(context.Context, citewell.Query) ([]citewell.Result, error) { panic("bad answer") }
		w, _, _ := writer(Options{},
			finds("slow", 3*time.Second, "http://a.example/", "http://b.example/"),
			failsWith("blocked", time.Second, citewell.CodeBlockedByProvider),
			deaf,
			finds("empty", 0),
			failsWith("limited", 0, citewell.CodeRateLimited),
			broken,
			finds("fast", 10*time.Millisecond, "https://a.example/"),
		)
		b := write(t, w, 3)
		want := "slow ok 2 3000,blocked blocked 0 1000,deaf timeout 0 5050,empty empty 0 0,limited rate_limited 0 " +
			"0,broken failed 0 0,fast ok 1 10"
		var got []string
		for _, p := range b.Coverage.Providers {
			got = append(got, fmt.Sprintf("%s %s %d %d", p.Name, p.Outcome, p.Results, p.ElapsedMS))
			if (p.Detail == "") != p.Outcome.Answered() {
				t.Errorf("%s: detail %q", p.Name, p.Detail)
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
		}
		if b.Coverage.RawResults != 3 || b.Coverage.DistinctResults != 2 || len(b.Findings) == 0 ||
			b.Coverage.DeadlineHit {
			t.Errorf("%+v, %d findings", b.Coverage, len(b.Findings))
		}
		time.Sleep(2 * time.Hour) // let the deaf provider end
	})
}

func TestAProviderNamedTwiceIsAskedOnce(t *testing.T) {
	w, _, _ := writer(Options{}, finds("one", 0, "http://a.example/"), finds("two", 0),
		finds("one", 0, "http://b.example/"))
	b := write(t, w, 3)
	if len(b.Coverage.Providers) != 2 || hostsOf(b) != "a.example" {
		t.Errorf("%+v from %s", b.Coverage.Providers, hostsOf(b))
	}
}

func TestNoProviderAnswers(t *testing.T) {
	w, web, archive := writer(Options{Cache: newMemory()},
		failsWith("one", 0, citewell.CodeTimeout), failsWith("two", 0, citewell.CodeBlockedByProvider))
	b, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: cranes}})
	wantCode(t, err, citewell.CodeAllProvidersFailed)
	if view := citewell.View(err); !strings.Contains(view.Message, "one timeout, two blocked") {
		t.Errorf("message %q", view.Message)
	}
	if b.Schema != citewell.BriefSchema || len(b.Coverage.Providers) != 2 || b.Findings == nil || b.Sources == nil ||
		b.Coverage.Fetches == nil ||
		!slices.Equal(b.Gaps, []string{"No provider answered, so nothing was looked up."}) {
		t.Errorf("brief %+v", b)
	}
	if web.count() != 0 || archive.briefs[b.ID].ID == "" || len(w.o.Cache.(*memory).cache) != 0 {
		t.Error("it must fetch nothing, keep the brief, and not remember it")
	}
	w, _, _ = writer(Options{})
	_, err = w.Write(t.Context(), Request{Query: citewell.Query{Text: cranes}})
	wantCode(t, err, citewell.CodeProviderNotConfigured)
	w, _, _ = writer(Options{}, finds("empty", 0))
	if b := write(t, w, 3); len(b.Findings) != 0 || b.Outcome != citewell.BriefUnanswered ||
		b.Coverage.Synthesis.Outcome != "skipped" {
		t.Errorf("an empty answer is an answer: %+v", b)
	}
}

// Leaders are read while a slower provider still answers.
func TestReadingOverlapsTheFanOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		urls := []string{"http://a.example/", "http://b.example/", "http://c.example/"}
		web := &fakeWeb{pages: map[string]fakePage{}}
		for _, u := range urls {
			web.pages[u] = fakePage{after: 2 * time.Second}
		}
		w, _, _ := writer(Options{Fetcher: web}, finds("fast", 100*time.Millisecond, urls...),
			finds("slow", 3*time.Second, urls...))
		began := time.Now()
		b := write(t, w, 3)
		if wall := time.Since(began); wall != 3*time.Second || b.Coverage.WallMS != 3000 {
			t.Errorf("took %v, want the slow provider's 3 s: the pages were read by then", wall)
		}
		if web.count() != 3 || len(b.Sources) != 3 {
			t.Errorf("%d reads for %d sources", web.count(), len(b.Sources))
		}
	})
}

// What turned out better takes the place of a leader that was read too early; the
// reads never exceed depth + 2, and those not needed end as canceled.
func TestWrongSpeculationIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &fakeWeb{pages: map[string]fakePage{
			"http://a.example/": {after: 4 * time.Second}, "http://b.example/": {after: 5 * time.Second},
			"http://c.example/":      {after: 5 * time.Second},
			"http://docs.x.example/": {after: time.Second}, "http://docs.y.example/": {after: 2 * time.Second},
			"http://docs.z.example/": {after: time.Second},
		}}
		better := finds("better", time.Second, "http://docs.x.example/", "http://docs.y.example/",
			"http://docs.z.example/")
		inner := better.search
		better.search = func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
			results, err := inner(ctx, q)
			results = append(results, citewell.Result{Provider: "better", Title: "Cranes", URL: "http://a.example",
				Rank: 4, Published: "2024-05-06",
				Snippet: "A longer snippet of how many amber cranes breed in the marshes, which comes later than the " +
					"page was asked for."})
			return results, err
		}
		w, _, _ := writer(Options{Fetcher: web}, finds("fast", 100*time.Millisecond, "http://a.example/",
			"http://b.example/", "http://c.example/"), better)
		began := time.Now()
		b := write(t, w, 3)
		critical := time.Second + 4*time.Second
		if wall := time.Since(began); float64(wall) > 1.05*float64(critical) {
			t.Errorf("took %v, the critical path is %v", wall, critical)
		}
		want := map[string]citewell.FetchOutcome{"docs.x.example": citewell.FetchOK, "docs.y.example": citewell.FetchOK,
			"a.example": citewell.FetchOK, "b.example": citewell.FetchCanceled, "c.example": citewell.FetchCanceled}
		if got := fetched(b); fmt.Sprint(got) != fmt.Sprint(want) || web.count() != 5 {
			t.Errorf("fetches %v of %d asked", got, web.count())
		}
		if hosts := hostsOf(b); hosts != "docs.x.example a.example docs.y.example" {
			t.Errorf("sources %s", hosts)
		}
		if s := b.Sources[1]; s.Date != "2024-05-06" || !strings.HasPrefix(s.Snippet, "A longer") ||
			s.URL != "http://a.example/" {
			t.Errorf("the source has not what the later provider added: %+v", s)
		}
		if !errors.Is(web.ended["http://b.example/"], context.Canceled) {
			t.Errorf("the read that was not needed ended with %v", web.ended["http://b.example/"])
		}
		if f := b.Coverage.Fetches; f[0].URL != "http://docs.x.example/" ||
			f[4].Detail != "other results turned out better" {
			t.Errorf("fetches are not in the order of the results: %+v", f)
		}
		for _, a := range b.Additional {
			if a.Host == "a.example" || a.Host == "docs.x.example" {
				t.Errorf("%s is a source and additional", a.Host)
			}
		}
		if len(b.Additional) != 3 {
			t.Errorf("%d additional, want the two not needed and the one never read", len(b.Additional))
		}
	})
}

// The wall time stays within 1.05 of the critical path, whichever way the latencies
// fall.
func TestWallTimeAgainstTheCriticalPath(t *testing.T) {
	for seed := range 40 {
		synctest.Test(t, func(t *testing.T) {
			ms := func(i, most int) time.Duration {
				return time.Duration((seed*7919+i*104729+13)%most) * time.Millisecond
			}
			web := &fakeWeb{pages: map[string]fakePage{}}
			var providers []search.Provider
			var slowest time.Duration
			for i := range 4 {
				var urls []string
				for j := range 5 {
					u := fmt.Sprintf("http://s%d.example/", (i*3+j+seed)%11)
					urls = append(urls, u)
					web.pages[u] = fakePage{after: ms(100+len(u)+j*i, 4000)}
				}
				after := ms(i, 4500)
				slowest = max(slowest, after)
				providers = append(providers, finds(fmt.Sprint("p", i), after, urls...))
			}
			w, _, _ := writer(Options{Fetcher: web}, providers...)
			began := time.Now()
			b := write(t, w, 3)
			var fetch time.Duration
			for _, s := range b.Sources {
				fetch = max(fetch, web.pages[s.URL].after)
			}
			if wall := time.Since(began); float64(wall) > 1.05*float64(slowest+fetch) {
				t.Errorf("seed %d: took %v, providers %v, fetches %v", seed, wall, slowest, fetch)
			}
			if web.count() > 5 || len(b.Sources) != 3 {
				t.Errorf("seed %d: %d reads, %d sources", seed, web.count(), len(b.Sources))
			}
		})
	}
}

// It does so with twelve providers of which five fail, each in a way of its own, when two
// questions have shown them, in an answer and in web research; and each of the seven others is heard.
func TestWallTimeWhereProvidersFail(t *testing.T) {
	for seed := range 20 {
		synctest.Test(t, func(t *testing.T) {
			ms := func(i, most int) time.Duration {
				return time.Duration((seed*7919+i*104729+13)%most) * time.Millisecond
			}
			web, gates := &fakeWeb{pages: map[string]fakePage{}}, new(search.Gates)
			var providers []search.Provider
			add := func(p search.Provider) {
				providers = append(providers, gates.Of(p.Name(), search.Limits{}).Guard(p))
			}
			var slowest time.Duration
			for i := range 7 {
				var urls []string
				for j := range 5 {
					u := fmt.Sprintf("http://s%d.example/", (i*3+j+seed)%11)
					urls = append(urls, u)
					web.pages[u] = fakePage{after: ms(100+len(u)+j*i, 3000)}
				}
				after := ms(i, 4500)
				slowest = max(slowest, after)
				add(finds(fmt.Sprint("well", i), after, urls...))
			}
			add(finds("hangs", time.Hour))
			add(failsWith("blocked", ms(8, 1000), citewell.CodeBlockedByProvider))
			add(failsWith("limited", ms(9, 1000), citewell.CodeRateLimited))
			add(failsWith("broken", ms(10, 1000), citewell.CodeHTTPFailed))
			add(failsWith("cut", ms(11, 3000), citewell.CodeBadResponse))
			w, _, _ := writer(Options{Fetcher: web}, providers...)
			write(t, w, 3)
			write(t, w, 3)
			for name, ask := range map[string]func() citewell.Brief{
				"answer":   func() citewell.Brief { return write(t, w, 3) },
				"research": func() citewell.Brief { return research(t, w, ResearchRequest{}) },
			} {
				began := time.Now()
				b := ask()
				var fetch time.Duration
				for _, s := range b.Sources {
					fetch = max(fetch, web.pages[s.URL].after)
				}
				if wall := time.Since(began); float64(wall) > 1.05*float64(slowest+fetch) {
					t.Errorf("seed %d, %s: took %v, providers %v, fetches %v", seed, name, wall, slowest, fetch)
				}
				for _, p := range b.Coverage.Providers {
					if well := strings.HasPrefix(p.Name, "well"); well != (p.Outcome == citewell.ProviderOK) {
						t.Errorf("seed %d, %s: %+v", seed, name, p)
					}
				}
			}
		})
	}
}

// A page that cannot be read stays as a source with its reason, and the next result
// is read in its place.
func TestUnreadablePagesAreReplaced(t *testing.T) {
	refused := &citewell.Error{Code: citewell.CodeRobotsDisallowed, Message: "robots.txt line 2 forbids it"}
	web := &fakeWeb{pages: map[string]fakePage{
		"http://a.example/": {err: refused}, "http://c.example/": {
			err: &citewell.Error{Code: citewell.CodeHTTPStatus, Message: "404"}},
	}}
	all := finds("p", 0, "http://a.example/", "http://b.example/", "http://c.example/", "http://d.example/",
		"http://e.example/", "http://f.example/")
	w, _, archive := writer(Options{Fetcher: web}, all)
	b := write(t, w, 3)
	if hosts := hostsOf(b); hosts != "a.example b.example c.example d.example e.example" || web.count() != 5 {
		t.Fatalf("sources %s, %d reads", hosts, web.count())
	}
	if f := b.Coverage.Fetches[0]; f.Outcome != citewell.FetchBlockedRobots ||
		f.Detail != "robots.txt line 2 forbids it" {
		t.Errorf("fetch %+v", f)
	}
	s := b.Sources[0]
	if s.Outcome != citewell.FetchBlockedRobots || s.Extractor.ID != "provider-snippet" || s.FinalURL != "" ||
		s.TextSHA256 == "" {
		t.Errorf("source %+v", s)
	}
	if _, taken := archive.snapshots["http://a.example/"]; taken {
		t.Error("a snippet is kept as if it were the page")
	}
	for _, f := range b.Findings {
		for _, c := range f.Citations {
			if c.N == 1 || c.N == 3 {
				t.Errorf("%q leans on a snippet while there are pages", f.Text)
			}
		}
	}
}

// Where no page can be read, the snippets answer, and say that they are.
func TestOnlySnippets(t *testing.T) {
	down := &citewell.Error{Code: citewell.CodeConnectFailed, Message: "no connection"}
	web := &fakeWeb{pages: map[string]fakePage{"http://a.example/": {err: down}, "http://b.example/": {err: down},
		"http://c.example/": {err: down}}}
	p := finds("p", 0, "http://a.example/", "http://b.example/", "http://c.example/")
	inner := p.search
	p.search = func(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
		results, err := inner(ctx, q)
		results[1].Snippet, results[2].Snippet = "\u200b\u00ad", ""
		return results, err
	}
	w, _, _ := writer(Options{Fetcher: web}, p)
	b := write(t, w, 3)
	if len(b.Sources) != 3 || len(b.Findings) != 1 || len(b.Passages) != 1 {
		t.Fatalf("%d sources, %d passages, findings %+v", len(b.Sources), len(b.Passages), b.Findings)
	}
	if c := b.Findings[0].Citations; len(c) != 1 || c[0].Verdict != citewell.VerdictSnippetOnly || c[0].N != 1 {
		t.Errorf("citations %+v", c)
	}
}

// At most PerDomain sources of one registered domain; what is put aside is still
// listed. Files have no domain.
func TestPerDomain(t *testing.T) {
	p := finds("p", 0, "http://a.one.example/1", "http://b.one.example/2", "http://one.example/3",
		"http://two.example/", "http://one.example/4")
	w, _, _ := writer(Options{}, p)
	b := write(t, w, 4)
	if hostsOf(b) != "a.one.example b.one.example two.example" || len(b.Additional) != 2 {
		t.Errorf("sources %s, %d additional", hostsOf(b), len(b.Additional))
	}
	w, _, _ = writer(Options{PerDomain: 1}, p)
	if b := write(t, w, 4); hostsOf(b) != "a.one.example two.example" {
		t.Errorf("sources %s", hostsOf(b))
	}
}

// Files are read from the archive, without a fetch.
func TestLocalResultsComeFromTheArchive(t *testing.T) {
	archive := newMemory()
	text := "Some 212 amber cranes breed in the marshes of Lowmere."
	page := citewell.Page{URL: "file:///n/a.txt", FinalURL: "file:///n/a.txt", Body: []byte(text),
		Outcome: citewell.FetchOK}
	archive.snapshots["file:///n/a.txt"] = snapshot{page: page}
	w, web, _ := writer(Options{Archive: archive}, finds("local", 0, "file:///n/a.txt", "file:///n/gone.txt"))
	b := write(t, w, 2)
	if web.count() != 0 || len(b.Findings) != 1 || b.Findings[0].Text != text || b.Sources[0].Class != "local" {
		t.Errorf("%d fetches, %+v, %+v", web.count(), b.Findings, b.Sources)
	}
	if o := b.Coverage.Fetches[1].Outcome; o.Readable() {
		t.Errorf("a file that is gone is %s", o)
	}
}
