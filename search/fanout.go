package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// A Fanout is providers that are asked side by side. One whose last calls failed is not waited for: its call ends when
// all the others have ended, more than half of all have answered, and somebody has found something. The others have the
// time that they are given, and so have all if each has failed lately.
type Fanout struct {
	calls []fanoutCall // by provider

	mu       sync.Mutex
	waited   int // of those that are waited for, how many have not ended
	answered int
	found    bool
}

type fanoutCall struct {
	ctx   context.Context
	leave context.CancelCauseFunc
	why   error // it is not waited for; nil where it is
}

// errNotWaited marks a call that was left behind, since the provider's last one had failed.
var errNotWaited = errors.New("not waited for")

// NewFanout begins one. Whoever begins it calls End for each of the providers.
func NewFanout(ctx context.Context, providers []Provider) *Fanout {
	f := &Fanout{calls: make([]fanoutCall, len(providers))}
	for i, p := range providers {
		call := &f.calls[i]
		call.ctx, call.leave = context.WithCancelCause(ctx)
		if gate := gateOf(p); gate != nil {
			call.why = gate.failedLately(ctx, time.Now())
		}
		if call.why == nil {
			f.waited++
		}
	}
	if f.waited == 0 {
		f.waited = len(f.calls)
		for i := range f.calls {
			f.calls[i].why = nil
		}
	}
	return f
}

// Context is that of the calls of the provider at an index.
func (f *Fanout) Context(i int) context.Context { return f.calls[i].ctx }

// End says what became of the provider at an index.
func (f *Fanout) End(i int, became citewell.ProviderReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[i].leave(nil)
	if f.calls[i].why == nil {
		f.waited--
	}
	if became.Outcome.Answered() {
		f.answered++
	}
	f.found = f.found || became.Results > 0
	if f.waited > 0 || !f.found || 2*f.answered <= len(f.calls) {
		return
	}
	for _, call := range f.calls {
		if call.why != nil {
			call.leave(call.why)
		}
	}
}

// A failing is what is known of a service whose last call failed.
type failing struct {
	Count int       `json:"count"`          // failures in a row
	Slow  bool      `json:"slow,omitempty"` // the last took its time, or asked for more
	At    time.Time `json:"at"`             // of the last
	Why   string    `json:"why"`
}

// holdsUp reports whether the next call is likely to hold others up: after a timeout, or two failures.
func (f failing) holdsUp() bool { return f.Count > 1 || f.Count == 1 && f.Slow }

// lasts is for how long the last failure counts: as long as a breaker holds, doubled with each further one, and no
// longer than a Retry-After is honoured. Then the service has its time again.
func (f failing) lasts(l Limits) time.Duration {
	d := l.BreakFor
	for n := 1; n < f.Count && d < l.MaxCooldown; n++ {
		d *= 2
	}
	return min(d, l.MaxCooldown)
}

// lastFailure is what this process knows of the service, or what another one had kept when this one began.
func (g *Gate) lastFailure(ctx context.Context) failing {
	g.began.Do(func() {
		if g.cache == nil {
			return
		}
		var f failing
		if kept, _, ok, err := g.cache.CacheGet(ctx, g.keptFailure()); err == nil && ok &&
			json.Unmarshal(kept, &f) == nil {
			g.mu.Lock()
			g.failing = f
			g.mu.Unlock()
		}
	})
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failing
}

func (g *Gate) keptFailure() string { return "failure/1 " + g.name }

// worked and failed keep how the last call ended, for this process and for those that begin later.
func (g *Gate) worked(ctx context.Context) {
	if g.lastFailure(ctx).Count > 0 {
		g.keepFailure(ctx, failing{})
	}
}

func (g *Gate) failed(ctx context.Context, e *citewell.Error, now time.Time) {
	g.keepFailure(ctx, failing{Count: g.lastFailure(ctx).Count + 1, Slow: takesTime(e), At: now,
		Why: citewell.View(e).Message})
}

func takesTime(e *citewell.Error) bool {
	switch e.Code {
	case citewell.CodeTimeout, citewell.CodeResponseTooSlow, citewell.CodeRateLimited:
		return true
	}
	return false
}

func (g *Gate) keepFailure(ctx context.Context, f failing) {
	g.mu.Lock()
	g.failing = f
	g.mu.Unlock()
	// where it fails, the service is waited for once more
	if kept, err := json.Marshal(f); err == nil && g.cache != nil {
		_ = g.cache.CachePut(context.WithoutCancel(ctx), g.keptFailure(), kept, f.lasts(g.limits))
	}
}

// failedLately is why the service is not worth waiting for while others answer; nil where it is.
func (g *Gate) failedLately(ctx context.Context, now time.Time) error {
	f := g.lastFailure(ctx)
	if !f.holdsUp() || now.Sub(f.At) >= f.lasts(g.limits) {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeTimeout, Op: "search " + g.name, Err: errNotWaited,
		Message: fmt.Sprintf("%s was not waited for when the others had answered, since its last call failed %s "+
			"ago: %s", g.name, now.Sub(f.At).Round(time.Second), f.Why)}
}
