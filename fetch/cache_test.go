package fetch

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// An origin serves one page with the headers a test gives it, and answers 304 to
// the validators that it gave.
type origin struct {
	body    string
	headers []string
	asked   int
	held    int // answered with 304
}

func (o *origin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/robots.txt" {
		return reply(404, ""), nil
	}
	o.asked++
	resp := reply(200, o.body, o.headers...)
	etag, modified := resp.Header.Get("Etag"), resp.Header.Get("Last-Modified")
	if etag != "" && r.Header.Get("If-None-Match") == etag || etag == "" && modified != "" &&
		r.Header.Get("If-Modified-Since") == modified {
		o.held++
		return reply(304, "", o.headers...), nil
	}
	return resp, nil
}

func TestCachePolicy(t *testing.T) {
	date := func(d time.Duration) string {
		return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(d).Format(http.TimeFormat)
	}
	const old = "Fri, 31 Dec 1999 00:00:00 GMT"
	tests := []struct {
		name    string
		headers []string
		fresh   time.Duration // how long it answers without asking; 0: not at all
		checked bool          // later it is asked for by its validator
	}{
		{"by_default", nil, DefaultCacheTTL, false},
		{"by_default_with_validator", []string{"Etag", `"1"`}, DefaultCacheTTL, true},
		{"last_modified", []string{"Last-Modified", old}, DefaultCacheTTL, true},
		{"max_age", []string{"Cache-Control", "public, max-age=60"}, time.Minute, false},
		{"quoted_max_age", []string{"Cache-Control", `MAX-AGE="60"`}, time.Minute, false},
		{"s_maxage_counts_first", []string{"Cache-Control", "max-age=5, s-maxage=60"}, time.Minute, false},
		{"first_of_two", []string{"Cache-Control", "max-age=60", "Cache-Control", "max-age=5"}, time.Minute, false},
		{"max_age_nonsense", []string{"Cache-Control", "max-age=soon", "Etag", `"1"`}, 0, true},
		{"max_age_huge", []string{"Cache-Control", "max-age=99999999999999999999"}, maxFresh, false},
		{"age", []string{"Cache-Control", "max-age=60", "Age", "40"}, 20 * time.Second, false},
		{"old_date", []string{"Cache-Control", "max-age=60", "Date", date(-40 * time.Second)}, 20 * time.Second, false},
		{"expires", []string{"Expires", date(time.Minute), "Date", date(0)}, time.Minute, false},
		{"expires_wrong_clock", []string{"Expires", date(time.Hour + time.Minute), "Date", date(time.Hour)},
			time.Minute, false},
		{"expires_zero", []string{"Expires", "0", "Etag", `"1"`}, 0, true},
		{"max_age_before_expires", []string{"Expires", "0", "Cache-Control", "max-age=60"}, time.Minute, false},
		{"no_store", []string{"Cache-Control", "no-store, max-age=60", "Etag", `"1"`}, 0, false},
		{"private", []string{"Cache-Control", "private, max-age=60", "Etag", `"1"`}, 0, false},
		{"no_cache", []string{"Cache-Control", "no-cache, max-age=60", "Etag", `"1"`}, 0, true},
		{"pragma", []string{"Pragma", "no-cache", "Etag", `"1"`}, 0, true},
		{"nothing_to_go_by", []string{"Cache-Control", "max-age=0"}, 0, false},
		{"vary", []string{"Vary", "Accept-Encoding, Accept"}, DefaultCacheTTL, false},
		{"vary_on_all", []string{"Vary", "Accept, *", "Etag", `"1"`}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &origin{body: "page", headers: test.headers}
				c := newClient(Options{Cache: newMemory(), Spacing: -1}, o)
				get := func() citewell.Page {
					t.Helper()
					page, err := c.Get(t.Context(), Request{URL: "https://s.example/"})
					if err != nil || string(page.Body) != "page" || page.SHA256 != citewell.SHA256([]byte("page")) {
						t.Fatalf("%q, %v", page.Body, err)
					}
					return page
				}
				begin := time.Now()
				if page := get(); page.Cached || !page.FetchedAt.Equal(begin) {
					t.Errorf("first %+v", page)
				}
				if test.fresh > 0 {
					time.Sleep(test.fresh - time.Nanosecond)
					if page := get(); !page.Cached || o.asked != 1 || !page.FetchedAt.Equal(begin) {
						t.Errorf("while fresh: asked %d times, cached %v, fetched at %v", o.asked, page.Cached,
							page.FetchedAt)
					}
					time.Sleep(2 * time.Nanosecond)
				}
				page := get()
				held := 0
				if test.checked {
					held = 1
				}
				if o.asked != 2 || o.held != held || page.Cached != test.checked || !page.FetchedAt.Equal(time.Now()) {
					t.Errorf("later: asked %d times, 304 %d times, %+v", o.asked, o.held, page)
				}
			})
		})
	}
}

