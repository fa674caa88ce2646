package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/outcomes"
)

func TestRobotsAnswers(t *testing.T) {
	deny := "User-agent: *\nDisallow: /page\n"
	chain := func(n int) map[string]http.HandlerFunc {
		pages := map[string]http.HandlerFunc{"/robots.txt": redirect("/r1")}
		for i := 1; i < n; i++ {
			pages[fmt.Sprintf("/r%d", i)] = redirect(fmt.Sprintf("/r%d", i+1))
		}
		pages[fmt.Sprintf("/r%d", n)] = plainText(deny)
		return pages
	}
	one := func(h http.HandlerFunc) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{"/robots.txt": h}
	}
	tests := []struct {
		name    string
		pages   map[string]http.HandlerFunc
		code    citewell.Code
		message string
	}{
		{"missing_allows", one(nil), "", ""},
		{"unauthorized_allows", one(status(401)), "", ""},
		{"forbidden_allows", one(status(403)), "", ""},
		{"empty_allows", one(plainText("")), "", ""},
		{"rules_allow", one(plainText("User-agent: *\nDisallow: /private")), "", ""},
		{"rules_refuse", one(plainText(deny)), citewell.CodeRobotsDisallowed,
			"robots.txt of 127.0.0.1 forbids this page to Citewell (line 2: Disallow: /page)"},
		{"our_token_whatever_the_agent", one(plainText("User-agent: Mine\nAllow: /\nUser-agent: *\nAllow: " +
			"/\nUser-agent: Citewell\nDisallow: /")), citewell.CodeRobotsDisallowed, "(line 6: Disallow: /)"},
		{"server_error_refuses", one(status(500)), citewell.CodeRobotsDisallowed, "answered 500"},
		{"unavailable_refuses", one(status(503)), citewell.CodeRobotsDisallowed, "answered 503"},
		{"five_redirects_are_followed", chain(5), citewell.CodeRobotsDisallowed, "line 2"},
		{"six_redirects_allow", chain(6), "", ""},
		{"circle_allows", one(redirect("/robots.txt")), "", ""},
		{"redirect_inside_refuses", one(redirect("http://10.0.0.5/robots.txt")), citewell.CodeRobotsDisallowed,
			"could not be read"},
		{"rules_after_500_KiB_do_not_count", one(plainText(strings.Repeat("# filler\n", 60_000) + deny)), "", ""},
		{"broken_answer_refuses", one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("half"))
		}), citewell.CodeHTTPFailed, "could not be read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, test.pages)
			s.pages["/page"] = plainText("page")
			c := localClient(t, Options{UserAgent: "Mine/1"})
			_, err := c.Get(t.Context(), Request{URL: s.url + "/page"})
			if citewell.CodeOf(err) != test.code {
				t.Fatalf("got %v", err)
			}
			if test.code == "" {
				return
			}
			if got := citewell.View(err).Message; !strings.Contains(got, test.message) {
				t.Errorf("message %q", got)
			}
			if s.count("/page") > 0 {
				t.Error("the page was asked for all the same")
			}
			if _, err := c.Get(t.Context(), Request{URL: s.url + "/page", IgnoreRobots: true}); err != nil {
				t.Errorf("where robots.txt is not consulted: %v", err)
			}
			if test.code == citewell.CodeRobotsDisallowed && outcomes.OfFetch(err) != citewell.FetchBlockedRobots {
				t.Errorf("outcome %s", outcomes.OfFetch(err))
			}
		})
	}
}

func TestRobotsIsReadOncePerSite(t *testing.T) {
	s := newSite(t, map[string]http.HandlerFunc{"/robots.txt": plainText("User-agent: *\nDisallow: /no")})
	for i := range 10 {
		s.pages[fmt.Sprintf("/%d", i)] = plainText("page")
	}
	var fetched sync.WaitGroup
	c := localClient(t, Options{})
	for i := range 10 {
		path := fmt.Sprintf("/%d", i)
		fetched.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: s.url + path}); err != nil {
				t.Error(err)
			}
		})
	}
	fetched.Wait()
	if n := s.count("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was read %d times for 10 pages", n)
	}
	if _, err := c.Get(t.Context(), Request{URL: s.at("site.example", "/1")}); err != nil {
		t.Error(err)
	}
	if n := s.count("/robots.txt"); n != 2 {
		t.Errorf("robots.txt was read %d times for two hosts", n)
	}
}

func TestRobotsOfEachHop(t *testing.T) {
	s := newSite(t, nil)
	s.pages = map[string]http.HandlerFunc{
		"other.example:" + s.port + "/robots.txt": plainText("User-agent: citewell\nDisallow: /page"),
		"/from": redirect(s.at("other.example", "/page")),
		"/page": plainText("page"),
	}
	_, err := localClient(t, Options{}).Get(t.Context(), Request{URL: s.at("site.example", "/from")})
	wantCode(t, err, citewell.CodeRobotsDisallowed)
	if s.count("/page") > 0 {
		t.Error("the page was asked for all the same")
	}
	if _, err := localClient(t, Options{IgnoreRobots: true}).Get(t.Context(),
		Request{URL: s.at("site.example", "/from")}); err != nil {
		t.Errorf("an operator's word: %v", err)
	}
}

