package fetch

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
)

func TestGet(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
			_, _ = io.WriteString(w, "<p>hello</p>")
		},
	})
	before := time.Now()
	page, err := localClient(t, Options{}).Get(t.Context(), Request{URL: s.at("Site.Example", "/page?q=1#part")})
	if err != nil {
		t.Fatal(err)
	}
	if page.URL != s.at("Site.Example", "/page?q=1#part") || page.FinalURL != s.at("site.example", "/page?q=1") {
		t.Errorf("URL %q, final %q", page.URL, page.FinalURL)
	}
	if page.Status != 200 || page.ContentType != "text/html; charset=utf-8" || string(page.Body) != "<p>hello</p>" {
		t.Errorf("page %+v with body %q", page, page.Body)
	}
	if page.Outcome != citewell.FetchOK || page.Cached || page.SHA256 != citewell.SHA256(page.Body) {
		t.Errorf("page %+v", page)
	}
	if page.LastModified.Format(time.RFC3339) != "2026-03-02T10:00:00Z" {
		t.Errorf("last modified %v", page.LastModified)
	}
	if page.FetchedAt.Before(before.Add(-time.Second)) || page.FetchedAt.After(time.Now()) ||
		page.FetchedAt.Location() != time.UTC {
		t.Errorf("fetched at %v", page.FetchedAt)
	}
}

// within marks the context that a test fetches in.
type within struct{}

// Who watches hears of each page once, and of each that there was none.
func TestPagesAreHeardOf(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/page": plainText("hello"), "/moved": redirect("/page"),
		"/gone": status(http.StatusGone)})
	ctx := context.WithValue(t.Context(), within{}, true)
	var heard []string
	c := localClient(t, Options{Cache: newMemory(), Heard: func(ctx context.Context, x Exchange) {
		if x.Took < 0 || ctx.Value(within{}) != true || !strings.Contains(x.URL, "://site.example") {
			t.Errorf("it took %v, of %s", x.Took, x.URL)
		}
		heard = append(heard, fmt.Sprintf("%s %d %d %t %s", x.Page.Outcome, x.Status, len(x.Page.Body), x.Page.Cached,
			citewell.CodeOf(x.Err)))
	}})
	for _, path := range []string{"/page", "/moved", "/page", "/gone"} {
		_, _ = c.Get(ctx, Request{URL: s.at("site.example", path)}) // its error is heard of
	}
	_, _ = c.Get(ctx, Request{URL: "gopher://site.example/"})
	want := []string{"ok 200 5 false ", "ok 200 5 true ", "ok 200 5 true ", " 410 0 false http_status",
		" 0 0 false unsupported_scheme"}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

func TestBadInputs(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	tests := []struct {
		url     string
		code    citewell.Code
		message string // part of it
	}{
		{"", citewell.CodeInvalidArgument, "url is required"},
		{"  ", citewell.CodeInvalidArgument, "url is required"},
		{"example.com", citewell.CodeInvalidURL, "scheme"},
		{"//example.com/", citewell.CodeInvalidURL, "scheme"},
		{"http://", citewell.CodeInvalidURL, "host"},
		{"http:example.com", citewell.CodeInvalidURL, "host"},
		{"http://2130706433/", citewell.CodeInvalidURL, "number"},
		{"http://134744072/", citewell.CodeInvalidURL, "number"},
		{"http://0x7f000001/", citewell.CodeInvalidURL, "number"},
		{"http://0177.0.0.1/", citewell.CodeInvalidURL, "number"},
		{"http://127.1/", citewell.CodeInvalidURL, "number"},
		{"http://user:hunter2@example.com/", citewell.CodeInvalidURL, "credentials"},
		{"http://example.com:0/", citewell.CodeInvalidURL, "port"},
		{"http://exa mple.com/", citewell.CodeInvalidURL, "space"},
		{"http://example.com\\@10.0.0.5/", citewell.CodeInvalidURL, "backslash"},
		{"http://[fe80::1%25eth0]/", citewell.CodeInvalidURL, "zone"},
		{"file:///etc/passwd", citewell.CodeUnsupportedScheme, "http and https"},
		{"ftp://example.com/", citewell.CodeUnsupportedScheme, "http and https"},
		{"javascript:alert(1)", citewell.CodeUnsupportedScheme, "http and https"},
		{"data:text/html,x", citewell.CodeUnsupportedScheme, "http and https"},
		{"http://127.0.0.1/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://localhost/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://localhost./", citewell.CodeBlockedAddress, "not a public address"},
		{"https://10.0.0.5/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://169.254.169.254/latest/meta-data/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://[::1]/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://[::ffff:10.0.0.5]/", citewell.CodeBlockedAddress, "not a public address"},
		{"http://93.184.215.14:6379/", citewell.CodeBlockedAddress, "port"},
	}
	for _, test := range tests {
		for _, ignore := range []bool{false, true} { // the same, whether robots.txt comes first or not
			_, err := c.Get(t.Context(), Request{URL: test.url, IgnoreRobots: ignore})
			t.Run(fmt.Sprintf("%s/%v", test.url, ignore), func(t *testing.T) {
				wantCode(t, err, test.code)
				if view := citewell.View(err); !strings.Contains(view.Message, test.message) {
					t.Errorf("message %q", view.Message)
				}
			})
		}
	}
}

