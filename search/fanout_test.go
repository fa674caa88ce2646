package search_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
)

// kept is a store.Cache.
type kept struct {
	mu      sync.Mutex
	entries map[string][]byte
	until   map[string]time.Time
}

func newKept() *kept { return &kept{entries: map[string][]byte{}, until: map[string]time.Time{}} }

func (k *kept) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	value, ok := k.entries[key]
	return value, time.Time{}, ok && time.Now().Before(k.until[key]), nil
}

func (k *kept) CachePut(_ context.Context, key string, value []byte, ttl time.Duration) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries[key], k.until[key] = value, time.Now().Add(ttl)
	return nil
}

// crowd are twelve providers of which seven answer, the slowest after 900 ms, and five fail each
// in a way of its own.
type crowd struct {
	asked []search.Provider
	hangs *after
}

const slowest = 900 * time.Millisecond

func newCrowd(gates *search.Gates) crowd {
	c := crowd{hangs: &after{name: "hangs", delay: time.Hour, listen: true, urls: []string{"https://late.example/"}}}
	add := func(p search.Provider) {
		c.asked = append(c.asked, gates.Of(p.Name(), search.Limits{}).Guard(p))
	}
	for i, delay := range []time.Duration{100, 200, 300, 450, 500, 600, slowest / time.Millisecond} {
		name := fmt.Sprint("well", i)
		add(&after{name: name, delay: delay * time.Millisecond, urls: []string{"https://" + name + ".example/"}})
	}
	add(&after{name: "blocked", delay: 20 * time.Millisecond, listen: true,
		err: coded(citewell.CodeBlockedByProvider, 0)})
	add(&after{name: "limited", delay: 20 * time.Millisecond, listen: true,
		err: coded(citewell.CodeRateLimited, 2*time.Second)})
	add(&after{name: "broken", delay: 100 * time.Millisecond, listen: true,
		err: &citewell.Error{Code: citewell.CodeHTTPStatus, Err: search.ErrTemporary}})
	add(&after{name: "cut", delay: 100 * time.Millisecond, listen: true, err: coded(citewell.CodeBadResponse, 0)})
	add(c.hangs)
	return c
}

// ask says how long a question took, and what became of each provider.
func (c crowd) ask(t *testing.T) (took time.Duration, answers map[string]search.Answer) {
	t.Helper()
	began, well := time.Now(), 0
	answers = map[string]search.Answer{}
	for a := range search.Ask(t.Context(), question, c.asked, 0) {
		answers[a.Provider] = a
		if a.Outcome == citewell.ProviderOK {
			well++
		}
	}
	if well < 7 || len(answers) != len(c.asked) {
		t.Errorf("%d of %d answered", well, len(answers))
	}
	return time.Since(began), answers
}

// What failed at the question before holds no other up, for this process and for one that begins
// later; all that are well are heard to the end.
func TestWhoFailedIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := newKept()
		c := newCrowd(&search.Gates{Cache: cache})
		if took, _ := c.ask(t); took != search.DefaultTimeout {
			t.Errorf("what nobody knows of was waited for %v", took)
		}
		if took, _ := c.ask(t); took != slowest {
			t.Errorf("at once after that it took %v, and who answers %v", took, slowest)
		}
		for _, later := range []crowd{c, newCrowd(&search.Gates{Cache: cache})} {
			time.Sleep(5 * time.Second)
			took, answers := later.ask(t)
			if took != slowest {
				t.Errorf("it took %v, and who answers %v", took, slowest)
			}
			if a := answers["hangs"]; a.Outcome != citewell.ProviderTimeout ||
				!strings.HasPrefix(a.Detail, "hangs was not waited for when the others had answered, since its last "+
					"call failed ") ||
				!strings.HasSuffix(a.Detail, "s ago: hangs did not answer in time") {
				t.Errorf("%+v", a)
			}
			if a := answers["blocked"]; a.Outcome != citewell.ProviderBlocked {
				t.Errorf("%+v", a)
			}
		}
	})
}

