package brief

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
)

func TestBadRequests(t *testing.T) {
	w, web, _ := writer(Options{}, finds("p", 0, "http://a.example/"))
	for name, r := range map[string]Request{
		"depth -1":   {Query: citewell.Query{Text: cranes}, Depth: -1},
		"depth 11":   {Query: citewell.Query{Text: cranes}, Depth: 11},
		"blank":      {Query: citewell.Query{Text: " \t\n\u3000 "}},
		"time range": {Query: citewell.Query{Text: cranes, TimeRange: "decade"}},
	} {
		b, err := w.Write(t.Context(), r)
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument || b.Schema != "" {
			t.Errorf("%s: %v", name, err)
		}
		if m := citewell.View(err).Message; strings.HasPrefix(name, "depth") && !strings.Contains(m, "1 to 10") {
			t.Errorf("%s: the message must name the range: %q", name, m)
		}
	}
	if web.count() != 0 {
		t.Error("a bad request fetched something")
	}
	b, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: "  amber \n cranes "}})
	if err != nil || b.Query != "amber cranes" {
		t.Errorf("depth 0 is the default: %v, query %q", err, b.Query)
	}
}

// At the outer deadline the brief is written from what has arrived, whatever hangs,
// and whether or not it heeds its context.
func TestOuterDeadline(t *testing.T) {
	long := Deadlines{Fanout: time.Hour, Fetch: time.Hour, Extract: time.Hour}
	hangs := func(deaf bool) *fakeProvider {
		p := finds("hangs", 0)
		p.search = func(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
			if deaf {
				time.Sleep(3 * time.Hour)
			}
			return nil, pause(ctx, 3*time.Hour)
		}
		return p
	}
	good := finds("good", 0, "http://a.example/", "http://hung.example/")
	slowExtract := func(ctx context.Context, page citewell.Page) (citewell.Document, error) {
		if strings.Contains(page.URL, "hung") {
			time.Sleep(3 * time.Hour)
		}
		return plainText(ctx, page)
	}
	hung := func(deaf bool) *fakeWeb {
		return &fakeWeb{pages: map[string]fakePage{"http://hung.example/": {after: 3 * time.Hour, deaf: deaf}}}
	}
	tests := map[string]struct {
		o         Options
		providers []*fakeProvider
		fetch     citewell.FetchOutcome // of the page that hangs
	}{
		"provider":       {Options{}, []*fakeProvider{good, hangs(false)}, citewell.FetchOK},
		"deaf provider":  {Options{}, []*fakeProvider{good, hangs(true)}, citewell.FetchOK},
		"fetch":          {Options{Fetcher: hung(false)}, []*fakeProvider{good}, citewell.FetchTimeout},
		"deaf fetch":     {Options{Fetcher: hung(true)}, []*fakeProvider{good}, citewell.FetchTimeout},
		"deaf extractor": {Options{Extract: slowExtract}, []*fakeProvider{good}, citewell.FetchTimeout},
		"model": {Options{Models: []Model{&fakeModel{name: "m", after: 3 * time.Hour}}},
			[]*fakeProvider{good}, citewell.FetchOK},
		"deaf model": {Options{Models: []Model{&fakeModel{name: "m", after: 3 * time.Hour, deaf: true}}},
			[]*fakeProvider{good}, citewell.FetchOK},
		"fetch, then no models": {Options{Fetcher: hung(true), Models: []Model{&fakeModel{name: "m"}}},
			[]*fakeProvider{good}, citewell.FetchTimeout},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.o.Deadlines = long
				test.o.Deadlines.Synthesis = time.Hour
				test.o.Cache = newMemory()
				w, _, _ := writer(test.o)
				for _, p := range test.providers {
					w.o.Providers = append(w.o.Providers, p)
				}
				began := time.Now()
				b := write(t, w, 2)
				end := 25 * time.Second
				early := strings.HasSuffix(name, "model") // which leaves time to quote
				if early {
					end -= finishing
				}
				if wall := time.Since(began); wall < end || wall > end+2*lastWords {
					t.Errorf("took %v", wall)
				}
				if b.Coverage.DeadlineHit == early || len(b.Findings) == 0 ||
					b.Coverage.Synthesis.Mode != citewell.SynthesisExtractive {
					t.Errorf("deadline hit %v, %d findings, %+v", b.Coverage.DeadlineHit, len(b.Findings),
						b.Coverage.Synthesis)
				}
				if len(test.o.Models) > 0 && b.Coverage.Synthesis.Outcome != "timeout" {
					t.Errorf("synthesis %q", b.Coverage.Synthesis.Outcome)
				}
				if got := fetched(b); got["a.example"] != citewell.FetchOK || got["hung.example"] != test.fetch {
					t.Errorf("fetches %v", got)
				}
				if len(b.Sources) != 2 || len(w.o.Cache.(*memory).cache) != 0 {
					t.Errorf("%d sources; a brief cut short must not be remembered", len(b.Sources))
				}
				time.Sleep(4 * time.Hour) // let what is deaf end
			})
		})
	}
}

