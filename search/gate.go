package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/sony/gobreaker/v2"
)

// Marks of failures, as the Err of a *citewell.Error.
var (
	// ErrTemporary marks a failure that may pass within seconds although its code does not say so: a 502, for one.
	ErrTemporary = errors.New("temporary")
	// ErrAnswered marks a failure of what stands behind a service that is itself well, and is asked on.
	ErrAnswered = errors.New("the service itself answered")
)

// A Gate holds the calls to one service to their limits: a queue of our own, one polite retry inside the caller's
// deadline, a cool-down that the service named, and a breaker that leaves a failing service alone for a while. Many
// goroutines may use it, and share the limits.
type Gate struct {
	name    string
	limits  Limits
	queue   *queue
	breaker *gobreaker.CircuitBreaker[struct{}]
	heard   func(context.Context, Exchange) // Gates.Heard
	allow   func(context.Context) error     // Gates.Allow
	pace    pace.Turns                      // Gates.Pace, where the limits are shared
	cache   Cache                           // Gates.Cache
	began   sync.Once                       // looking up what was known before

	mu       sync.Mutex
	today    today
	cooldown time.Time // no call before it
	failing  failing
	closed   time.Time       // when the breaker lets the next call through
	last     *citewell.Error // why the service is left alone
}

// NewGate returns a Gate before the service of a name.
func NewGate(name string, limits Limits) *Gate {
	limits = limits.withDefaults()
	g := &Gate{name: name, limits: limits, queue: newQueue(name, limits)}
	g.breaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         name,
		Timeout:      limits.BreakFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= limits.BreakAfter },
		IsSuccessful: func(err error) bool { return err == nil || errors.Is(err, ErrAnswered) },
		IsExcluded:   func(err error) bool { return !providersFault(err) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.closed = time.Now().Add(limits.BreakFor)
			}
		},
	})
	return g
}

// Do makes a call, and the tries that the limits allow. Its errors are always *citewell.Error. A call that an earlier
// failure prevented ends with that failure's code and RetryAfter, so that a rate limit is never mistaken for an empty
// answer; one that our own limits leave no time for ends as rate_limited. Nothing waits past the deadline of ctx. The
// time that Ask gives begins with the call.
func (g *Gate) Do(ctx context.Context, call func(context.Context) error) error {
	return g.doExchange(ctx, &Exchange{Results: -1}, call)
}

// doExchange is Do of an exchange of which call fills in what it knows.
func (g *Gate) doExchange(ctx context.Context, x *Exchange, call func(context.Context) error) (err error) {
	if g.heard != nil {
		defer func(began time.Time) {
			x.Provider, x.Err, x.Outcome, x.Took = g.name, err, OutcomeOf(err, x.Results == 0), time.Since(began)
			g.heard(ctx, *x)
		}(time.Now())
	}
	if g.allow != nil {
		if err := g.allow(ctx); err != nil {
			return err
		}
	}
	if err := g.coolingDown(time.Now()); err != nil {
		return err
	}
	_, err = g.breaker.Execute(func() (struct{}, error) { return struct{}{}, g.retrying(ctx, x, call) })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return g.leftAlone(time.Now())
	}
	if err != nil {
		e, now := typed(g.name, err), time.Now()
		g.remember(ctx, e, now)
		return g.untilWhen(e, now)
	}
	g.worked(ctx)
	return nil
}

