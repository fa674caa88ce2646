package fetch

import (
	"context"
	"net/http"
	"net/netip"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

// besideTheWeb is a guard that allows the site's address, with a public web beside it: the
// names of www answer at once with a redirect to what they stand for.
func besideTheWeb(t *testing.T, s *site, follow bool, www map[string]string) *egress.Guard {
	t.Helper()
	guard, err := egress.NewGuard(egress.Options{
		AllowNetworks: egress.MustParseNetworks("127.0.0.1/32:" + s.port), FollowIntoNetworks: follow,
		Resolver: names{"wiki.corp.com": {loopback}, "wiki.internal": {loopback},
			"other.com": {netip.MustParseAddr("127.0.0.1")}},
		Wrap: func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				if to := www[r.URL.Hostname()]; to != "" && r.URL.Path != "/robots.txt" {
					return reply(http.StatusFound, "", "Location", to), nil
				} else if to != "" {
					return reply(http.StatusNotFound, ""), nil
				}
				return next.RoundTrip(r)
			})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

// The operator's own pages are there for who names them, and for their own redirects. They
// are not there for a redirect of a public page, nor by a public name that was found
// somewhere: not after they were read, kept and have a connection open either.
func TestOwnPagesAreNotForStrangers(t *testing.T) {
	for _, follow := range []bool{false, true} {
		s := newSite(t, map[string]http.HandlerFunc{"/page": plainText("secret"), "/from": redirect("/page")})
		s.pages["/moved"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=600")
			w.Header().Set("Location", "/page")
			w.WriteHeader(http.StatusMovedPermanently)
		}
		s.pages["/to-name"] = redirect(s.at("wiki.corp.com", "/page"))
		www := map[string]string{"www.public.com": s.url + "/page", "far.public.com": "http://www.public.com/",
			"named.public.com": s.at("wiki.corp.com", "/page"), "inside.public.com": s.at("wiki.internal", "/page")}
		guard := besideTheWeb(t, s, follow, www)
		c := New(Options{Guard: guard, Cache: newMemory(), Spacing: -1})
		t.Cleanup(c.Close)
		blocked := map[bool]citewell.Code{false: citewell.CodeBlockedAddress, true: ""}[follow]
		led := map[bool]citewell.Code{false: citewell.CodeBlockedRedirect, true: ""}[follow]
		for round := range 2 { // the second with everything kept that may be
			for _, test := range []struct {
				url     string
				naming  func(context.Context) context.Context
				want    citewell.Code
				refused string // a path that nobody asks for then
			}{
				{"http://www.public.com/", nil, led, "/page"},
				{"http://far.public.com/", nil, led, "/page"},
				{"http://named.public.com/", nil, led, "/page"},
				{"http://inside.public.com/", nil, led, "/page"},
				{s.at("wiki.corp.com", "/page"), egress.Found, blocked, "/page"},
				{s.at("wiki.corp.com", "/from"), egress.Found, blocked, "/from"},
				{s.at("127.0.0.1", "/to-name"), egress.Found, led, ""},
				{s.at("wiki.corp.com", "/page"), nil, "", ""},
				{s.at("wiki.corp.com", "/from"), nil, "", ""},
				{s.at("127.0.0.1", "/to-name"), nil, "", ""},
				{s.at("wiki.corp.com", "/moved"), nil, "", ""},
				{s.at("wiki.internal", "/from"), egress.Found, "", ""},
				{s.url + "/page", egress.Found, "", ""},
			} {
				ctx := t.Context()
				if test.naming != nil {
					ctx = test.naming(ctx)
				}
				before := s.count(test.refused)
				page, err := c.Get(ctx, Request{URL: test.url})
				if citewell.CodeOf(err) != test.want || (err == nil) != (string(page.Body) == "secret") {
					t.Errorf("follow %v, round %d, %s: %q, %v; want %q", follow, round, test.url, page.Body,
						err, test.want)
				}
				if test.want != "" && test.refused != "" && s.count(test.refused) != before {
					t.Errorf("round %d, %s: the page was asked for", round, test.url)
				}
			}
		}
		caller := NewCaller(guard, "")
		if _, err := caller.Do(t.Context(), Call{Method: http.MethodGet,
			URL: "http://www.public.com/"}); citewell.CodeOf(err) != led {
			t.Errorf("follow %v: a call's redirect: %v", follow, err)
		}
		if r, err := caller.Do(t.Context(), Call{Method: http.MethodGet, URL: s.at("wiki.corp.com", "/from")}); err !=
			nil || string(r.Body) != "secret" {
			t.Errorf("follow %v: a call of an own page: %q, %v", follow, r.Body, err)
		}
	}
}

// A page that was kept and must be asked about again is not asked about, nor shown, for who
// may not have got it.
func TestConnectionsAreKeptApart(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/page": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Etag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		plainText("secret")(w, r)
	}})
	c := New(Options{Guard: besideTheWeb(t, s, false, nil), Cache: newMemory(), IgnoreRobots: true, Spacing: -1})
	t.Cleanup(c.Close)
	for range 3 {
		if page, err := c.Get(t.Context(), Request{URL: s.at("wiki.corp.com", "/page")}); err != nil ||
			string(page.Body) != "secret" {
			t.Fatalf("%q, %v", page.Body, err)
		}
		before := s.count("/page")
		_, err := c.Get(egress.Found(t.Context()), Request{URL: s.at("wiki.corp.com", "/page")})
		wantCode(t, err, citewell.CodeBlockedAddress)
		if s.count("/page") != before {
			t.Error("a connection was there for who could not have made it")
		}
	}
}
