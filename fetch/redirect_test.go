package fetch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/weburl"
)

func TestRedirects(t *testing.T) {
	s := newSite(t, nil)
	s.pages = map[string]http.HandlerFunc{
		"/page":                                redirect("/never"), // replaced for the hosts below
		"site.example:" + s.port + "/page":     plainText("site"),
		"www.site.example:" + s.port + "/page": plainText("www"),
		"other.example:" + s.port + "/page":    plainText("other"),
		"third.example:" + s.port + "/page":    plainText("third"),
		"/same":                                redirect("/page"),
		"/relative":                            redirect("page"),
		"/www":                                 redirect(s.at("www.site.example", "/page")),
		"/other":                               redirect(s.at("other.example", "/page")),
		"/other-then-third":                    redirect(s.at("other.example", "/third")),
		"/third":                               redirect(s.at("third.example", "/page")),
		"/dx":                                  redirect(s.at("dx.doi.org", "/other")),
		"/via-doi":                             redirect(s.at("doi.org", "/other")),
		"/1":                                   redirect("/2"),
		"/2":                                   redirect("/3"),
		"/3":                                   redirect("/4"),
		"/4":                                   redirect("/page"),
		"/circle":                              redirect("/circle2"),
		"/circle2":                             redirect("/circle#again"),
		"/self":                                redirect(""),
		"/refresh": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Refresh", "0; url=/page")
			_, _ = w.Write([]byte(`<meta http-equiv="refresh" content="0;url=/page">here`))
		},
	}
	for _, code := range []int{301, 302, 303, 307, 308} {
		s.pages["/code"+http.StatusText(code)[:4]] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/page")
			w.WriteHeader(code)
		}
	}
	tests := []struct {
		name, host, path string
		sameSite         bool
		limit            int
		body             string
		code             citewell.Code
	}{
		{"same_host", "site.example", "/same", true, 0, "site", ""},
		{"relative", "site.example", "/relative", true, 0, "site", ""},
		{"moved", "site.example", "/codeMove", true, 0, "site", ""},
		{"found", "site.example", "/codeFoun", true, 0, "site", ""},
		{"see_other", "site.example", "/codeSee ", true, 0, "site", ""},
		{"temporary", "site.example", "/codeTemp", true, 0, "site", ""},
		{"permanent", "site.example", "/codePerm", true, 0, "site", ""},
		{"sub_domain_is_the_same_site", "site.example", "/www", true, 0, "www", ""},
		{"other_site_where_allowed", "site.example", "/other", false, 0, "other", ""},
		{"other_site", "site.example", "/other", true, 0, "", citewell.CodeCrossDomainRedirect},
		{"address_is_another_site", "127.0.0.1", "/other", true, 0, "", citewell.CodeCrossDomainRedirect},
		{"resolver_may_leave", "doi.org", "/other", true, 0, "other", ""},
		{"resolver_to_resolver", "doi.org", "/dx", true, 0, "other", ""},
		{"resolver_leaves_once", "doi.org", "/other-then-third", true, 0, "", citewell.CodeCrossDomainRedirect},
		{"resolver_in_the_middle", "site.example", "/via-doi", true, 0, "", citewell.CodeCrossDomainRedirect},
		{"three_by_default", "site.example", "/2", true, 0, "site", ""},
		{"four_are_too_many", "site.example", "/1", true, 0, "", citewell.CodeTooManyRedirects},
		{"four_where_allowed", "site.example", "/1", true, 4, "site", ""},
		{"circle", "site.example", "/circle", true, 20, "", citewell.CodeTooManyRedirects},
		{"to_itself", "site.example", "/self", true, 20, "", citewell.CodeHTTPStatus},
		{"refresh_is_not_followed", "site.example", "/refresh", true, 0,
			`<meta http-equiv="refresh" content="0;url=/page">here`, ""},
	}
	c := localClient(t, Options{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := strings.ReplaceAll(test.path, " ", "%20")
			page, err := c.Get(t.Context(), Request{URL: s.at(test.host, path), SameSite: test.sameSite,
				MaxRedirects: test.limit})
			if test.code != "" {
				wantCode(t, err, test.code)
				return
			}
			if err != nil || string(page.Body) != test.body {
				t.Fatalf("body %q, %v", page.Body, err)
			}
			if page.URL != s.at(test.host, path) {
				t.Errorf("URL became %s", page.URL)
			}
			names := map[string]string{"site": "site.example", "www": "www.site.example", "other": "other.example"}
			if name := names[test.body]; name != "" && mustParse(t, page.FinalURL).Hostname() != name {
				t.Errorf("final URL %s for %s", page.FinalURL, test.body)
			}
		})
	}
	_, err := c.Get(t.Context(), Request{URL: s.at("site.example", "/other"), SameSite: true})
	if got := citewell.View(err).Message; got != "a redirect leads to another site, other.example" {
		t.Errorf("message %q", got)
	}
	if s.count("/never") > 0 {
		t.Error("a wrong host was asked")
	}
}