// What is asked for over and over is asked of its server once in the time that its caller says:
// against the server's word, its refusals too, and for nobody who did not say so.
func TestKeep(t *testing.T) {
	const keep = 15 * time.Minute
	for name, test := range map[string]struct {
		status  int
		headers []string
		fresh   time.Duration
		held    int // with 304, afterwards
	}{
		"no_word":  {200, nil, keep, 0},
		"no_store": {200, []string{"Cache-Control", "no-store", "Etag", `"1"`}, keep, 1},
		"private":  {200, []string{"Cache-Control", "private, max-age=0"}, keep, 0},
		"shorter": {200, []string{"Cache-Control", "max-age=60", "Last-Modified",
			"Fri, 31 Dec 1999 00:00:00 GMT"}, keep, 1},
		"longer":        {200, []string{"Cache-Control", "max-age=3600"}, time.Hour, 0},
		"not_there":     {404, []string{"Etag", `"1"`}, keep, 0},
		"too_many":      {429, []string{"Retry-After", "1800"}, 30 * time.Minute, 0},
		"it_is_too_ill": {500, nil, keep, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, held := 0, 0
				c := newClient(Options{Cache: newMemory(), Spacing: -1},
					roundTrip(func(r *http.Request) (*http.Response, error) {
						asked++
						if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
							held++
							return reply(304, "", test.headers...), nil
						}
						return reply(test.status, "page", test.headers...), nil
					}))
				get := func(keep time.Duration) {
					t.Helper()
					_, err := c.Get(t.Context(), Request{URL: "https://s.example/feed", Keep: keep, IgnoreRobots: true})
					if status := StatusOf(err); (err == nil) != (test.status == 200) || err != nil &&
						status != test.status {
						t.Errorf("%v, status %d", err, status)
					}
				}
				get(keep)
				once := asked // a 429 is asked once more
				time.Sleep(test.fresh - 10*time.Second)
				get(keep)
				if asked != once {
					t.Errorf("asked again within %v", test.fresh)
				}
				time.Sleep(20 * time.Second)
				get(keep)
				if asked == once || held != test.held {
					t.Errorf("asked %d and then %d times, 304 %d times", once, asked, held)
				}
				before := asked
				get(0)
				if asked == before {
					t.Error("who did not ask for it was given what was kept")
				}
			})
		})
	}
	c := newClient(Options{}, nil)
	for _, keep := range []time.Duration{-1, maxFresh + 1} {
		if _, err := c.Get(t.Context(), Request{URL: "https://s.example/", Keep: keep}); citewell.CodeOf(
			err) != citewell.CodeInvalidArgument {
			t.Errorf("keep %v: %v", keep, err)
		}
	}
}

// A clock that was set back makes an entry one of the future: its times mean nothing, and the
// page is fetched anew. The second bubble begins where the first began.
func TestAnEntryFromTheFuture(t *testing.T) {
	kept := newMemory()
	for _, ahead := range []time.Duration{2 * time.Minute, 0} {
		synctest.Test(t, func(t *testing.T) {
			o := &origin{body: "page"}
			c := newClient(Options{Cache: kept, CacheTTL: 24 * time.Hour, Spacing: -1}, o)
			time.Sleep(ahead)
			for i := range 2 {
				page, err := c.Get(t.Context(), Request{URL: "https://s.example/"})
				if err != nil || page.Cached != (i > 0) || o.asked != 1 || page.FetchedAt.After(time.Now()) {
					t.Errorf("%v ahead, call %d: asked %d times, %+v, %v", ahead, i+1, o.asked, page, err)
				}
			}
		})
	}
}

