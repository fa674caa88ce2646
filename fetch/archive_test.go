package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/testing/wayback"
)

// public is a web of public addresses without a network: a host's handler, by its name. The
// archive is at archive.example, which resolves to this machine, as an operator's may.
type public map[string]http.HandlerFunc

const archiveURL = "http://archive.example"

func (p public) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	switch {
	case p[host] == nil:
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case host == "archive.example":
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	case strings.HasPrefix(host, "wiki."):
		return []netip.Addr{netip.MustParseAddr("10.0.0.5")}, nil
	}
	return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
}

// RoundTrip answers in the place of the network; the guard's resolver says which hosts are there.
func (p public) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if _, err := p.LookupNetIP(r.Context(), "ip", r.URL.Hostname()); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	p[r.URL.Hostname()](w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func (p public) client(t *testing.T, archive ArchiveOptions) *Client {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{Resolver: p, AllowNetworks: egress.MustParseNetworks("10.0.0.0/8"),
		Wrap: func(http.RoundTripper) http.RoundTripper { return p }})
	if err != nil {
		t.Fatal(err)
	}
	archive.BaseURL = archiveURL
	o := Options{Guard: guard, Spacing: -1}
	if o.Archive, err = NewArchive(archive); err != nil {
		t.Fatal(err)
	}
	return newClient(o, guard.RoundTripper())
}

func newPublic(s *wayback.Server) public {
	missing := func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
	return public{"archive.example": s.ServeHTTP, "site.com": missing, "www.site.com": missing, "busy.com": status(429),
		"shut.com": status(403), "wiki.corp.com": missing, "broken.com": status(500), "left.com": status(410)}
}

const old = "<!doctype html><title>The well</title><p>The well is forty metres deep.</p>"

func captures(all ...string) *wayback.Server {
	s := new(wayback.Server)
	for _, one := range all {
		stamp, at, _ := strings.Cut(one, " ")
		s.Captures = append(s.Captures, wayback.Capture{Stamp: stamp, URL: at, Body: old + "<!-- " + stamp + " -->"})
	}
	return s
}

func TestGonePageIsReadFromTheArchive(t *testing.T) {
	s := captures("20150101120000 http://site.com/well?part=2", "20200101120000 http://www.site.com:80/well?part=2",
		"20240101120000 https://left.com/", "20100101000000 http://dead.com/a")
	s.Captures = append(s.Captures, wayback.Capture{Stamp: "20250101000000", URL: "http://site.com/well?part=2",
		Status: 404})
	for _, test := range []struct {
		url, near string
		want      string // the time of the copy; empty where there is an error
		from      string
	}{
		{"http://site.com/well?part=2", "", "2020-01-01T12:00:00Z", "http://www.site.com/well?part=2"},
		{"http://site.com/well?part=2#deep", "2016-05-01", "2015-01-01T12:00:00Z", "http://site.com/well?part=2"},
		{"https://left.com/", "", "2024-01-01T12:00:00Z", "https://left.com/"},
		{"http://dead.com/a", "", "2010-01-01T00:00:00Z", "http://dead.com/a"}, // the domain has no address
		{"http://site.com/other", "", "", ""},
	} {
		c := newPublic(s).client(t, ArchiveOptions{Rate: 1e6})
		near, _ := time.Parse(time.DateOnly, test.near)
		page, err := c.Get(t.Context(), Request{URL: test.url, Archived: ArchiveWhenGone, Near: near})
		if test.want == "" {
			wantCode(t, err, citewell.CodeHTTPStatus)
			if view := citewell.View(err); !strings.Contains(view.Message, "404") ||
				!strings.Contains(view.Message, "the archive has no copy") || !Gone(err) {
				t.Errorf("%s: %+v", test.url, view)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.url, err)
			continue
		}
		stamp := page.Archived.At.Format("20060102150405")
		if got := page.Archived; got.At.Format(time.RFC3339) != test.want || got.URL != test.from ||
			page.URL != test.url {
			t.Errorf("%s: copy %+v of %s", test.url, got, page.URL)
		}
		if page.FinalURL != archiveURL+"/web/"+stamp+"id_/"+test.from {
			t.Errorf("%s: final URL %s", test.url, page.FinalURL)
		}
		if !strings.HasSuffix(string(page.Body), stamp+" -->") || page.SHA256 != citewell.SHA256(page.Body) ||
			!page.LastModified.IsZero() {
			t.Errorf("%s: page %+v", test.url, page)
		}
	}
}

