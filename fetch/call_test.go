package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
)

// localCaller reaches 127.0.0.1 alone, as localClient does.
func localCaller(t testing.TB) *Caller {
	t.Helper()
	home := []netip.Addr{loopback}
	guard, err := egress.NewGuard(egress.Options{
		AllowNetworks: egress.MustParseNetworks("127.0.0.1/32"),
		Resolver: names{"site.example": home, "other.example": home,
			"inside.example": {netip.MustParseAddr("10.0.0.5")}, "mixed.example": {
				loopback, netip.MustParseAddr("10.0.0.5")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewCaller(guard, "Mine/1")
}

// sent is what a site was sent: method, path, body and the headers that matter.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(w, "%s %s body=%q auth=%q key=%q type=%q accept=%q agent=%q", r.Method, r.URL.Path, body,
		r.Header.Get("Authorization"),
		r.Header.Get("X-Api-Key"), r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.UserAgent())
}

func redirecting(status int, to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", strings.ReplaceAll(to, "PORT", portOf(r)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "moved")
	}
}

func portOf(r *http.Request) string { return r.Host[strings.LastIndexByte(r.Host, ':')+1:] }

func TestCallSendsWhatItIsTold(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/echo": echo})
	c := localCaller(t)
	header, _, err := httpwire.ParseHeader(`{"Authorization": "Bearer k", "x-api-key": "k2", "User-Agent": "Yours/2"}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Do(t.Context(), Call{Method: http.MethodPost, URL: s.at("site.example", "/echo#part"), Header: header,
		Body: []byte(`{"a":1}`)})
	want := `POST /echo body="{\"a\":1}" auth="Bearer k" key="k2" type="application/json" accept="*/*" agent="Yours/2"`
	if err != nil || string(got.Body) != want || got.Status != 200 || got.FinalURL != s.at("site.example", "/echo") ||
		got.Notes != nil {
		t.Errorf("%s, %+v, %v", got.Body, got, err)
	}
	got, err = c.Do(t.Context(), Call{Method: http.MethodGet, URL: s.at("site.example", "/echo")})
	if want := `GET /echo body="" auth="" key="" type="" accept="*/*" agent="Mine/1"`; err != nil ||
		string(got.Body) != want {
		t.Errorf("%s, %v", got.Body, err)
	}
	for _, path := range s.paths() {
		if path == "/robots.txt" {
			t.Error("robots.txt was asked for")
		}
	}
}

// An error status is an answer, with its body; nothing is asked again.
func TestCallGivesErrorAnswers(t *testing.T) {
	for _, code := range []int{201, 204, 302, 400, 404, 418, 429, 500, 503} {
		s := newSite(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(code)
			if code != 204 {
				_, _ = io.WriteString(w, "said")
			}
		}})
		got, err := localCaller(t).Do(t.Context(), Call{Method: http.MethodGet, URL: s.url + "/"})
		if err != nil || got.Status != code || code != 204 && string(got.Body) != "said" || len(s.paths()) != 1 {
			t.Errorf("%d: %+v after %d requests, %v", code, got, len(s.paths()), err)
		}
	}
}

func TestCallRedirects(t *testing.T) {
	tests := []struct {
		name, method string
		status       int
		to           string
		want         string // what the last host was sent
		code         citewell.Code
		notes        int
	}{
		{"get_301_same_host", "GET", 301, "/echo",
			`GET /echo body="" auth="Bearer k" key="k2" type="" accept="a/b" agent="Yours/2"`, "", 0},
		{"get_307_same_host", "GET", 307, "/echo",
			`GET /echo body="" auth="Bearer k" key="k2" type="" accept="a/b" agent="Yours/2"`, "", 0},
		{"get_302_other_host", "GET", 302, "http://other.example:PORT/echo",
			`GET /echo body="" auth="" key="" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"get_308_other_host", "GET", 308, "//other.example:PORT/echo",
			`GET /echo body="" auth="" key="" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"get_other_host_and_back", "GET", 302, "http://other.example:PORT/back",
			`GET /echo body="" auth="" key="" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"post_301", "POST", 301, "/echo",
			`GET /echo body="" auth="Bearer k" key="k2" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"post_302", "POST", 302, "/echo",
			`GET /echo body="" auth="Bearer k" key="k2" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"post_303", "POST", 303, "/echo",
			`GET /echo body="" auth="Bearer k" key="k2" type="" accept="a/b" agent="Yours/2"`, "", 1},
		{"post_303_to_itself", "POST", 303, "/self", `GET /self`, "", 1},
		{"post_303_other_host", "POST", 303, "http://other.example:PORT/echo",
			`GET /echo body="" auth="" key="" type="" accept="a/b" agent="Yours/2"`, "", 2},
		{"post_307_same_host", "POST", 307, "/echo",
			`POST /echo body="[1]" auth="Bearer k" key="k2" type="application/json" accept="a/b" agent="Yours/2"`, "",
			0},
		{"post_308_same_host", "POST", 308, "/echo",
			`POST /echo body="[1]" auth="Bearer k" key="k2" type="application/json" accept="a/b" agent="Yours/2"`, "",
			0},
		{"post_307_other_host", "POST", 307, "http://other.example:PORT/echo", "", citewell.CodeCrossDomainRedirect, 0},
		{"post_308_other_port", "POST", 308, "http://site.example:80/echo", "", citewell.CodeCrossDomainRedirect, 0},
		{"private_name", "GET", 302, "http://inside.example/", "", citewell.CodeBlockedRedirect, 0},
		{"mixed_name", "GET", 302, "http://mixed.example/", "", citewell.CodeBlockedRedirect, 0},
		{"localhost", "GET", 302, "http://127.0.0.2:6379/", "", citewell.CodeBlockedRedirect, 0},
		{"metadata", "POST", 303, "http://169.254.169.254/latest/", "", citewell.CodeBlockedRedirect, 0},
		{"numeric_host", "GET", 302, "http://2130706433/", "", citewell.CodeBlockedRedirect, 0},
		{"file", "GET", 302, "file:///etc/passwd", "", citewell.CodeBlockedRedirect, 0},
		{"userinfo", "GET", 302, "http://me:hunter2@other.example:PORT/echo", "", citewell.CodeBlockedRedirect, 0},
		{"circle", "GET", 302, "/start", "", citewell.CodeTooManyRedirects, 0},
		{"endless", "GET", 302, "/next/1", "", citewell.CodeTooManyRedirects, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			self := redirecting(test.status, "/self")
			pages := map[string]http.HandlerFunc{"/echo": echo, "/start": redirecting(test.status, test.to),
				"/back": redirecting(302, "http://site.example:PORT/echo")}
			for i := range 9 {
				pages[fmt.Sprintf("/next/%d", i)] = redirect(fmt.Sprintf("/next/%d", i+1))
			}
			url := "/start"
			if test.to == "/self" {
				url = "/self"
				pages["/self"] = func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						self(w, r)
						return
					}
					_, _ = io.WriteString(w, "GET /self")
				}
			}
			s := newSite(t, pages)
			header, _, err := httpwire.ParseHeader(
				`{"Authorization": "Bearer k", "X-Api-Key": "k2", "Accept": "a/b", "User-Agent": "Yours/2"}`)
			if err != nil {
				t.Fatal(err)
			}
			call := Call{Method: test.method, URL: s.at("site.example", url), Header: header}
			if test.method == http.MethodPost {
				call.Body = []byte("[1]")
			}
			got, err := localCaller(t).Do(t.Context(), call)
			if test.code != "" {
				wantCode(t, err, test.code)
				if slices.Contains(s.paths(), "/echo") {
					t.Error("it was sent all the same")
				}
				return
			}
			if err != nil || string(got.Body) != test.want || len(got.Notes) != test.notes {
				t.Errorf("got  %s\nwant %s\nnotes %q, %v", got.Body, test.want, got.Notes, err)
			}
			if !strings.HasPrefix(got.FinalURL, "http://") || strings.HasSuffix(got.FinalURL, "/start") {
				t.Errorf("final URL %s", got.FinalURL)
			}
		})
	}
}