// robotsServer answers robots.txt by a function that a test may change, and
// everything else with a page.
type robotsServer struct {
	robots func(*http.Request) (*http.Response, error)
	asked  int
}

func (s *robotsServer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/robots.txt" {
		return reply(200, "page"), nil
	}
	s.asked++
	return s.robots(r)
}

func TestRobotsIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &robotsServer{robots: func(*http.Request) (*http.Response, error) { return reply(500, ""), nil }}
		c := newClient(Options{}, server)
		get := func(path string) error {
			_, err := c.Get(t.Context(), Request{URL: "https://site.example" + path})
			return err
		}
		steps := []struct {
			after time.Duration
			reply func(*http.Request) (*http.Response, error)
			asked int
			code  citewell.Code // of /a
		}{
			{0, nil, 1, citewell.CodeRobotsDisallowed},
			{robotsRetry - time.Second, nil, 1, citewell.CodeRobotsDisallowed},
			{2 * time.Second, func(*http.Request) (*http.Response, error) {
				return reply(200, "User-agent: *\nDisallow: /b"), nil
			}, 2, ""},
			{robotsLifetime - time.Minute, nil, 2, ""},
			// older rules still hold
			{2 * time.Minute, func(*http.Request) (*http.Response, error) { return nil, errors.New("broken") }, 3, ""},
			{robotsRetry + time.Second, func(*http.Request) (*http.Response, error) {
				return reply(200, "User-agent: *\nDisallow: /a"), nil
			}, 4, citewell.CodeRobotsDisallowed},
		}
		for i, step := range steps {
			time.Sleep(step.after)
			if step.reply != nil {
				server.robots = step.reply
			}
			if err := get("/a"); citewell.CodeOf(err) != step.code || server.asked != step.asked {
				t.Errorf("step %d: asked %d times, %v", i, server.asked, err)
			}
			if i >= 2 && i < 5 {
				wantCode(t, get("/b"), citewell.CodeRobotsDisallowed)
			}
		}
	})
}

func TestRobotsThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &robotsServer{robots: func(r *http.Request) (*http.Response, error) {
			return nil, pause(r, time.Hour)
		}}
		c := newClient(Options{}, server)

		// A caller with less patience than robots.txt is given ends alone; nothing is
		// concluded about the site.
		_, err := c.Get(t.Context(), Request{URL: "https://site.example/", Timeout: time.Second})
		wantCode(t, err, citewell.CodeTimeout)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Get(ctx, Request{URL: "https://site.example/"})
		wantCode(t, err, citewell.CodeCanceled)

		start := time.Now()
		var fetched sync.WaitGroup
		for i := range 3 {
			fetched.Go(func() {
				_, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("https://site.example/%d", i)})
				wantCode(t, err, citewell.CodeTimeout)
				if !strings.Contains(citewell.View(err).Message, "robots.txt could not be read") {
					t.Errorf("%v", err)
				}
			})
		}
		fetched.Wait()
		if waited := time.Since(start); waited != robotsTimeout || server.asked != 3 {
			t.Errorf("waited %v, asked %d times", waited, server.asked)
		}
	})
}

// A follower whose leader gives up takes over.
func TestRobotsLeaderGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &robotsServer{robots: func(r *http.Request) (*http.Response, error) {
			if err := pause(r, 2*time.Second); err != nil {
				return nil, err
			}
			return reply(404, ""), nil
		}}
		c := newClient(Options{}, server)
		var fetched sync.WaitGroup
		fetched.Go(func() {
			_, err := c.Get(t.Context(), Request{URL: "https://site.example/", Timeout: time.Second})
			wantCode(t, err, citewell.CodeTimeout)
		})
		synctest.Wait()
		fetched.Go(func() {
			start := time.Now()
			if _, err := c.Get(t.Context(), Request{URL: "https://site.example/"}); err != nil {
				t.Error(err)
			}
			if waited := time.Since(start); waited != 3*time.Second {
				t.Errorf("waited %v", waited)
			}
		})
		fetched.Wait()
	})
}

func TestSitesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &robotsServer{robots: func(*http.Request) (*http.Response, error) { return reply(404, ""), nil }}
		c := newClient(Options{}, server)
		for i := range maxSites + maxQueues {
			if _, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("https://s%d.example/", i)}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if n := len(c.sites.site); n > maxSites {
			t.Errorf("%d sites are remembered", n)
		}
		if n := len(c.manners.hosts); n > maxQueues {
			t.Errorf("%d hosts are remembered", n)
		}
	})
}
