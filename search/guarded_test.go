package search_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted answers each call with the next of its steps, the last one for ever.
type scripted struct {
	name  string
	steps []func(context.Context) ([]citewell.Result, error)
	calls []time.Time
}

func (s *scripted) Name() string { return s.name }

func (s *scripted) Search(ctx context.Context, _ citewell.Query) ([]citewell.Result, error) {
	step := s.steps[min(len(s.calls), len(s.steps)-1)]
	s.calls = append(s.calls, time.Now())
	return step(ctx)
}

func script(steps ...func(context.Context) ([]citewell.Result, error)) *scripted {
	return &scripted{name: "papers", steps: steps}
}

func found(urls ...string) func(context.Context) ([]citewell.Result, error) {
	return func(context.Context) ([]citewell.Result, error) {
		var results []citewell.Result
		for _, u := range urls {
			results = append(results, citewell.Result{URL: u})
		}
		return results, nil
	}
}

func failing(err error) func(context.Context) ([]citewell.Result, error) {
	return func(context.Context) ([]citewell.Result, error) { return nil, err }
}

func coded(code citewell.Code, wait time.Duration) *citewell.Error {
	return &citewell.Error{Code: code, Message: "it said " + string(code), RetryAfter: wait}
}

var question = citewell.Query{Text: "tidal power"}

func TestGuardedRetries(t *testing.T) {
	tests := []struct {
		name     string
		provider *scripted
		within   time.Duration
		code     citewell.Code // empty: results came
		calls    int
		atLeast  time.Duration
		atMost   time.Duration
	}{
		{"first_time", script(found("https://a.example/")), 5 * time.Second, "", 1, 0, 0},
		{"retry_after_is_waited_out", script(failing(coded(citewell.CodeRateLimited, time.Second)),
			found("https://a.example/")),
			5 * time.Second, "", 2, time.Second, time.Second},
		{"rate_limited_without_a_wait", script(failing(coded(citewell.CodeRateLimited, 0)),
			found("https://a.example/")),
			5 * time.Second, "", 2, 100 * time.Millisecond, 400 * time.Millisecond},
		{"rate_limited_for_good", script(failing(coded(citewell.CodeRateLimited, 0))),
			5 * time.Second, citewell.CodeRateLimited, 2, 100 * time.Millisecond, 400 * time.Millisecond},
		{"long_retry_after_is_not_waited_out", script(failing(coded(citewell.CodeRateLimited, time.Minute))),
			5 * time.Second, citewell.CodeRateLimited, 1, 0, 0},
		{"wait_does_not_fit_the_deadline", script(failing(coded(citewell.CodeRateLimited, time.Second))),
			500 * time.Millisecond, citewell.CodeRateLimited, 1, 0, 0},
		{"broken_connection", script(failing(coded(citewell.CodeHTTPFailed, 0)), found("https://a.example/")),
			5 * time.Second, "", 2, 100 * time.Millisecond, 400 * time.Millisecond},
		{"bad_gateway", script(failing(&citewell.Error{Code: citewell.CodeHTTPStatus, Err: search.ErrTemporary}),
			found("https://a.example/")),
			5 * time.Second, "", 2, 100 * time.Millisecond, 400 * time.Millisecond},
		{"not_found_stays_not_found", script(failing(coded(citewell.CodeHTTPStatus, 0))), 5 * time.Second,
			citewell.CodeHTTPStatus, 1, 0, 0},
		{"a_bot_page_is_not_asked_again", script(failing(coded(citewell.CodeBlockedByProvider, 0))), 5 * time.Second,
			citewell.CodeBlockedByProvider, 1, 0, 0},
		{"a_refused_key_is_not_tried_again", script(failing(coded(citewell.CodeAuth, 0))), 5 * time.Second,
			citewell.CodeAuth, 1, 0, 0},
		{"used_up_credits_are_not_tried_again", script(failing(coded(citewell.CodeQuotaExhausted, 0))), 5 * time.Second,
			citewell.CodeQuotaExhausted, 1, 0, 0},
		{"plain_error", script(failing(errors.New("oops"))), 5 * time.Second, citewell.CodeInternal, 1, 0, 0},
		{"deadline", script(func(ctx context.Context) ([]citewell.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
			5 * time.Second, citewell.CodeTimeout, 1, 5 * time.Second, 5 * time.Second},
		{"panic", script(func(context.Context) ([]citewell.Result, error) { panic("index out of range") }),
			5 * time.Second, citewell.CodeInternal, 1, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.within)
				defer cancel()
				started := time.Now()
				results, err := search.Guarded(test.provider, search.Limits{}).Search(ctx, question)
				took := time.Since(started)
				if got := citewell.CodeOf(err); got != test.code {
					t.Errorf("code %q (%v), want %q", got, err, test.code)
				}
				if _, ok := errors.AsType[*citewell.Error](err); err != nil && !ok {
					t.Errorf("%T is no *citewell.Error", err)
				}
				if err == nil && len(results) != 1 {
					t.Errorf("%d results, want 1", len(results))
				}
				if len(test.provider.calls) != test.calls {
					t.Errorf("%d calls, want %d", len(test.provider.calls), test.calls)
				}
				if took < test.atLeast || took > test.atMost {
					t.Errorf("took %v, want %v to %v", took, test.atLeast, test.atMost)
				}
			})
		})
	}
}