func TestCallRefuses(t *testing.T) {
	for url, code := range map[string]citewell.Code{
		"":                                citewell.CodeInvalidArgument,
		"example.com":                     citewell.CodeInvalidURL,
		"http://2130706433/":              citewell.CodeInvalidURL,
		"http://0x7f.1/":                  citewell.CodeInvalidURL,
		"http://user:hunter2@a.example/":  citewell.CodeInvalidURL,
		"file:///etc/passwd":              citewell.CodeUnsupportedScheme,
		"http://127.0.0.2/":               citewell.CodeBlockedAddress,
		"http://[::1]/":                   citewell.CodeBlockedAddress,
		"http://[::ffff:10.0.0.5]/":       citewell.CodeBlockedAddress,
		"http://169.254.169.254/latest/":  citewell.CodeBlockedAddress,
		"http://inside.example/":          citewell.CodeBlockedAddress,
		"http://mixed.example/":           citewell.CodeBlockedAddress,
		"http://localhost.localdomain/":   citewell.CodeDNSFailed,
		"http://site.example.\x00evil.x/": citewell.CodeInvalidURL,
	} {
		_, err := localCaller(t).Do(t.Context(), Call{Method: http.MethodGet, URL: url})
		wantCode(t, err, code)
	}
	for _, call := range []Call{{Method: "DELETE"}, {Method: "GET", Timeout: 121 * time.Second},
		{Method: "GET", MaxBytes: 17 << 20}} {
		call.URL = "http://site.example/"
		_, err := localCaller(t).Do(t.Context(), call)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
}

func TestCallBudgets(t *testing.T) {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	_, _ = z.Write(make([]byte, 20<<20))
	_ = z.Close()
	zipped := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(small.Bytes())
	}
	s := newSite(t, map[string]http.HandlerFunc{"/long": plainText(strings.Repeat("x", 700_000)),
		"/exact": plainText(strings.Repeat("x", DefaultCallMaxBytes)), "/bomb": zipped,
		"/br": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			_, _ = io.WriteString(w, "x")
		}})
	c := localCaller(t)
	for path, cut := range map[string]bool{"/long": true, "/exact": false, "/bomb": true} {
		got, err := c.Do(t.Context(), Call{Method: http.MethodGet, URL: s.url + path})
		if err != nil || len(got.Body) != DefaultCallMaxBytes || got.Truncated != cut {
			t.Errorf("%s: %d bytes, truncated %v, %v", path, len(got.Body), got.Truncated, err)
		}
	}
	_, err := c.Do(t.Context(), Call{Method: http.MethodGet, URL: s.url + "/bomb", MaxBytes: 16 << 20})
	wantCode(t, err, citewell.CodeResponseTooLarge)
	_, err = c.Do(t.Context(), Call{Method: http.MethodGet, URL: s.url + "/br"})
	wantCode(t, err, citewell.CodeUnsupportedEncoding)
}

// A call may wait longer for the headers than a page's fetch does, and no longer
// than it was given.
func TestCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Caller{userAgent: "x", transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return reply(200, "late"), pause(r, 50*time.Second)
		})}
		got, err := c.Do(context.Background(), Call{Method: http.MethodGet, URL: "http://site.example/",
			Timeout: time.Minute})
		if err != nil || string(got.Body) != "late" {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = c.Do(context.Background(), Call{Method: http.MethodGet, URL: "http://site.example/"})
		wantCode(t, err, citewell.CodeTimeout)
		if m := citewell.View(err).Message; !strings.Contains(m, "30s") {
			t.Errorf("message %q", m)
		}
	})
}