// retrying makes the calls for one Do. It keeps the service's own error where the wait would not fit the deadline.
func (g *Gate) retrying(ctx context.Context, x *Exchange, call func(context.Context) error) error {
	budget := time.Duration(0) // no bound but the number of tries
	if deadline, ok := ctx.Deadline(); ok {
		budget = max(time.Until(deadline), time.Nanosecond)
	}
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = g.limits.FirstBackoff
	var failed error // of the try before
	attempt := func() (struct{}, error) {
		end := func(time.Duration) {}
		leave, err := g.queue.enter(ctx, func() (err error) {
			if g.breaker.State() == gobreaker.StateOpen { // since this call began to wait
				return g.leftAlone(time.Now())
			}
			if err := g.coolingDown(time.Now()); err != nil {
				return err
			}
			end, err = g.turn(ctx, x.Lookup && g.limits.FreeLookups)
			return err
		})
		if err != nil && failed != nil {
			return struct{}{}, backoff.Permanent(failed)
		}
		if err != nil {
			return struct{}{}, backoff.Permanent(err)
		}
		defer leave()
		x.Asked = true
		pause := new(searchcall.Resting)
		calling, ended := asked(pause.In(ctx))
		err = g.timed(calling, call)
		if err != nil && calling.Err() != nil { // whatever the call made of it
			err = calling.Err()
		}
		ended()
		if err == nil {
			asked := min(pause.Asked, g.limits.MaxCooldown)
			g.restFor(asked)
			end(asked)
			return struct{}{}, nil
		}
		e := g.pausing(typed(g.name, err))
		end(e.RetryAfter)
		failed = e
		asking := askingOf(ctx)
		switch {
		case !worthRetrying(e) || e.RetryAfter > g.limits.MaxRetryAfter,
			asking != nil && !asking.allows(time.Now(), max(e.RetryAfter, g.limits.FirstBackoff)):
			return struct{}{}, backoff.Permanent(e)
		case e.RetryAfter > 0:
			return struct{}{}, errors.Join(&backoff.RetryAfterError{Duration: e.RetryAfter}, e)
		}
		return struct{}{}, e
	}
	_, err := backoff.Retry(ctx, attempt,
		backoff.WithBackOff(growing), backoff.WithMaxTries(g.limits.Tries), backoff.WithMaxElapsedTime(budget))
	return err
}

// pausing says for how long a failed call's service is left alone, as it asked or as long as later searches honour, and
// why.
func (g *Gate) pausing(failed *citewell.Error) *citewell.Error {
	e := *failed
	hint := "it asked for a pause"
	if e.RetryAfter == 0 && e.Code == citewell.CodeRateLimited {
		e.RetryAfter, hint = min(g.limits.CoolDown, g.limits.MaxCooldown), "it did not say for how long"
	}
	if e.RetryAfter <= 0 {
		return &e
	}
	e.Hint = cmp.Or(e.Hint, hint)
	if most := g.limits.MaxCooldown; e.RetryAfter > most {
		e.RetryAfter = most
		e.Hint += "; no more than " + most.String() + " of the pause that it asked for is believed"
	}
	return &e
}

// untilWhen also says of an error that was remembered when the service is asked again.
func (g *Gate) untilWhen(remembered *citewell.Error, now time.Time) *citewell.Error {
	if remembered.RetryAfter <= 0 || !providersFault(remembered) {
		return remembered
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	e, at := *remembered, now.Add(remembered.RetryAfter)
	if g.closed.After(at) { // the breaker opened
		at = g.closed
	}
	e.Hint += "; it is asked again at " + clock(at)
	return &e
}

func clock(at time.Time) string { return at.UTC().Format("15:04:05 UTC") }

// timed makes a call within the service's own time.
func (g *Gate) timed(ctx context.Context, call func(context.Context) error) error {
	if g.limits.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.limits.Timeout)
		defer cancel()
	}
	return recovering(ctx, g.name, call)
}

// worthRetrying reports whether the same call may succeed within a second or two. A bot page gets worse.
func worthRetrying(e *citewell.Error) bool {
	switch e.Code {
	case citewell.CodeRateLimited, citewell.CodeConnectFailed, citewell.CodeHTTPFailed,
		citewell.CodeDNSFailed, citewell.CodeBadResponse, citewell.CodeTimeout:
		return true
	}
	return errors.Is(e, ErrTemporary)
}