// Each stage ends at its own deadline, and one that hangs does not spoil the others.
func TestStageDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &fakeWeb{pages: map[string]fakePage{
			"http://a.example/": {after: time.Hour}, "http://b.example/": {after: time.Hour, deaf: true},
			"http://broken.example/": {text: "panic"},
		}}
		extract := func(ctx context.Context, page citewell.Page) (citewell.Document, error) {
			switch page.URL {
			case "http://c.example/":
				time.Sleep(time.Hour)
			case "http://broken.example/":
				panic("a bug")
			}
			return plainText(ctx, page)
		}
		w, _, _ := writer(Options{Fetcher: web, Extract: extract},
			finds("p", 0, "http://a.example/", "http://b.example/", "http://c.example/", "http://broken.example/",
				"http://d.example/"))
		began := time.Now()
		b := write(t, w, 5)
		if wall := time.Since(began); wall > 6*time.Second+2*lastWords {
			t.Errorf("took %v", wall)
		}
		got := fetched(b)
		if got["a.example"] != citewell.FetchTimeout || got["b.example"] != citewell.FetchTimeout ||
			got["c.example"] != citewell.FetchExtractionTimeout ||
			got["broken.example"].Readable() || got["d.example"] != citewell.FetchOK || b.Coverage.DeadlineHit {
			t.Errorf("%v", got)
		}
		time.Sleep(2 * time.Hour)
	})
}

func TestCallerCancels(t *testing.T) {
	for name, test := range map[string]struct {
		cancel    bool
		providers time.Duration
		fetch     time.Duration
		model     time.Duration
		code      citewell.Code
	}{
		"in the fan-out":       {true, time.Hour, 0, 0, citewell.CodeCanceled},
		"while reading":        {true, 0, time.Hour, 0, citewell.CodeCanceled},
		"while a model thinks": {true, 0, 0, time.Hour, citewell.CodeCanceled},
		"its own deadline":     {false, 0, time.Hour, 0, citewell.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := &fakeWeb{pages: map[string]fakePage{"http://a.example/": {after: test.fetch}}}
				w, _, archive := writer(Options{Fetcher: web, Models: []Model{
					&fakeModel{name: "m", after: test.model}}}, finds("p", test.providers, "http://a.example/"))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if test.cancel {
					time.AfterFunc(500*time.Millisecond, cancel)
				}
				began := time.Now()
				_, err := w.Write(ctx, Request{Query: citewell.Query{Text: cranes}})
				wantCode(t, err, test.code)
				if wall := time.Since(began); wall > time.Second {
					t.Errorf("took %v", wall)
				}
				if len(archive.briefs) != 0 {
					t.Error("an unfinished brief is kept")
				}
			})
		})
	}
}

func TestArchiveFails(t *testing.T) {
	for _, method := range []string{"PutSnapshot", "AddSource", "PutBrief"} {
		for name, cause := range map[string]error{"plain": errors.New("disk full"),
			"typed": &citewell.Error{Code: citewell.CodeStoreFailed, Message: "disk full"}} {
			archive := newMemory()
			archive.fails[method] = cause
			w, _, _ := writer(Options{Archive: archive}, finds("p", 0, "http://a.example/"))
			_, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: cranes}})
			if citewell.CodeOf(err) != citewell.CodeStoreFailed || !errors.Is(err, cause) {
				t.Errorf("%s %s: %v", method, name, err)
			}
		}
	}
}