func TestRevalidation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{body: "first", headers: []string{"Etag", `"1"`, "Cache-Control", "max-age=60", "Content-Type",
			"text/plain"}}
		c := newClient(Options{Cache: newMemory(), Spacing: -1}, o)
		steps := []struct {
			after   time.Duration
			change  []string // the origin's new headers
			body    string   // what it serves from now on
			want    string
			asked   int
			cached  bool
			comment string
		}{
			{0, nil, "", "first", 1, false, "fetched"},
			{2 * time.Minute, nil, "", "first", 2, true, "held by its ETag"},
			{59 * time.Second, nil, "", "first", 2, true, "fresh again"},
			{2 * time.Second, []string{"Etag", `"2"`}, "second", "second", 3, false, "changed"},
			{maxStale + 2*time.Hour, nil, "", "second", 4, false, "too old to ask by"},
		}
		for _, step := range steps {
			time.Sleep(step.after)
			if step.change != nil {
				o.headers, o.body = step.change, step.body
			}
			page, err := c.Get(t.Context(), Request{URL: "https://s.example/"})
			if err != nil || string(page.Body) != step.want || page.Cached != step.cached || o.asked != step.asked {
				t.Errorf("%s: %q, cached %v, asked %d times, %v", step.comment, page.Body, page.Cached, o.asked, err)
			}
			if step.want == "first" && page.ContentType != "text/plain" {
				t.Errorf("%s: content type %q", step.comment, page.ContentType)
			}
		}
	})
}

func TestCacheKeepsNoCutBody(t *testing.T) {
	o := &origin{body: "0123456789"}
	c := newClient(Options{Cache: newMemory(), Spacing: -1}, o)
	for i, step := range []struct {
		limit int64
		body  string
		asked int
	}{{4, "0123", 1}, {0, "0123456789", 2}, {4, "0123", 2}, {0, "0123456789", 2}} {
		page, err := c.Get(t.Context(), Request{URL: "https://s.example/", MaxBytes: step.limit})
		if err != nil || string(page.Body) != step.body || o.asked != step.asked ||
			page.SHA256 != citewell.SHA256(page.Body) {
			t.Errorf("step %d: %q, asked %d times, %v", i, page.Body, o.asked, err)
		}
		if cut := page.Outcome == citewell.FetchTruncated; cut != (step.limit > 0) {
			t.Errorf("step %d: outcome %s", i, page.Outcome)
		}
	}
}

func TestCacheTTL(t *testing.T) {
	for ttl, asked := range map[time.Duration]int{-1: 2, time.Minute: 1} {
		o := &origin{body: "page"}
		c := newClient(Options{Cache: newMemory(), CacheTTL: ttl, Spacing: -1}, o)
		for range 2 {
			if _, err := c.Get(t.Context(), Request{URL: "https://s.example/"}); err != nil {
				t.Fatal(err)
			}
		}
		if o.asked != asked {
			t.Errorf("ttl %v: asked %d times", ttl, o.asked)
		}
	}
}

// In a context of Afresh each Get asks the server, and what came is kept for others.
func TestAfresh(t *testing.T) {
	o := &origin{body: "page"}
	c := newClient(Options{Cache: newMemory(), Spacing: -1}, o)
	for i, ctx := range []context.Context{t.Context(), t.Context(), httpwire.Afresh(t.Context()), t.Context()} {
		page, err := c.Get(ctx, Request{URL: "https://s.example/"})
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{1, 1, 2, 2}[i]; o.asked != want || page.Cached != (i%2 == 1) {
			t.Errorf("Get %d: the server was asked %d times, want %d; cached: %v", i, o.asked, want, page.Cached)
		}
	}
}