func TestRequestRanges(t *testing.T) {
	c := New(Options{})
	for name, r := range map[string]Request{
		"timeout":         {Timeout: -1},
		"120s":            {Timeout: MaxTimeout + 1},
		"max_bytes":       {MaxBytes: -1},
		"16777216":        {MaxBytes: MaxMaxBytes + 1},
		"max_redirects":   {MaxRedirects: -1},
		"20":              {MaxRedirects: MaxMaxRedirects + 1},
		"accept_language": {AcceptLanguage: "en\r\nX-Evil: 1"},
	} {
		r.URL = "https://example.com/"
		_, err := c.Get(t.Context(), r)
		wantCode(t, err, citewell.CodeInvalidArgument)
		// The limit in a name is written as people write it.
		if !strings.Contains(strings.ReplaceAll(err.Error(), "2m0s", "120s"), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNamesWithoutPublicAddress(t *testing.T) {
	c := localClient(t, Options{})
	for name, code := range map[string]citewell.Code{
		"http://inside.example/":    citewell.CodeBlockedAddress,
		"http://mixed.example/":     citewell.CodeBlockedAddress,
		"http://missing.example/":   citewell.CodeDNSFailed,
		"http://missing.example./x": citewell.CodeDNSFailed,
	} {
		_, err := c.Get(t.Context(), Request{URL: name})
		wantCode(t, err, code)
	}
}

func TestOnlyThreeHeadersTravel(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/from": func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Path: "/"})
			w.Header().Set("Location", "/to")
			w.WriteHeader(http.StatusSeeOther)
		},
		"/to": plainText("here"),
	})
	c := localClient(t, Options{UserAgent: "Mine/1"})
	if _, err := c.Get(t.Context(), Request{URL: s.at("site.example", "/from?token=x"),
		AcceptLanguage: "de"}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.paths(), " "); got != "/robots.txt /from /to" {
		t.Fatalf("asked for %s", got)
	}
	for _, r := range s.seen {
		if r.Method != http.MethodGet || r.UserAgent() != "Mine/1" || r.Header.Get("Accept-Language") != "de" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		for name := range r.Header {
			if !strings.Contains(" User-Agent Accept Accept-Language Accept-Encoding ", " "+name+" ") {
				t.Errorf("%s travels to %s", name, r.URL)
			}
		}
	}
}

// A host that asks for another User-Agent is told it with each request, and who comes before or
// after it in a redirect is not; a caller's own goes before it.
func TestAHostMayAskForAnotherAgent(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/rules": plainText(""), "/to": plainText("here")})
	leads := func(name, path string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, s.at(name, path), http.StatusFound) }
	}
	s.pages["other.example:"+s.port+"/robots.txt"] = leads("third.example", "/rules")
	s.pages["/from"], s.pages["/asks"] = leads("other.example", "/asks"), leads("third.example", "/to")
	const asksFor = "Mine/1 (me@harbour.example)"
	for _, own := range []string{"", "Hers/2"} {
		c := localClient(t, Options{UserAgent: "Mine/1", AgentAt: func(u *url.URL) string {
			if u.Hostname() == "other.example" {
				return asksFor
			}
			return ""
		}})
		s.seen = nil
		if _, err := c.Get(t.Context(), Request{URL: s.at("site.example", "/from"), UserAgent: own}); err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(s.paths(), " "), "/robots.txt /from /robots.txt /rules /asks "+
			"/robots.txt /to"; got != want {
			t.Errorf("asked for %s, want %s", got, want)
		}
		for _, r := range s.seen {
			want := cmp.Or(own, "Mine/1")
			if own == "" && strings.HasPrefix(r.Host, "other.example:") {
				want = asksFor
			}
			if r.UserAgent() != want {
				t.Errorf("%s%s was told %q, want %q", r.Host, r.URL, r.UserAgent(), want)
			}
		}
	}
}