func TestCache(t *testing.T) {
	cache := newMemory()
	w, web, archive := writer(Options{Cache: cache}, finds("p", 0, "http://a.example/"))
	first := write(t, w, 3)
	again := write(t, w, 3)
	if web.count() != 1 || !again.Coverage.Cache || first.Coverage.Cache || again.ID != first.ID {
		t.Errorf("%d fetches, cache %v, ids %s %s", web.count(), again.Coverage.Cache, first.ID, again.ID)
	}
	asked := func(r Request) bool {
		t.Helper()
		before := web.count()
		if _, err := w.Write(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		return web.count() > before
	}
	query := func(s string) citewell.Query { return citewell.Query{Text: s} }
	for name, r := range map[string]Request{
		"depth":         {Query: query(cranes), Depth: 4},
		"region":        {Query: citewell.Query{Text: cranes, Region: "de-de"}},
		"time range":    {Query: citewell.Query{Text: cranes, TimeRange: citewell.PastYear}},
		"safe search":   {Query: citewell.Query{Text: cranes, SafeSearch: citewell.SafeOff}},
		"limit":         {Query: citewell.Query{Text: cranes, Limit: 7}},
		"dog bites man": {Query: query("dog bites man near cranes")},
		"man bites dog": {Query: query("man bites dog near cranes")},
		"C#":            {Query: query("amber cranes in C#")},
		"C":             {Query: query("amber cranes in C")},
		"fresh":         {Query: query(cranes), Fresh: true},
	} {
		if !asked(r) {
			t.Errorf("%s was answered from another question's brief", name)
		}
	}
	if asked(Request{Query: citewell.Query{Text: " How many  amber cranes breed in the marshes? ",
		Region: citewell.WholeWorld}, Depth: DefaultDepth}) {
		t.Error("the same question in other white space was asked again")
	}
	clear(archive.briefs) // another store than the one that the cache knows
	if !asked(Request{Query: query(cranes)}) {
		t.Error("a brief was served that the store does not have")
	}
	cache.fails["CacheGet"], cache.fails["CachePut"] = errors.New("locked"), errors.New("locked")
	logged := 0
	w.o.Log = func(string, error) { logged++ }
	if !asked(Request{Query: query(cranes)}) || logged != 2 {
		t.Errorf("a broken cache must not matter, and be logged: %d times", logged)
	}
}

func TestNotRemembered(t *testing.T) {
	nothing := map[string]fakePage{"http://a.example/": {text: "Nothing of the kind stands here."}}
	for name, test := range map[string]struct {
		o         Options
		providers []*fakeProvider
	}{
		"a provider failed": {Options{}, []*fakeProvider{finds("p", 0, "http://a.example/"),
			failsWith("q", 0, citewell.CodeRateLimited)}},
		"no findings": {Options{Fetcher: &fakeWeb{pages: nothing}},
			[]*fakeProvider{finds("p", 0, "http://a.example/")}},
		"the model failed": {Options{Models: []Model{&fakeModel{name: "m", err: errors.New("no")}}},
			[]*fakeProvider{finds("p", 0, "http://a.example/")}},
	} {
		cache := newMemory()
		test.o.Cache = cache
		w, _, _ := writer(test.o)
		for _, p := range test.providers {
			w.o.Providers = append(w.o.Providers, p)
		}
		if write(t, w, 3); len(cache.cache) != 0 {
			t.Errorf("%s: the brief is remembered", name)
		}
	}
}

// Progress comes one event at a time, and none after Write has returned.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := &fakeWeb{pages: map[string]fakePage{"http://a.example/": {after: time.Second},
			"http://b.example/": {after: time.Hour, deaf: true}}}
		w, _, _ := writer(Options{Fetcher: web, Models: []Model{&fakeModel{name: "m", after: time.Second}}},
			finds("p", 0, "http://a.example/", "http://b.example/"))
		var kinds []string
		inside, over := false, false
		_, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: cranes}, Progress: func(e Event) {
			if inside || over {
				t.Error("an event too many")
			}
			inside = true
			kinds = append(kinds, string(e.Kind))
			inside = false
		}})
		over = true
		if err != nil || strings.Join(kinds, " ") != "thinking thought provider reading reading read read "+
			"thinking thought" {
			t.Errorf("%v, %v", kinds, err)
		}
		time.Sleep(2 * time.Hour)
	})
}