// What is sent is part of the key: another language is another page.
func TestCacheKey(t *testing.T) {
	o := &origin{body: "page"}
	cache := newMemory()
	get := func(agent, language, url string) {
		t.Helper()
		c := newClient(Options{Cache: cache, UserAgent: agent, Spacing: -1}, o)
		if _, err := c.Get(t.Context(), Request{URL: url, AcceptLanguage: language}); err != nil {
			t.Fatal(err)
		}
	}
	get("", "", "https://s.example/")
	get("", "", "https://S.example:443/#part")
	if o.asked != 1 {
		t.Errorf("one page was asked for %d times", o.asked)
	}
	get("", "de", "https://s.example/")
	get("Mine/1", "", "https://s.example/")
	get("", "", "https://s.example/?")
	get("", "", "http://s.example/")
	if o.asked != 5 {
		t.Errorf("five pages were asked for %d times", o.asked)
	}
}

// A redirect that is kept passes the same checks as one that comes.
func TestCachedRedirectsAreJudged(t *testing.T) {
	asked := 0
	c := newClient(Options{Cache: newMemory(), IgnoreRobots: true, Spacing: -1},
		roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			switch r.URL.Path {
			case "/for-good":
				return reply(301, "", "Location", "https://other.example/page"), nil
			case "/for-now":
				return reply(302, "", "Location", "https://other.example/page"), nil
			case "/for-a-while":
				return reply(302, "", "Location", "https://other.example/page", "Cache-Control", "max-age=60"), nil
			}
			return reply(200, "page"), nil
		}))
	for _, step := range []struct {
		path     string
		sameSite bool
		code     citewell.Code
		asked    int
	}{
		{"/for-good", false, "", 2},
		{"/for-good", false, "", 2},
		{"/for-good", true, citewell.CodeCrossDomainRedirect, 2},
		{"/for-now", false, "", 3},
		{"/for-now", false, "", 4},
		{"/for-a-while", false, "", 5},
		{"/for-a-while", false, "", 5},
	} {
		page, err := c.Get(t.Context(), Request{URL: "https://s.example" + step.path, SameSite: step.sameSite})
		if citewell.CodeOf(err) != step.code || asked != step.asked {
			t.Errorf("%s: asked %d times, %v", step.path, asked, err)
		}
		if err == nil && page.FinalURL != "https://other.example/page" {
			t.Errorf("%s: final URL %s", step.path, page.FinalURL)
		}
	}
}

// A page that was fetched past robots.txt is not given to those who obey it.
func TestCacheRemembersWhetherRobotsWasAsked(t *testing.T) {
	allowed := false
	asked := 0
	cache := newMemory()
	server := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path != "/robots.txt" {
			asked++
			return reply(200, "page", "Etag", `"1"`), nil
		}
		if allowed {
			return reply(404, ""), nil
		}
		return reply(200, "User-agent: *\nDisallow: /", "Cache-Control", "no-store"), nil
	})
	get := func(ignore bool) error {
		_, err := newClient(Options{Cache: cache, Spacing: -1}, server).Get(t.Context(),
			Request{URL: "https://s.example/", IgnoreRobots: ignore})
		return err
	}
	if err := get(true); err != nil || asked != 1 {
		t.Fatalf("asked %d times, %v", asked, err)
	}
	wantCode(t, get(false), citewell.CodeRobotsDisallowed)
	allowed = true
	if err := get(false); err != nil || asked != 2 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	for _, ignore := range []bool{true, false} {
		if err := get(ignore); err != nil || asked != 2 {
			t.Errorf("ignore %v: asked %d times, %v", ignore, asked, err)
		}
	}
}

