package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/outcomes"
	"github.com/citewell/citewell/internal/testing/storesuite"
)

// A meter notes when requests for pages begin, and how many are under way at once
// for each host.
type meter struct {
	takes time.Duration

	mu      sync.Mutex
	starts  map[string][]time.Time
	running map[string]int
	most    int
}

func newMeter(takes time.Duration) *meter {
	return &meter{takes: takes, starts: make(map[string][]time.Time), running: make(map[string]int)}
}

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	if r.URL.Path != "/robots.txt" {
		m.starts[r.URL.Host] = append(m.starts[r.URL.Host], time.Now())
	}
	m.running[r.URL.Host]++
	m.most = max(m.most, m.running[r.URL.Host])
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.running[r.URL.Host]--
	}()
	if err := pause(r, m.takes); err != nil {
		return nil, err
	}
	if r.URL.Path == "/from" {
		return reply(302, "", "Location", "/to"), nil
	}
	return reply(200, "page"), nil
}

func TestOneAtATimeAndSpaced(t *testing.T) {
	for _, test := range []struct {
		takes, apart time.Duration
	}{
		{0, DefaultSpacing},
		{100 * time.Millisecond, DefaultSpacing},
		{time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := newMeter(test.takes)
			c := newClient(Options{}, m)
			begin := time.Now()
			var fetched sync.WaitGroup
			for host := range 3 {
				for page := range 4 {
					fetched.Go(func() {
						if _, err := c.Get(t.Context(), Request{URL: fmt.Sprintf("https://s%d.example/%d", host,
							page)}); err != nil {
							t.Error(err)
						}
					})
				}
			}
			fetched.Wait()
			if m.most != 1 {
				t.Errorf("%d requests at once to one host", m.most)
			}
			for host, starts := range m.starts {
				if first := starts[0].Sub(begin); first != test.takes {
					t.Errorf("%s: first page after %v, robots.txt took %v", host, first, test.takes)
				}
				for i := range starts[1:] {
					if apart := starts[i+1].Sub(starts[i]); apart != test.apart {
						t.Errorf("%s: starts %v apart", host, apart)
					}
				}
			}
		})
	}
}

func TestPortsAreHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(time.Second)
		c := newClient(Options{IgnoreRobots: true}, m)
		begin := time.Now()
		var fetched sync.WaitGroup
		for _, u := range []string{"http://s.example/", "https://s.example/", "http://s.example:8080/"} {
			fetched.Go(func() {
				if _, err := c.Get(t.Context(), Request{URL: u}); err != nil {
					t.Error(err)
				}
			})
		}
		fetched.Wait()
		if took := time.Since(begin); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestRedirectOnOneHostIsNotSpaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(0)
		c := newClient(Options{}, m)
		for _, path := range []string{"/from", "/other"} {
			if _, err := c.Get(t.Context(), Request{URL: "https://s.example" + path}); err != nil {
				t.Fatal(err)
			}
		}
		starts := m.starts["s.example"]
		if len(starts) != 3 || starts[1] != starts[0] || starts[2].Sub(starts[1]) != DefaultSpacing {
			t.Errorf("starts %v", starts)
		}
	})
}

// A caller who gives up while a turn is given to it does not keep it from other processes.
func TestATurnOfOneWhoGaveUpIsEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	shared, m := &storesuite.Pace{}, newMeter(0)
	_, err := newClient(Options{IgnoreRobots: true, Pace: &storesuite.Process{Pace: shared, Begun: cancel}}, m).Get(ctx,
		Request{URL: "https://s.example/"})
	wantCode(t, err, citewell.CodeCanceled)
	if shared.Held() != 0 || len(m.starts) > 0 {
		t.Errorf("%d turns are held, and %v was asked", shared.Held(), m.starts)
	}
}

func TestNoTurnInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(Options{IgnoreRobots: true}, newMeter(5*time.Second))
		var fetched sync.WaitGroup
		fetched.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: "https://s.example/first"}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		_, err := c.Get(t.Context(), Request{URL: "https://s.example/second", Timeout: time.Second})
		wantCode(t, err, citewell.CodeRateLimited)
		if outcomes.OfFetch(err) != citewell.FetchRateLimited {
			t.Errorf("outcome %s", outcomes.OfFetch(err))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Get(ctx, Request{URL: "https://s.example/third"})
		wantCode(t, err, citewell.CodeCanceled)
		fetched.Wait()

		// A turn that is known to come too late is refused at once, and given back.
		begin := time.Now()
		c = newClient(Options{IgnoreRobots: true, Spacing: 10 * time.Second}, newMeter(0))
		for i, want := range []citewell.Code{"", citewell.CodeRateLimited} {
			_, err := c.Get(t.Context(), Request{URL: "https://s.example/"})
			if citewell.CodeOf(err) != want {
				t.Errorf("%d: %v", i, err)
			}
			if e, ok := errors.AsType[*citewell.Error](err); ok && e.RetryAfter != 10*time.Second {
				t.Errorf("retry after %v", e.RetryAfter)
			}
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("took %v", took)
		}
		time.Sleep(10 * time.Second)
		if _, err := c.Get(t.Context(), Request{URL: "https://s.example/"}); err != nil {
			t.Error(err)
		}
	})
}

func TestRetryWhenTheHostAsksForTime(t *testing.T) {
	again := func(status int, headers ...string) func() *http.Response {
		return func() *http.Response { return reply(status, "busy", headers...) }
	}
	page := again(200)
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where a bubble's clock begins
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	tests := []struct {
		name    string
		replies []func() *http.Response
		timeout time.Duration
		asked   int
		waited  time.Duration
		code    citewell.Code
		after   time.Duration // RetryAfter of the error
	}{
		{"429_then_200", []func() *http.Response{again(429), page}, 0, 2, time.Second, "", 0},
		{"429_seconds", []func() *http.Response{again(429, "Retry-After", "2"), page}, 0, 2, 2 * time.Second, "", 0},
		{"429_zero", []func() *http.Response{again(429, "Retry-After", "0"), page}, 0, 2, DefaultSpacing, "", 0},
		{"429_long_is_capped", []func() *http.Response{again(429, "Retry-After", "3600"), page}, 0, 2,
			2 * time.Second, "", 0},
		{"429_date", []func() *http.Response{again(429, "Retry-After", date(time.Second)), page}, 0, 2,
			time.Second, "", 0},
		{"429_date_by_the_servers_clock", []func() *http.Response{
			again(429, "Retry-After", date(time.Hour+time.Second), "Date", date(time.Hour)), page}, 0, 2,
			time.Second, "", 0},
		{"429_date_in_the_past", []func() *http.Response{again(429, "Retry-After", date(-time.Hour)), page}, 0, 2,
			DefaultSpacing, "", 0},
		{"429_nonsense", []func() *http.Response{again(429, "Retry-After", "soon"), page}, 0, 2, time.Second, "", 0},
		{"429_for_good", []func() *http.Response{again(429, "Retry-After", "60"), again(429, "Retry-After", "60"),
			page}, 0, 2, 2 * time.Second, citewell.CodeRateLimited, time.Minute},
		{"429_beyond_the_deadline", []func() *http.Response{again(429, "Retry-After", "60"), page},
			1500 * time.Millisecond, 1, 0, citewell.CodeRateLimited, time.Minute},
		{"503_with_time", []func() *http.Response{again(503, "Retry-After", "1"), page}, 0, 2, time.Second, "", 0},
		{"503_without", []func() *http.Response{again(503), page}, 0, 1, 0, citewell.CodeHTTPStatus, 0},
		{"500_with_time", []func() *http.Response{again(500, "Retry-After", "1"), page}, 0, 1, 0,
			citewell.CodeHTTPStatus, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				c := newClient(Options{IgnoreRobots: true}, roundTrip(func(*http.Request) (*http.Response, error) {
					asked++
					return test.replies[asked-1](), nil
				}))
				begin := time.Now()
				_, err := c.Get(t.Context(), Request{URL: "https://s.example/", Timeout: test.timeout})
				if citewell.CodeOf(err) != test.code || asked != test.asked || time.Since(begin) != test.waited {
					t.Errorf("asked %d times, waited %v, %v", asked, time.Since(begin), err)
				}
				if e, ok := errors.AsType[*citewell.Error](err); ok && e.RetryAfter != test.after {
					t.Errorf("retry after %v", e.RetryAfter)
				}
			})
		})
	}
}

func TestCanceledWhileTheHostAsksForTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(Options{IgnoreRobots: true}, roundTrip(func(*http.Request) (*http.Response, error) {
			return reply(429, ""), nil
		}))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		_, err := c.Get(ctx, Request{URL: "https://s.example/"})
		wantCode(t, err, citewell.CodeCanceled)
	})
}

// A dripping body gives one byte at a time.
type dripping struct {
	every time.Duration
	ended chan struct{}
	once  sync.Once
}

func (d *dripping) Read(p []byte) (int, error) {
	select {
	case <-time.After(d.every):
		p[0] = 'x'
		return 1, nil
	case <-d.ended:
		return 0, errors.New("closed")
	}
}

func (d *dripping) Close() error {
	d.once.Do(func() { close(d.ended) })
	return nil
}

func TestDrippingBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := func(path string) io.ReadCloser {
			if path == "/slow" {
				return &dripping{every: 100 * time.Millisecond, ended: make(chan struct{})}
			}
			return io.NopCloser(strings.NewReader("page"))
		}
		c := newClient(Options{IgnoreRobots: true}, roundTrip(func(r *http.Request) (*http.Response, error) {
			resp := reply(200, "")
			resp.Body, resp.ContentLength = server(r.URL.Path), -1
			return resp, nil
		}))
		begin := time.Now()
		_, err := c.Get(t.Context(), Request{URL: "https://s.example/slow"})
		wantCode(t, err, citewell.CodeResponseTooSlow)
		if took := time.Since(begin); took < 2*time.Second || took > 3*time.Second {
			t.Errorf("took %v", took)
		}
		_, err = c.Get(t.Context(), Request{URL: "https://s.example/slow", Timeout: time.Second})
		wantCode(t, err, citewell.CodeTimeout)
		if _, err = c.Get(t.Context(), Request{URL: "https://s.example/fast"}); err != nil {
			t.Errorf("the host's turn is lost: %v", err)
		}
	})
}

// A redirect's body that does not end holds nobody up.
func TestDrippingRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(Options{IgnoreRobots: true}, roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/to" {
				return reply(200, "page"), nil
			}
			resp := reply(302, "", "Location", "/to")
			resp.Body, resp.ContentLength = &dripping{every: time.Second, ended: make(chan struct{})}, 100
			return resp, nil
		}))
		begin := time.Now()
		if _, err := c.Get(t.Context(), Request{URL: "https://s.example/from"}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

func TestTurnsComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		c := newClient(Options{IgnoreRobots: true}, roundTrip(func(r *http.Request) (*http.Response, error) {
			order = append(order, r.URL.Path) // one at a time, so no lock
			return reply(200, "page"), pause(r, time.Millisecond)
		}))
		var fetched sync.WaitGroup
		var want []string
		for i := range 8 {
			path := fmt.Sprintf("/%d", i)
			want = append(want, path)
			fetched.Go(func() {
				if _, err := c.Get(t.Context(), Request{URL: "https://s.example" + path}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		fetched.Wait()
		if !slices.Equal(order, want) {
			t.Errorf("order %v", order)
		}
	})
}

// A host on a private address of the operator's own is asked by many at once and without a
// pause, from the moment when a connection has shown where it is. With an hour between two
// requests, each one that had to wait would be refused.
func TestOwnHostsAreNotSpaced(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	together := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		now++
		if most = max(most, now); most == ownAtOnce && r.URL.Path != "/first" {
			select {
			case <-together:
			default:
				close(together)
			}
		}
		mu.Unlock()
		if r.URL.Path != "/first" {
			select {
			case <-together: // all that may come have come
			case <-r.Context().Done():
			}
		}
		mu.Lock()
		now--
		mu.Unlock()
		fmt.Fprint(w, "hello")
	}))
	t.Cleanup(server.Close)
	guard, err := egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Guard: guard, Spacing: time.Hour})
	t.Cleanup(c.Close)
	if _, err := c.Get(t.Context(), Request{URL: server.URL + "/first"}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 3 * ownAtOnce {
		all.Go(func() {
			if _, err := c.Get(t.Context(), Request{URL: fmt.Sprint(server.URL, "/", i),
				Timeout: time.Minute}); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	all.Wait()
	if most != ownAtOnce {
		t.Errorf("%d at once, want %d", most, ownAtOnce)
	}
}
