package search

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/citewell/citewell"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/time/rate"
)

// Limits are the manners of one provider. Zero values mean the defaults named
// with each field.
type Limits struct {
	Rate          float64       // calls a second in the long run; 0 means no limit
	Burst         int           // calls at once before Rate binds; 1
	Tries         uint          // calls for one query, the first included; 2
	FirstBackoff  time.Duration // wait before the second try, give or take half; 250 ms
	MaxRetryAfter time.Duration // longest Retry-After that is waited out inside a search; 2 s
	MaxCooldown   time.Duration // longest Retry-After that later searches honour; 15 min
	BreakAfter    uint32        // failed searches in a row after which the provider is left alone; 5
	BreakFor      time.Duration // how long it is left alone; 30 s
	MaxResults    int           // results kept of one answer; 15
}

func (l Limits) withDefaults() Limits {
	l.Burst = max(l.Burst, 1)
	if l.Tries == 0 {
		l.Tries = 2
	}
	if l.FirstBackoff == 0 {
		l.FirstBackoff = 250 * time.Millisecond
	}
	if l.MaxRetryAfter == 0 {
		l.MaxRetryAfter = 2 * time.Second
	}
	if l.MaxCooldown == 0 {
		l.MaxCooldown = 15 * time.Minute
	}
	if l.BreakAfter == 0 {
		l.BreakAfter = 5
	}
	if l.BreakFor == 0 {
		l.BreakFor = 30 * time.Second
	}
	if l.MaxResults == 0 {
		l.MaxResults = 15
	}
	return l
}

// ErrTemporary marks, as the Err of a *citewell.Error, a failure that may pass
// within seconds although its code says nothing of the kind: a 502, for one.
var ErrTemporary = errors.New("temporary")

// Guarded wraps p with its limits: a token bucket, one polite retry inside the
// caller's deadline, a cool-down where the provider named one, and a breaker that
// leaves a failing provider alone for a while.
//
// Its errors are always *citewell.Error. A call that was not made because of an
// earlier failure ends with that failure's code, so that a rate limit is never
// mistaken for an empty answer, and with RetryAfter set. Nothing waits past the
// deadline of ctx. The result may be used from many goroutines, which share the
// limits.
func Guarded(p Provider, limits Limits) Provider {
	limits = limits.withDefaults()
	every := rate.Inf
	if limits.Rate > 0 {
		every = rate.Limit(limits.Rate)
	}
	g := &guarded{provider: p, limits: limits, bucket: rate.NewLimiter(every, limits.Burst)}
	g.breaker = gobreaker.NewCircuitBreaker[[]citewell.Result](gobreaker.Settings{
		Name:        p.Name(),
		Timeout:     limits.BreakFor,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= limits.BreakAfter },
		IsExcluded:  func(err error) bool { return !providersFault(err) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				g.leaveAloneUntil(time.Now().Add(limits.BreakFor))
			}
		},
	})
	return g
}

type guarded struct {
	provider Provider
	limits   Limits
	bucket   *rate.Limiter
	breaker  *gobreaker.CircuitBreaker[[]citewell.Result]

	mu       sync.Mutex
	cooldown time.Time       // no call before it
	closed   time.Time       // when the breaker lets the next call through
	last     *citewell.Error // why the provider is left alone
}

func (g *guarded) Name() string { return g.provider.Name() }

func (g *guarded) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	if err := checkQuery(q); err != nil {
		return nil, err
	}
	if err := g.coolingDown(time.Now()); err != nil {
		return nil, err
	}
	results, err := g.breaker.Execute(func() ([]citewell.Result, error) { return g.retrying(ctx, q) })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return nil, g.leftAlone(time.Now())
	}
	if err != nil {
		e := typed(g.Name(), err)
		g.remember(e, time.Now())
		return nil, e
	}
	return g.tidied(results), nil
}

// checkQuery refuses what no provider could answer, before anything is sent.
func checkQuery(q citewell.Query) error {
	refuse := func(message string) error {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search", Message: message}
	}
	if strings.TrimSpace(q.Text) == "" {
		return refuse("query is required")
	}
	if q.Limit < 0 {
		return refuse("the number of results wanted must be 1 or more")
	}
	if !q.TimeRange.Valid() {
		return refuse("time_range must be day, week, month or year")
	}
	return nil
}