// An agent that is told "nothing found" asks again and again; one that is told the
// provider's own wait does not.
func TestGuardedHonoursALongWaitAcrossSearches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script(failing(coded(citewell.CodeRateLimited, time.Minute)), found("https://a.example/"))
		g := search.Guarded(p, search.Limits{})
		if _, err := g.Search(t.Context(), question); citewell.CodeOf(err) != citewell.CodeRateLimited {
			t.Fatalf("first search: %v", err)
		}
		time.Sleep(20 * time.Second)
		_, err := g.Search(t.Context(), question)
		e, ok := errors.AsType[*citewell.Error](err)
		if !ok || e.Code != citewell.CodeRateLimited || e.RetryAfter != 40*time.Second {
			t.Fatalf("second search: %#v", err)
		}
		for _, part := range []string{"was not asked", "40s", "it said rate_limited"} {
			if !strings.Contains(e.Message, part) {
				t.Errorf("message %q lacks %q", e.Message, part)
			}
		}
		if len(p.calls) != 1 {
			t.Errorf("%d calls within the wait, want 1", len(p.calls))
		}
		time.Sleep(40 * time.Second)
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

func TestGuardedCapsAHostileWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script(failing(coded(citewell.CodeRateLimited, 24*time.Hour)), found("https://a.example/"))
		g := search.Guarded(p, search.Limits{})
		_, _ = g.Search(t.Context(), question) // its error is the test above
		time.Sleep(15 * time.Minute)
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("after the cap: %v", err)
		}
	})
}

func TestGuardedLeavesAFailingProviderAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := failing(coded(citewell.CodeBlockedByProvider, 0))
		p := script(down, down, down, found("https://a.example/"))
		g := search.Guarded(p, search.Limits{BreakAfter: 3})
		for range 5 {
			_, err := g.Search(t.Context(), question)
			if citewell.CodeOf(err) != citewell.CodeBlockedByProvider {
				t.Fatalf("a closed provider must keep its reason: %v", err)
			}
			time.Sleep(time.Second)
		}
		if len(p.calls) != 3 {
			t.Errorf("%d calls, want 3 before it is left alone", len(p.calls))
		}
		_, err := g.Search(t.Context(), question)
		if e, _ := errors.AsType[*citewell.Error](err); e == nil || e.RetryAfter != 27*time.Second {
			t.Errorf("want a wait of 27s: %#v", err)
		}
		time.Sleep(27*time.Second + time.Millisecond)
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("after the break: %v", err)
		}
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("once it answered it is open: %v", err)
		}
	})
}

func TestGuardedDoesNotBlameTheProviderForTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) ([]citewell.Result, error) { <-ctx.Done(); return nil, ctx.Err() }
		p := script(wait, wait, wait, found("https://a.example/"))
		g := search.Guarded(p, search.Limits{BreakAfter: 2})
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { time.Sleep(time.Second); cancel() }()
			_, err := g.Search(ctx, question)
			if citewell.CodeOf(err) != citewell.CodeCanceled {
				t.Fatalf("got %v, want canceled", err)
			}
		}
		if _, err := g.Search(t.Context(), question); err != nil {
			t.Errorf("three searches that the caller ended closed the provider: %v", err)
		}
	})
}

func TestGuardedSpacesCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := script(found("https://a.example/"))
		g := search.Guarded(p, search.Limits{Rate: 2, Burst: 2})
		started := time.Now()
		for range 4 {
			if _, err := g.Search(t.Context(), question); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(started); took != time.Second {
			t.Errorf("4 calls at 2/s with a burst of 2 took %v, want 1s", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := g.Search(ctx, question)
		if citewell.CodeOf(err) != citewell.CodeRateLimited || !strings.Contains(citewell.View(err).Message,
			"our own limit of 2 calls a second") {
			t.Errorf("got %v, want our own limit", err)
		}
		if len(p.calls) != 4 {
			t.Errorf("%d calls, want 4", len(p.calls))
		}
	})
}

func TestGuardedRefusesBadQueries(t *testing.T) {
	tests := []struct {
		name  string
		query citewell.Query
		names string
	}{
		{"blank", citewell.Query{Text: " \t\u2003"}, "query is required"},
		{"negative_limit", citewell.Query{Text: "tides", Limit: -1}, "1 or more"},
		{"time_range", citewell.Query{Text: "tides", TimeRange: "decade"}, "day, week, month or year"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := script(found("https://a.example/"))
			_, err := search.Guarded(p, search.Limits{}).Search(t.Context(), test.query)
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument || !strings.Contains(err.Error(), test.names) {
				t.Errorf("got %v, want invalid_argument naming %q", err, test.names)
			}
			if len(p.calls) != 0 {
				t.Error("the provider was asked")
			}
		})
	}
}

func TestGuardedTidiesResults(t *testing.T) {
	own := make([]citewell.Result, 20)
	p := script(func(context.Context) ([]citewell.Result, error) { return own, nil })
	results, err := search.Guarded(p, search.Limits{}).Search(t.Context(), question)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 15 {
		t.Errorf("%d results, want the cap of 15", len(results))
	}
	for i, r := range results {
		if r.Rank != i+1 || r.Provider != "papers" {
			t.Errorf("result %d: rank %d of %q", i, r.Rank, r.Provider)
		}
	}
	if own[0].Rank != 0 {
		t.Error("the provider's own results were written to")
	}
}
