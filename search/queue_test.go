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
			case a.Outcome != citewell.ProviderQueued || citewell.CodeOf(a.Err) != citewell.CodeRateLimited || !strings.Contains(a.Detail, "our own limit"):
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
		if ok, atOnce, late := askTogether(t, p, 100, 20*time.Second); ok != 16 || atOnce != 84 {
			t.Errorf("%d served, %d refused at once, %d late; want 16 (from second 0 to 15), 84 and none", ok, atOnce, late)
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
		if ok, atOnce, late := askTogether(t, p, 40, 21*time.Second); ok != 32 || late != 8 {
			t.Errorf("%d served, %d refused at once, %d late; want 32 in eight rounds, none and 8", ok, atOnce, late)
		}
		if ok, atOnce, late := askTogether(t, p, 100, 21*time.Second); ok != 36 || atOnce != 62 || late != 2 {
			t.Errorf("%d served, %d refused at once, %d late; want 36 in 17 s, 62 and 2", ok, atOnce, late)
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
				if e, _ := errors.AsType[*citewell.Error](err); e == nil || e.Code != citewell.CodeConnectFailed || strings.Count(e.Message, "was not asked") > 1 {
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
		_, err := search.Guarded(script(failing(coded(citewell.CodeConnectFailed, 0))), search.Limits{Rate: 0.1}).Search(ctx, question)
		if citewell.CodeOf(err) != citewell.CodeConnectFailed {
			t.Errorf("%v", err)
		}
	})
}