// A redirect to what is not fetched is one error, whatever the target was, and
// the target hears nothing.
func TestBlockedRedirects(t *testing.T) {
	targets := []string{
		"http://127.0.0.2:6379/", // only 127.0.0.1 stands for a public address here
		"http://[::1]/",
		"http://10.0.0.5/",
		"http://169.254.169.254/latest/meta-data/",
		"http://inside.example/",
		"http://mixed.example/",
		"http://0x7f.1/",
		"http://2130706433/",
		"http://user:hunter2@site.example/",
		"http://[fe80::1%25eth0]/",
		"file:///etc/passwd",
		"ftp://site.example/",
		"gopher://127.0.0.1:6379/_x",
		"javascript:alert(1)",
		"mailto:a@b.example",
		"//10.0.0.5/",
		"http:///x",
		"http://site.example:99999/",
		"http://%zz/",
	}
	pages := make(map[string]http.HandlerFunc)
	s := newSite(t, pages)
	c := localClient(t, Options{})
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			s.pages = map[string]http.HandlerFunc{"/from": redirect(target)}
			for _, ignore := range []bool{false, true} {
				_, err := c.Get(t.Context(), Request{URL: s.at("site.example", "/from"), IgnoreRobots: ignore})
				wantCode(t, err, citewell.CodeBlockedRedirect)
				if outcomes.OfFetch(err) != citewell.FetchValidationFailed {
					t.Errorf("outcome %s", outcomes.OfFetch(err))
				}
				if view := citewell.View(err); view.Message != citewell.CodeBlockedRedirect.Row().Meaning {
					t.Errorf("the message depends on the target: %q", view.Message)
				}
			}
		})
	}
}

// Whatever a Location holds, what is asked next is a URL that the one parser
// takes, in the form it gives.
func FuzzLocation(f *testing.F) {
	for _, seed := range []string{
		"/a", "b?c", "//other.example/", "\\\\other.example", "/\\other.example", "http://a@b/", "?", "#x", "http:x",
		"http://127.1/", "\thttp://x.example/", "http://x.example\r\nX: y", "..//..//", "http://ex%61mple.com/",
		"HTTP://X.EXAMPLE.:80/é",
	} {
		f.Add(seed)
	}
	at, err := weburl.Parse("https://site.example/dir/page?q=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, location string) {
		next, err := resolve(at, location)
		if err != nil {
			if code := citewell.CodeOf(hopError(err)); code != citewell.CodeBlockedRedirect {
				t.Errorf("code %s", code)
			}
			return
		}
		again, err := weburl.Parse(next.String())
		if err != nil || again.String() != next.String() || again.Host != next.Host {
			t.Errorf("%q became %q, which reads as %v, %v", location, next, again, err)
		}
		if next.Fragment != "" || next.User != nil {
			t.Errorf("%q keeps a fragment or credentials: %q", location, next)
		}
	})
}