// Who is not gone, is private, holds a key or may be a name of one's own network is not told
// of; nor is anything where nobody asked for it, or the operator does not want it.
func TestArchiveIsNotTold(t *testing.T) {
	for _, test := range []struct {
		url     string
		use     ArchiveUse
		options ArchiveOptions
		want    citewell.Code
	}{
		{"http://site.com/well", ArchiveNever, ArchiveOptions{}, citewell.CodeHTTPStatus},
		{"http://site.com/well", ArchiveWhenGone, ArchiveOptions{OnlyAsked: true}, citewell.CodeHTTPStatus},
		{"http://shut.com/", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeHTTPStatus},
		{"http://busy.com/", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeRateLimited},
		{"http://broken.com/", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeRobotsDisallowed},
		{"http://jira.corp.com/browse/PLAN-7", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeDNSFailed},
		{"http://wiki.corp.com/plan", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeHTTPStatus},
		{"http://wiki.corp.com/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://10.0.0.5/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://127.0.0.1/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://wiki/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://nas.home.arpa/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://printer.localhost/plan", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://site.com/a?access_token=x", ArchiveWhenGone, ArchiveOptions{}, citewell.CodeHTTPStatus},
		{"http://site.com/a?api%5Fkey=x", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://site.com/a?s=0a1b2c3d4e5f6a7b8c9d0e1f", ArchiveOnly, ArchiveOptions{}, citewell.CodeBlockedByPolicy},
		{"http://site.com/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74/edit", ArchiveOnly, ArchiveOptions{},
			citewell.CodeBlockedByPolicy},
		{"http://user:hunter2@site.com/a", ArchiveOnly, ArchiveOptions{}, citewell.CodeInvalidURL},
	} {
		s := captures("20150101120000 http://site.com/well")
		_, err := newPublic(s).client(t, test.options).Get(t.Context(), Request{URL: test.url, Archived: test.use})
		wantCode(t, err, test.want)
		if asked := s.Asked(); len(asked) > 0 {
			t.Errorf("%s, use %d: the archive was asked for %q", test.url, test.use, asked)
		}
	}
}

func TestWithoutArchive(t *testing.T) {
	c := newClient(Options{}, newPublic(captures()))
	_, err := c.Get(t.Context(), Request{URL: "http://site.com/well", Archived: ArchiveOnly})
	wantCode(t, err, citewell.CodeProviderNotConfigured)
	for _, o := range []ArchiveOptions{{BaseURL: "ftp://a.example"}, {BaseURL: "http://a.example/path"},
		{BaseURL: "a.example"}, {Rate: -1}} {
		if _, err := NewArchive(o); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for rate, want := range map[float64]time.Duration{0: time.Second * 20 / 7, 100: time.Second * 20 / 7,
		0.1: 10 * time.Second} {
		if a, err := NewArchive(ArchiveOptions{Rate: rate}); err != nil || (a.spacing-want).Abs() > time.Millisecond {
			t.Errorf("rate %v: %v, %v", rate, a.spacing, err)
		}
	}
}

// What is wrong with the archive is said as what it is, and beside why the page is gone.
func TestArchiveFails(t *testing.T) {
	for mode, want := range map[string]struct {
		code citewell.Code
		says string
	}{
		"429":   {citewell.CodeRateLimited, "asks for time"},
		"403":   {citewell.CodeBlockedByProvider, "may not show the page"},
		"503":   {citewell.CodeHTTPStatus, "answered 503"},
		"html":  {citewell.CodeBadResponse, "no list of copies"},
		"cut":   {citewell.CodeBadResponse, "no list of copies"},
		"empty": {citewell.CodeBadResponse, "no list of copies"},
		"other": {citewell.CodeBadResponse, "another page"},
		"lost":  {citewell.CodeNotFound, "does not have the copy"},
		"hang":  {citewell.CodeTimeout, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := captures("19990101120000 http://site.com/well")
			s.Fail(mode)
			_, err := newPublic(s).client(t, ArchiveOptions{}).Get(t.Context(),
				Request{URL: "http://site.com/well", Archived: ArchiveOnly, Timeout: 20 * time.Second})
			wantCode(t, err, want.code)
			if !strings.Contains(citewell.View(err).Message, want.says) || Gone(err) {
				t.Errorf("%s: %v, gone %v", mode, citewell.View(err), Gone(err))
			}
			began := time.Now()
			_, err = newPublic(s).client(t, ArchiveOptions{}).Get(t.Context(),
				Request{URL: "http://site.com/well", Archived: ArchiveWhenGone, ArchiveTimeout: ArchiveTimeout})
			wantCode(t, err, citewell.CodeHTTPStatus)
			if view := citewell.View(err); !strings.Contains(view.Message, "404") ||
				!strings.Contains(view.Message, want.says) || !Gone(err) {
				t.Errorf("%s: %+v", mode, view)
			}
			if took := time.Since(began); took > DefaultTimeout+ArchiveTimeout {
				t.Errorf("%s took %v", mode, took)
			}
		})
	}
}

// One request at a time goes to the archive, each a good while after the last, look-ups and
// copies and what redirects among them; also where somebody asks for a page of the archive's.
func TestArchiveIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := captures("19990101120000 http://site.com/a", "19990101120000 http://site.com/b",
			"19990101120000 http://site.com/c")
		web := newPublic(s)
		m := newMeter(time.Second)
		serve := web["archive.example"]
		web["archive.example"] = func(w http.ResponseWriter, r *http.Request) {
			if _, err := m.RoundTrip(r); err == nil {
				serve(w, r)
			}
		}
		c := web.client(t, ArchiveOptions{})
		done := make(chan error)
		for _, path := range []string{"a", "b", "c"} {
			go func() {
				_, err := c.Get(t.Context(), Request{URL: "http://site.com/" + path, Archived: ArchiveWhenGone,
					ArchiveTimeout: time.Minute})
				done <- err
			}()
		}
		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		starts := m.starts["archive.example"]
		if len(starts) != 6 || m.most != 1 {
			t.Fatalf("%d requests, %d at once", len(starts), m.most)
		}
		for i := range starts[1:] {
			if apart := starts[i+1].Sub(starts[i]); apart < 2857*time.Millisecond {
				t.Errorf("%v apart", apart)
			}
		}
	})
}