// A caller's User-Agent is what a site sees, and no way round its robots.txt: the
// rules for our own product token hold whatever we are called.
func TestRobotsHoldUnderAnyUserAgent(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/robots.txt": plainText("User-agent: Googlebot\nDisallow: /for-us\n\nUser-agent: Citewell\nDisallow: " +
			"/for-google\n\nUser-agent: *\nDisallow: /"),
		"/for-us": plainText("yours"), "/for-google": plainText("theirs"),
	})
	const agent = "Mozilla/5.0 (compatible; Googlebot/2.1)"
	c := localClient(t, Options{})
	if _, err := c.Get(t.Context(), Request{URL: s.url + "/for-us", UserAgent: agent}); err != nil {
		t.Errorf("the rules for Googlebot were taken: %v", err)
	}
	_, err := c.Get(t.Context(), Request{URL: s.url + "/for-google", UserAgent: agent})
	wantCode(t, err, citewell.CodeRobotsDisallowed)
	if got := strings.Join(s.paths(), " "); got != "/robots.txt /for-us" {
		t.Errorf("asked for %s", got)
	}
	for _, r := range s.seen {
		if r.UserAgent() != agent {
			t.Errorf("%s was asked for as %q", r.URL.Path, r.UserAgent())
		}
	}
}

func TestStatusAndEmptyBody(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{
		"/500": status(500), "/204": status(204), "/empty": plainText(""), "/304": status(304), "/302": status(302),
		"/teapot": status(418), "/999": status(999),
	})
	c := localClient(t, Options{})
	for path, want := range map[string]struct {
		code    citewell.Code
		message string
	}{
		"/missing": {citewell.CodeHTTPStatus, "the server answered 404 Not Found"},
		"/500":     {citewell.CodeHTTPStatus, "the server answered 500 Internal Server Error"},
		"/999":     {citewell.CodeHTTPStatus, "the server answered 999"},
		"/304":     {citewell.CodeHTTPStatus, "the server answered 304 without saying where to go"},
		"/302":     {citewell.CodeHTTPStatus, "the server answered 302 without saying where to go"},
		"/204":     {citewell.CodeEmptyBody, "the server answered with no bytes"},
		"/empty":   {citewell.CodeEmptyBody, "the server answered with no bytes"},
	} {
		_, err := c.Get(t.Context(), Request{URL: s.url + path})
		wantCode(t, err, want.code)
		if got := citewell.View(err).Message; got != want.message {
			t.Errorf("%s: %q", path, got)
		}
		if e, ok := errors.AsType[*citewell.Error](err); !ok || e.Op != "fetch.get 127.0.0.1" {
			t.Errorf("%s: op in %v", path, err)
		}
	}
}

