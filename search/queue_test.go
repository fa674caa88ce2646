package search_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/turns"
	"github.com/citewell/citewell/search"
)

// A steady provider answers each call after the same time.
type steady struct {
	takes     time.Duration
	mu        sync.Mutex
	now, most int
}

func (*steady) Name() string { return "papers" }

func (s *steady) Search(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
	s.mu.Lock()
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() { s.mu.Lock(); s.now--; s.mu.Unlock() }()
	select {
	case <-time.After(s.takes):
		return []citewell.Result{{URL: "https://a.example/"}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// askTogether has many callers ask, each with its deadline, and counts how they end: those
// that our own queue turned away at once, and after a while.
func askTogether(t *testing.T, p search.Provider, callers int, deadline time.Duration) (ok, atOnce, late int) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			began := time.Now()
			a := <-search.Ask(t.Context(), question, []search.Provider{p}, deadline)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case a.Outcome == citewell.ProviderOK:
				ok++
			case a.Outcome != citewell.ProviderQueued || citewell.CodeOf(a.Err) != citewell.CodeRateLimited ||
				!strings.Contains(a.Detail, "our own limit"):
				t.Errorf("%s: %s", a.Outcome, a.Detail)
			case time.Since(began) == 0:
				atOnce++
			default:
				late++
			}
		})
	}
	all.Wait()
	return ok, atOnce, late
}

// A burst that our own rate cannot serve in time is refused at once and as ours, whoever is
// asked has time for an answer, and the next caller finds the provider open.
func TestQueueRefusesWhatCannotFit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := search.Guarded(&steady{takes: 4 * time.Second}, search.Limits{Rate: 1})
		if ok, atOnce, late := askTogether(t, p, 100, 20*time.Second); ok != 21 || atOnce != 79 {
			t.Errorf("%d served, %d refused at once, %d late; want 21 (from second 0 to 20), 79 and none", ok,
				atOnce, late)
		}
		time.Sleep(time.Second)
		if ok, _, _ := askTogether(t, p, 1, 20*time.Second); ok != 1 {
			t.Error("the next caller was not served")
		}
	})
}

// No more calls than the limit are under way at once. Once it is known how long one takes,
// what cannot fit is refused at once.
func TestQueueBoundsCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &steady{takes: 2 * time.Second}
		p := search.Guarded(service, search.Limits{Parallel: 4, FirstBackoff: time.Minute})
		if ok, atOnce, late := askTogether(t, p, 40, 21*time.Second); ok != 40 {
			t.Errorf("%d served, %d refused at once, %d late; want 40 in ten rounds", ok, atOnce, late)
		}
		if ok, atOnce, late := askTogether(t, p, 100, 21*time.Second); ok != 44 || atOnce != 54 || late != 2 {
			t.Errorf("%d served, %d refused at once, %d late; want 44 that begin within 21 s, 54 and 2", ok,
				atOnce, late)
		}
		if service.most != 4 {
			t.Errorf("%d calls at once, want 4", service.most)
		}
	})
}

// Who asks for one thing is not behind all that another tenant asks for, neither for a place
// nor for the rate.
func TestTenantsTakeTurns(t *testing.T) {
	for name, limits := range map[string]search.Limits{"places": {Parallel: 1}, "rate": {Rate: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := search.Guarded(&steady{takes: time.Second}, limits)
				ask := func(tenant string) <-chan search.Answer {
					return search.Ask(turns.As(t.Context(), tenant, ""), question, []search.Provider{p}, time.Minute)
				}
				var crowd sync.WaitGroup
				for range 30 {
					crowd.Go(func() { <-ask("crowd") })
				}
				synctest.Wait()
				began := time.Now()
				if a := <-ask("one"); a.Outcome != citewell.ProviderOK || time.Since(began) > 3*time.Second {
					t.Errorf("%s after %v: %s", a.Outcome, time.Since(began), a.Detail)
				}
				crowd.Wait()
			})
		})
	}
}

// What an answer says of an engine behind the service is that engine's: the service stays
// open, and an answer of that kind ends a row of failures.
func TestAnAnswerIsASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := failing(&citewell.Error{Code: citewell.CodeTimeout, Err: search.ErrAnswered})
		down := failing(coded(citewell.CodeConnectFailed, 0))
		p := script(engine, down, engine, down, down, found("https://a.example/"))
		g := search.Guarded(p, search.Limits{BreakAfter: 3, Tries: 1})
		for range 5 {
			if _, err := g.Search(t.Context(), question); err == nil {
				t.Fatal("it did not fail")
			}
		}
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("two failures in a row closed it: %v", err)
		}
	})
}