// A provider that was left behind is heard again when it is as quick as the others, and when its
// failure is old; each further failure makes it older.
func TestWhoFailedIsHeardAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(new(search.Gates))
		c.ask(t)
		c.hangs.delay = 3 * time.Second
		time.Sleep(31 * time.Second)
		if took, answers := c.ask(t); took != c.hangs.delay || answers["hangs"].Outcome != citewell.ProviderOK {
			t.Errorf("after half a minute: %v, %+v", took, answers["hangs"])
		}
		if took, _ := c.ask(t); took != c.hangs.delay {
			t.Errorf("one that is well and slow was waited for %v", took)
		}
		c.hangs.delay = time.Hour
		c.ask(t)
		time.Sleep(31 * time.Second)
		c.ask(t)
		time.Sleep(31 * time.Second)
		if took, _ := c.ask(t); took != slowest {
			t.Errorf("half a minute after a second failure: %v", took)
		}
		c.hangs.delay = slowest / 2
		if _, answers := c.ask(t); answers["hangs"].Outcome != citewell.ProviderOK {
			t.Errorf("as quick as others: %+v", answers["hangs"])
		}
		c.hangs.delay = 3 * time.Second
		if took, _ := c.ask(t); took != c.hangs.delay {
			t.Errorf("its last call did not fail: %v", took)
		}
	})
}

// Where nobody else finds something, who failed has all the time that there is.
func TestWhoFailedIsWaitedForAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gates := new(search.Gates)
		slow := &after{name: "slow", delay: time.Hour, listen: true, urls: []string{"https://slow.example/"}}
		nothing := &after{name: "nothing", delay: time.Second}
		asked := []search.Provider{gates.Of("slow", search.Limits{}).Guard(slow),
			gates.Of("nothing", search.Limits{}).Guard(nothing)}
		for range search.Ask(t.Context(), question, asked, 0) {
		}
		slow.delay = 4 * time.Second
		found := 0
		for a := range search.Ask(t.Context(), question, asked, 0) {
			found += len(a.Results)
		}
		if found != 1 {
			t.Errorf("%d results", found)
		}
		// Both have failed: each is waited for.
		nothing.err, slow.err = coded(citewell.CodeHTTPStatus, 0), coded(citewell.CodeHTTPStatus, 0)
		for range search.Ask(t.Context(), question, asked, 0) {
		}
		nothing.err, slow.err, nothing.urls = nil, nil, []string{"https://a.example/"}
		for a := range search.Ask(t.Context(), question, asked, 0) {
			if a.Outcome != citewell.ProviderOK {
				t.Errorf("%+v", a)
			}
		}
	})
}

// One failure that came at once may be a chance: it takes a second one, or one by the clock. And
// where half of those asked or fewer have answered, who failed may know most.
func TestWhoIsWorthWaitingFor(t *testing.T) {
	timeout := coded(citewell.CodeTimeout, 0)
	quick := &citewell.Error{Code: citewell.CodeBadResponse}
	for name, test := range map[string]struct {
		failed []error // its last calls
		others int     // that answer at once
		waited bool
	}{
		"it never failed":    {nil, 3, true},
		"once, at once":      {[]error{quick}, 3, true},
		"twice, at once":     {[]error{quick, quick}, 3, false},
		"once, by the clock": {[]error{timeout}, 3, false},
		"once, for too many": {[]error{coded(citewell.CodeRateLimited, 0)}, 3, false},
		"then it was well":   {[]error{timeout, nil}, 3, true},
		"the query was bad": {[]error{coded(citewell.CodeInvalidArgument, 0),
			coded(citewell.CodeInvalidArgument, 0)}, 3, true},
		"what is behind it fell": {[]error{&citewell.Error{Code: citewell.CodeTimeout, Err: search.ErrAnswered}}, 3,
			true},
		"one other":  {[]error{timeout}, 1, true},
		"two others": {[]error{timeout}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := &after{name: "one", listen: true}
				asked := []search.Provider{search.Guarded(one, search.Limits{Tries: 1})}
				for i := range test.others {
					asked = append(asked, &after{name: fmt.Sprint("other", i), urls: []string{"https://a.example/"}})
				}
				for _, one.err = range test.failed {
					for range search.Ask(t.Context(), question, asked[:1], 0) {
					}
				}
				one.err, one.delay, one.urls = nil, time.Second, []string{"https://one.example/"}
				began := time.Now()
				for range search.Ask(t.Context(), question, asked, 0) {
				}
				if waited := time.Since(began) == time.Second; waited != test.waited {
					t.Errorf("it took %v", time.Since(began))
				}
			})
		})
	}
}