func TestErrorsAreNotCached(t *testing.T) {
	codes := []int{500, 404, 200, 200}
	asked := 0
	c := newClient(Options{Cache: newMemory(), IgnoreRobots: true, Spacing: -1},
		roundTrip(func(*http.Request) (*http.Response, error) {
			asked++
			return reply(codes[asked-1], "page", "Cache-Control", "max-age=60"), nil
		}))
	for i, want := range []citewell.Code{citewell.CodeHTTPStatus, citewell.CodeHTTPStatus, "", ""} {
		if _, err := c.Get(t.Context(), Request{URL: "https://s.example/"}); citewell.CodeOf(err) != want {
			t.Errorf("%d: %v", i, err)
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}

func TestFaultyCache(t *testing.T) {
	damage := map[string]func(m *memory, key string, e memorised){
		"flipped_bit": func(m *memory, key string, e memorised) { e.value[len(e.value)-1] ^= 1; m.kept[key] = e },
		"cut":         func(m *memory, key string, e memorised) { e.value = e.value[:len(e.value)-1]; m.kept[key] = e },
		"cut_in_head": func(m *memory, key string, e memorised) { e.value = e.value[:20]; m.kept[key] = e },
		"empty":       func(m *memory, key string, e memorised) { e.value = nil; m.kept[key] = e },
		"other_format": func(m *memory, key string, e memorised) {
			e.value = bytes.Replace(e.value, []byte(`"v":2`), []byte(`"v":1`), 1)
			m.kept[key] = e
		},
		"other_page": func(m *memory, key string, e memorised) {
			e.value = bytes.Replace(e.value, []byte("s.example"), []byte("t.example"), 1)
			m.kept[key] = e
		},
		"fails": func(m *memory, _ string, _ memorised) { m.fails = errors.New("disk full") },
		"from_tomorrow": func(m *memory, key string, e memorised) {
			year := time.Now().UTC().Format("2006-")
			e.value = bytes.ReplaceAll(e.value, []byte(year), []byte("2999-"))
			m.kept[key] = e
		},
	}
	for name, spoil := range damage {
		t.Run(name, func(t *testing.T) {
			o := &origin{body: "page"}
			cache := newMemory()
			c := newClient(Options{Cache: cache, IgnoreRobots: true, Spacing: -1}, o)
			for i := range 2 {
				page, err := c.Get(t.Context(), Request{URL: "https://s.example/"})
				if err != nil || string(page.Body) != "page" || page.Cached {
					t.Fatalf("%d: %q, cached %v, %v", i, page.Body, page.Cached, err)
				}
				for key, e := range cache.kept {
					if !strings.HasPrefix(key, "page/") {
						t.Errorf("key %q", key)
					}
					spoil(cache, key, e)
				}
			}
			if o.asked != 2 {
				t.Errorf("asked %d times", o.asked)
			}
		})
	}
}

func FuzzEntry(f *testing.F) {
	whole, err := (&entry{Version: entryVersion, URL: "https://s.example/", Status: 200,
		SHA256: citewell.SHA256([]byte("a\nb")), Body: []byte("a\nb")}).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("{}\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := decodeEntry(value, "https://s.example/")
		if err != nil {
			return
		}
		if e.URL != "https://s.example/" || e.SHA256 != citewell.SHA256(e.Body) {
			t.Errorf("accepted %q", value)
		}
		e.answer()
	})
}

// However a server writes its headers, nothing stays fresh beyond a day or before
// it came.
func FuzzFreshness(f *testing.F) {
	f.Add(200, "max-age=60, no-cache", "Mon, 02 Mar 2026 10:00:00 GMT", "", "1", "*")
	f.Add(301, "s-maxage=-1", "0", "Mon, 02 Mar 2026 10:00:00 GMT", "99999999999999999999", "Accept")
	f.Add(302, `max-age="`, "Sat, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "", "")
	came := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, status int, control, expires, date, age, vary string) {
		header := http.Header{"Cache-Control": {control}, "Expires": {expires}, "Date": {date}, "Age": {age},
			"Vary": {vary}}
		until, keep := freshness(status, header, came.Add(-time.Second), came, time.Hour)
		if keep && (until.Before(came) || until.After(came.Add(maxFresh))) {
			t.Errorf("fresh until %v", until)
		}
		if keep && strings.Contains(strings.ToLower(control), "no-store") && cacheControl(header).has("no-store") {
			t.Error("kept against no-store")
		}
		if wait, ok := retryAfter(http.Header{"Retry-After": {age}}, came); ok && wait < 0 {
			t.Errorf("wait %v", wait)
		}
	})
}