// An archive that refuses is asked once, and not again for as long as it says.
func TestArchiveCoolsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := captures("19990101120000 http://site.com/a")
		s.Fail("429")
		c := newPublic(s).client(t, ArchiveOptions{})
		get := func() error {
			_, err := c.Get(t.Context(), Request{URL: "http://site.com/a", Archived: ArchiveOnly, Timeout: time.Minute})
			return err
		}
		for range 5 {
			wantCode(t, get(), citewell.CodeRateLimited)
		}
		if n := len(s.Asked()); n != 1 {
			t.Errorf("asked %d times while it refuses", n)
		}
		time.Sleep(coolDown)
		s.Fail("")
		if err := get(); err != nil {
			t.Error(err)
		}
	})
}

func TestGone(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{statusError(&answer{status: 404}), true},
		{named("fetch.get", statusError(&answer{status: 410})), true},
		{statusError(&answer{status: 403}), false},
		{statusError(&answer{status: 503}), false},
		{&citewell.Error{Code: citewell.CodeDNSFailed, Err: &net.DNSError{IsNotFound: true}}, true},
		{&citewell.Error{Code: citewell.CodeDNSFailed, Err: &net.DNSError{IsTemporary: true}}, false},
		{&citewell.Error{Code: citewell.CodeRobotsDisallowed}, false},
		{errors.New("gone"), false},
	} {
		if got := Gone(test.err); got != test.want {
			t.Errorf("Gone(%v) = %v", test.err, got)
		}
	}
}

func TestParseCDX(t *testing.T) {
	const row = `["20240201000000","https://example.org/","200","text/html","ABC"]`
	const head = `["timestamp","original","statuscode","mimetype","digest"]`
	for _, test := range []struct {
		body string
		want int // captures; -1 is an error
	}{
		{"[]", 0}, {"[" + head + "]", 0}, {"[" + head + "," + row + "]", 1},
		{"[" + head + "," + row + "," + row + "]\n", 2},
		{`[["original","timestamp"],["https://example.org/","20240201000000"]]`, 1},
		{"", -1}, {"null", 0}, {"{}", -1}, {"[" + row + "]", -1}, {"[" + head + "," + row, -1},
		{"[" + head + `,["20240201000000"]]`, -1},
		{"[" + head + `,["2024","https://example.org/","200","",""]]`, -1},
		{"[" + head + `,["20241399000000","https://example.org/","200","",""]]`, -1},
		{"[" + head + `,["20240201000000","javascript:alert(1)","200","",""]]`, -1},
		{"[" + head + `,["20240201000000",null,"200","",""]]`, -1},
		{"[" + head + `,["x","y","z","",""],` + row + "]", 1}, {"[" + head + "] []", -1},
	} {
		got, err := parseCDX([]byte(test.body))
		if (err != nil) != (test.want < 0) || err == nil && len(got) != test.want {
			t.Errorf("%s: %v, %v", test.body, got, err)
		}
	}
}

func FuzzParseCDX(f *testing.F) {
	f.Add([]byte(`[["timestamp","original"],["20240201000000","https://example.org/a%20b?q=%2F#x"]]`))
	f.Add([]byte("[]"))
	base, _ := url.Parse(DefaultArchiveURL)
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := parseCDX(body)
		if err != nil && citewell.CodeOf(err) != citewell.CodeBadResponse {
			t.Fatalf("%v", err)
		}
		for _, c := range all {
			at := c.at(base)
			if at.Host != base.Host || at.Scheme != base.Scheme || !strings.HasPrefix(at.Path, "/web/"+c.stamp+"id_/") {
				t.Fatalf("%q leads to %s", c.original, at)
			}
			again, err := url.Parse(at.String())
			if err != nil || again.Host != base.Host {
				t.Fatalf("%q leads to %s: %v", c.original, at, err)
			}
			if read, ok := readCapture(base, again); !ok || read.stamp != c.stamp {
				t.Fatalf("%s is not read as a copy", at)
			}
		}
		if !json.Valid(body) && err == nil {
			t.Fatalf("%q is a list", body)
		}
	})
}