// retrying makes the calls for one query. It stops early where the wait would not
// fit the deadline, and keeps the provider's own error then.
func (g *guarded) retrying(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	budget := time.Duration(0) // no bound but the number of tries
	if deadline, ok := ctx.Deadline(); ok {
		budget = max(time.Until(deadline), time.Nanosecond)
	}
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = g.limits.FirstBackoff
	attempt := func() ([]citewell.Result, error) {
		if err := g.bucket.Wait(ctx); err != nil {
			return nil, backoff.Permanent(g.noToken(ctx, err))
		}
		results, err := call(ctx, g.provider, q)
		if err == nil {
			return results, nil
		}
		e := typed(g.Name(), err)
		switch {
		case !worthRetrying(e) || e.RetryAfter > g.limits.MaxRetryAfter:
			return nil, backoff.Permanent(e)
		case e.RetryAfter > 0:
			return nil, errors.Join(&backoff.RetryAfterError{Duration: e.RetryAfter}, e)
		}
		return nil, e
	}
	results, err := backoff.Retry(ctx, attempt,
		backoff.WithBackOff(growing), backoff.WithMaxTries(g.limits.Tries), backoff.WithMaxElapsedTime(budget))
	return results, err
}

// noToken says why the bucket gave no token: the caller ended it, or our own
// limit leaves no time for a call before the deadline.
func (g *guarded) noToken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &citewell.Error{Code: citewell.CodeRateLimited, Op: "search " + g.Name(), Err: errors.Join(errOurLimit, err),
		Message: fmt.Sprintf("our own limit of %g calls a second leaves no time for this one", g.limits.Rate),
		Hint:    "search less often, or raise search.providers." + g.Name() + ".rate"}
}

var errOurLimit = errors.New("our own limit")

// worthRetrying says whether the same call may succeed within a second or two. A
// bot page is not: asking again at once makes it worse.
func worthRetrying(e *citewell.Error) bool {
	switch e.Code {
	case citewell.CodeRateLimited, citewell.CodeConnectFailed, citewell.CodeHTTPFailed,
		citewell.CodeDNSFailed, citewell.CodeBadResponse, citewell.CodeTimeout:
		return true
	}
	return errors.Is(e, ErrTemporary)
}

// providersFault says whether err tells something about the provider, and not
// about the caller, the query or our own limits.
func providersFault(err error) bool {
	if errors.Is(err, errOurLimit) {
		return false
	}
	code := citewell.CodeOf(err)
	return code != citewell.CodeCanceled && code.Row().Category != citewell.CategoryInvalid
}

func (g *guarded) remember(e *citewell.Error, now time.Time) {
	if !providersFault(e) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = e
	if e.RetryAfter > 0 {
		g.cooldown = now.Add(min(e.RetryAfter, g.limits.MaxCooldown))
	}
}

func (g *guarded) leaveAloneUntil(t time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = t
}

// coolingDown returns the earlier error while the wait that came with it lasts.
func (g *guarded) coolingDown(now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.cooldown) {
		return notAsked(g.Name(), g.last, g.cooldown.Sub(now), "it asked us to wait")
	}
	return nil
}

func (g *guarded) leftAlone(now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return notAsked(g.Name(), g.last, max(g.closed.Sub(now), 0), "its last calls all failed")
}

func notAsked(name string, last *citewell.Error, wait time.Duration, why string) error {
	e := &citewell.Error{Code: citewell.CodeTimeout, Op: "search " + name, RetryAfter: wait}
	message := ""
	if last != nil {
		e.Code, e.Hint, e.Err = last.Code, last.Hint, last
		message = ": " + citewell.View(last).Message
	}
	e.Message = fmt.Sprintf("%s was not asked, because %s (next try in %s)%s", name, why, wait.Round(time.Second), message)
	return e
}

// tidied gives each result its provider and rank and cuts what nobody would read.
func (g *guarded) tidied(results []citewell.Result) []citewell.Result {
	results = slices.Clone(results[:min(len(results), g.limits.MaxResults)])
	for i := range results {
		results[i].Provider, results[i].Rank = g.Name(), i+1
	}
	return results
}

// call asks p and turns a panic, which a hostile answer may have caused, into an
// error: one provider's bug must not end the search.
func call(ctx context.Context, p Provider, q citewell.Query) (results []citewell.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			results = nil
			err = &citewell.Error{Code: citewell.CodeInternal, Op: "search " + p.Name(),
				Message: "reading the answer of " + p.Name() + " went wrong; please report it",
				Err:     fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
		}
	}()
	return p.Search(ctx, q)
}

// typed returns the *citewell.Error in err's chain, or one that stands for it.
func typed(name string, err error) *citewell.Error {
	if e, ok := errors.AsType[*citewell.Error](err); ok {
		return e
	}
	e := &citewell.Error{Code: citewell.CodeOf(err), Op: "search " + name, Err: err}
	switch e.Code {
	case citewell.CodeTimeout:
		e.Message = name + " did not answer in time"
	case citewell.CodeCanceled:
		e.Message = "the search was ended before " + name + " answered"
	default:
		e.Message = name + " failed in a way it should not; please report it"
	}
	return e
}