// providersFault reports whether err is about the provider, not the caller, the query or our own limits.
func providersFault(err error) bool {
	if errors.Is(err, errQueued) || errors.Is(err, errNotAsked) || errors.Is(err, errDaySpent) ||
		errors.Is(err, errNotWaited) {
		return false
	}
	code := citewell.CodeOf(err)
	return code != citewell.CodeCanceled && code.Row().Category != citewell.CategoryInvalid
}

func (g *Gate) remember(ctx context.Context, e *citewell.Error, now time.Time) {
	if !providersFault(e) {
		return
	}
	if !errors.Is(e, ErrAnswered) {
		g.failed(ctx, e, now)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last = e
	if e.RetryAfter > 0 {
		g.cooldown = now.Add(e.RetryAfter)
	}
}

// coolingDown returns the earlier error while the wait that came with it lasts.
func (g *Gate) coolingDown(now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Before(g.cooldown) {
		return notAsked(g.name, g.last, now, g.cooldown.Sub(now), askedToWait)
	}
	return nil
}

func (g *Gate) leftAlone(now time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return notAsked(g.name, g.last, now, max(g.closed.Sub(now), 0), "its last calls all failed")
}

// errNotAsked marks a call that was not made because of an earlier one.
var errNotAsked = errors.New("not asked")

const askedToWait = "it asked us to wait"

func notAsked(name string, last *citewell.Error, now time.Time, wait time.Duration, why string) error {
	e := &citewell.Error{Code: citewell.CodeTimeout, Op: "search " + name, RetryAfter: wait, Err: errNotAsked}
	message := ""
	if last != nil {
		e.Code, e.Hint, e.Err = last.Code, last.Hint, errors.Join(errNotAsked, last)
		message = ": " + citewell.View(last).Message
	}
	e.Message = fmt.Sprintf("%s was not asked, because %s (next try in %s, at %s)%s", name, why,
		wait.Round(time.Second), clock(now.Add(wait)), message)
	return e
}

// An Exchange is what a program that watches its services hears of one Do. Err may hold
// words of the service; show its code.
type Exchange struct {
	Provider string
	Query    string // empty where the caller did not say
	Lookup   bool   // the query has an identifier
	Results  int    // -1 where the caller did not say
	Asked    bool   // the service was asked, whatever came of it
	Outcome  citewell.ProviderOutcome
	Err      error
	Took     time.Duration // with waits and tries
}

// Gates keep one Gate for each service. The zero value is ready, and many goroutines may use it.
type Gates struct {
	// Heard, set before Of is first called, hears of each Do when it is over, with its context, in several goroutines.
	Heard func(context.Context, Exchange)
	// Allow is called before each Do: its error is what Do ends with. It is set as Heard is; nil lets all be made.
	Allow func(context.Context) error
	// Pace is kept with other processes, for services whose limits are Shared; nil keeps to this process.
	Pace pace.Turns
	// Cache keeps whose last call failed, for later processes; nil keeps it within this one.
	Cache Cache

	mu     sync.Mutex
	byName map[string]*Gate
}

// Of returns the Gate before the service of a name. Limits are those of the first call.
func (g *Gates) Of(name string, limits Limits) *Gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byName[name] == nil {
		if g.byName == nil {
			g.byName = make(map[string]*Gate)
		}
		gate := NewGate(name, limits)
		gate.heard, gate.allow, gate.cache = g.Heard, g.Allow, g.Cache
		if limits.Shared {
			gate.pace = g.Pace
		}
		g.byName[name] = gate
	}
	return g.byName[name]
}

// LeftAlone reports for each service whether it is left alone now: its breaker is open, or it asked for a wait.
func (g *Gates) LeftAlone() map[string]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	alone := make(map[string]bool, len(g.byName))
	for name, gate := range g.byName {
		alone[name] = gate.breaker.State() == gobreaker.StateOpen || gate.coolingDown(time.Now()) != nil
	}
	return alone
}