// Who waits while the service is found to be down does not ask it.
func TestQueueDoesNotAskWhatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script(failing(coded(citewell.CodeConnectFailed, 0)))
		g := search.Guarded(p, search.Limits{Rate: 1, Tries: 1, BreakAfter: 2, BreakFor: time.Minute})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				_, err := g.Search(t.Context(), question)
				if e, _ := errors.AsType[*citewell.Error](err); e == nil || e.Code != citewell.CodeConnectFailed ||
					strings.Count(e.Message, "was not asked") > 1 {
					t.Errorf("%v", err)
				}
			})
		}
		all.Wait()
		if len(p.calls) != 2 {
			t.Errorf("%d calls, want 2", len(p.calls))
		}
	})
}

// What the service said goes before what our own queue says of the second try.
func TestQueueKeepsTheServicesOwnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := search.Guarded(script(failing(coded(citewell.CodeConnectFailed, 0))),
			search.Limits{Rate: 0.1}).Search(ctx, question)
		if citewell.CodeOf(err) != citewell.CodeConnectFailed {
			t.Errorf("%v", err)
		}
	})
}

// The time for an answer begins when the provider is asked, and not while the question waits: a
// provider that hangs ends in it, and one that takes nearly all of it answers after any wait.
func TestTheTimeBeginsWithTheCall(t *testing.T) {
	for name, test := range map[string]struct {
		waits bool
		most  time.Duration // of a wait that ends with an answer
		ok    int
	}{"chat": {false, 5 * time.Second, 6}, "run": {true, 19 * time.Second, 20}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				told := make(chan time.Duration, 20)
				if test.waits {
					ctx = searchcall.WithWait(ctx, searchcall.Wait{Told: func(_ string, wait time.Duration) {
						told <- wait
					}})
				}
				service := &steady{takes: 4500 * time.Millisecond}
				p := search.Guarded(service, search.Limits{Rate: 1, Tries: 1})
				var mu sync.Mutex
				var longest time.Duration
				var all sync.WaitGroup
				ok := 0
				for range 20 {
					all.Go(func() {
						a := <-search.Ask(ctx, question, []search.Provider{p}, 0)
						mu.Lock()
						defer mu.Unlock()
						if a.Outcome == citewell.ProviderOK {
							ok++
							longest = max(longest, a.Elapsed-service.takes)
						} else if a.Outcome != citewell.ProviderQueued || !strings.Contains(a.Detail,
							"whose turn comes in") {
							t.Errorf("%s: %s", a.Outcome, a.Detail)
						}
					})
				}
				all.Wait()
				if ok != test.ok || longest != test.most {
					t.Errorf("%d answered, the last after a wait of %v; want %d and %v", ok, longest,
						test.ok, test.most)
				}
				if want := map[bool]int{true: 19}[test.waits]; len(told) != want {
					t.Errorf("%d waits were told, want %d", len(told), want)
				}
				service.takes = time.Hour
				began := time.Now()
				if a := <-search.Ask(ctx, question, []search.Provider{p}, 0); a.Outcome != citewell.ProviderTimeout ||
					time.Since(began) > 6*time.Second {
					t.Errorf("%s after %v", a.Outcome, time.Since(began))
				}
			})
		})
	}
}

// Questions that share one time have it from the first that is really asked.
func TestTogetherFromTheFirstCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := &steady{takes: 3 * time.Second}
		p := search.Guarded(service, search.Limits{Rate: 0.5, Tries: 1})
		if _, err := p.Search(t.Context(), question); err != nil { // 3 s, and the next turn has come
			t.Fatal(err)
		}
		go p.Search(t.Context(), question)
		synctest.Wait()
		ctx := search.Together(t.Context(), 5*time.Second)
		for _, want := range []citewell.ProviderOutcome{citewell.ProviderOK, citewell.ProviderTimeout,
			citewell.ProviderTimeout} {
			if a := <-search.Ask(ctx, question, []search.Provider{p}, 5*time.Second); a.Outcome != want {
				t.Errorf("%s, want %s: %s", a.Outcome, want, a.Detail)
			}
		}
	})
}