func TestBodyBudgets(t *testing.T) {
	zeros := make([]byte, 1<<20)
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(zeros)
	_ = z.Close()
	gzipped := out.Bytes()
	bomb := bytes.Repeat(gzipped, 200) // members in a row are one stream of 200 MB
	encoded := func(encoding string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			_, _ = w.Write(body)
		}
	}
	s := newSite(t, map[string]http.HandlerFunc{
		"/50MB": func(w http.ResponseWriter, _ *http.Request) {
			for range 50 {
				if _, err := w.Write(zeros); err != nil {
					return
				}
			}
		},
		"/10":   plainText("0123456789"),
		"/bomb": encoded("gzip", bomb),
		"/gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, "packed text")
			_ = z.Close()
		},
		"/twice": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(gzipped)
			_ = z.Close()
		},
		"/br": encoded("br", []byte("x")),
		"/half": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "only this")
		},
		"/headers": func(w http.ResponseWriter, _ *http.Request) {
			for i := range 200 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 1000))
			}
		},
		"/hijacked": func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH\r\n")
				_ = conn.Close()
			}
		},
	})
	c := localClient(t, Options{})

	page, err := c.Get(t.Context(), Request{URL: s.url + "/50MB"})
	if err != nil || len(page.Body) != DefaultMaxBytes || page.Outcome != citewell.FetchTruncated ||
		page.SHA256 != citewell.SHA256(page.Body) {
		t.Errorf("50 MB: %d bytes, %s, %v", len(page.Body), page.Outcome, err)
	}
	for limit, outcome := range map[int64]citewell.FetchOutcome{9: citewell.FetchTruncated, 10: citewell.FetchOK} {
		page, err = c.Get(t.Context(), Request{URL: s.url + "/10", MaxBytes: limit})
		if err != nil || int64(len(page.Body)) != limit || page.Outcome != outcome {
			t.Errorf("limit %d: %q, %s, %v", limit, page.Body, page.Outcome, err)
		}
	}
	page, err = c.Get(t.Context(), Request{URL: s.url + "/gzip"})
	if err != nil || string(page.Body) != "packed text" {
		t.Errorf("gzip: %q, %v", page.Body, err)
	}
	for path, code := range map[string]citewell.Code{
		"/bomb":     citewell.CodeResponseTooLarge,
		"/twice":    citewell.CodeUnsupportedEncoding,
		"/br":       citewell.CodeUnsupportedEncoding,
		"/half":     citewell.CodeHTTPFailed,
		"/headers":  citewell.CodeResponseTooLarge,
		"/hijacked": citewell.CodeHTTPFailed,
	} {
		_, err := c.Get(t.Context(), Request{URL: s.url + path})
		t.Run(path, func(t *testing.T) { wantCode(t, err, code) })
	}
}

func TestConnectionFailures(t *testing.T) {
	c := localClient(t, Options{})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := closed.Addr().String()
	_ = closed.Close()
	_, err = c.Get(t.Context(), Request{URL: "http://" + gone + "/"})
	wantCode(t, err, citewell.CodeConnectFailed)

	secure := httptest.NewUnstartedServer(plainText("secret"))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the refusal is meant
	secure.StartTLS()
	defer secure.Close()
	_, err = c.Get(t.Context(), Request{URL: secure.URL})
	wantCode(t, err, citewell.CodeTLSFailed)
	if outcomes.OfFetch(err) != citewell.FetchSSLError {
		t.Errorf("outcome %s", outcomes.OfFetch(err))
	}
}

func TestDeadlineAndCancel(t *testing.T) {
	release := make(chan struct{})
	s := newSite(t, map[string]http.HandlerFunc{
		"/hang": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		},
		"/fast": plainText("quick"),
	})
	defer close(release)
	c := localClient(t, Options{})
	_, err := c.Get(t.Context(), Request{URL: s.url + "/hang", Timeout: 50 * time.Millisecond})
	wantCode(t, err, citewell.CodeTimeout)
	if view := citewell.View(err); view.Message != "no complete answer within 50ms" || !view.Retryable {
		t.Errorf("%+v", view)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = c.Get(ctx, Request{URL: s.url + "/hang"})
	wantCode(t, err, citewell.CodeCanceled)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cause is lost: %v", err)
	}

	// A slow page on one host does not spoil the others.
	var fetched sync.WaitGroup
	for _, name := range []string{"site.example", "other.example", "third.example"} {
		fetched.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: s.at(name, "/fast"), Timeout: 5 * time.Second}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	_, err = c.Get(t.Context(), Request{URL: s.url + "/hang", Timeout: 50 * time.Millisecond})
	wantCode(t, err, citewell.CodeTimeout)
	fetched.Wait()
}

// BenchmarkGet against BenchmarkBare is what manners, robots rules, guard and
// budgets cost.
func BenchmarkGet(b *testing.B) {
	server := httptest.NewServer(plainText(strings.Repeat("x", 20_000)))
	defer server.Close()
	c := localClient(b, Options{})
	defer c.Close()
	for b.Loop() {
		if _, err := c.Get(b.Context(), Request{URL: server.URL + "/page"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBare(b *testing.B) {
	server := httptest.NewServer(plainText(strings.Repeat("x", 20_000)))
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	for b.Loop() {
		resp, err := http.Get(server.URL + "/page")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}
