package search

import (
	"context"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/searchcall"
)

// An allowance is the time that a provider has for its answers, from when it is asked. In a context with a Wait it runs
// only while the provider is asked.
type allowance struct {
	most  time.Duration // for the answers; without a Wait for the queue too
	since time.Time     // when it was asked for
	waits bool          // the context has a Wait

	mu    sync.Mutex
	spent time.Duration // with a Wait, by the calls that have ended
	until time.Time     // its end, as long as it runs
	calls int           // that are under way
}

type allowanceKey struct{}

// Together returns a context in which all that Ask asks of one provider shares one timeout from the first question on.
// With a Wait each question has its own.
func Together(ctx context.Context, timeout time.Duration) context.Context {
	if _, waits := searchcall.WaitOf(ctx); waits {
		return ctx
	}
	return context.WithValue(ctx, allowanceKey{}, &allowance{most: timeout, since: time.Now()})
}

// begin returns when the answer of a call that begins now has to be there.
func (a *allowance) begin(now time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until.IsZero() {
		a.until = now.Add(a.most - a.spent)
	}
	a.calls++
	return a.until
}

func (a *allowance) end(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls--; a.calls == 0 && a.waits {
		a.spent, a.until = a.most-a.until.Sub(now), time.Time{}
	}
}

// over returns when the allowance ends; zero while it does not run.
func (a *allowance) over() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.until
}

// left is what remains for answers.
func (a *allowance) left(now time.Time) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.until.IsZero() {
		return a.most - a.spent
	}
	return a.until.Sub(now)
}

// allows says whether another try may follow after a pause.
func (a *allowance) allows(now time.Time, pause time.Duration) bool {
	if a.waits {
		return a.left(now) > 0
	}
	return a.left(now) > pause
}

// An asking is one question of Ask to one provider.
type asking struct {
	*allowance
	changed chan struct{} // has room for one: the allowance began or stands still
	told    sync.Once
}

type askingKey struct{}

func newAsking(ctx context.Context, timeout time.Duration) *asking {
	a := &asking{changed: make(chan struct{}, 1)}
	if shared, ok := ctx.Value(allowanceKey{}).(*allowance); ok {
		a.allowance = shared
		return a
	}
	_, waits := searchcall.WaitOf(ctx)
	a.allowance = &allowance{most: timeout, since: time.Now(), waits: waits}
	return a
}

// askingOf is the asking that a call is made for; nil where nobody Asks.
func askingOf(ctx context.Context) *asking {
	a, _ := ctx.Value(askingKey{}).(*asking)
	return a
}

// asked is called when the provider is asked: it returns the context of the call, and what ends it.
func asked(ctx context.Context) (_ context.Context, ended func()) {
	a := askingOf(ctx)
	if a == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithDeadline(ctx, a.begin(time.Now()))
	a.tellChange()
	return ctx, func() {
		cancel()
		a.end(time.Now())
		a.tellChange()
	}
}

func (a *asking) tellChange() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// tellWait tells of a wait that begins, the first one of each question.
func tellWait(ctx context.Context, provider string, wait time.Duration) {
	w, _ := searchcall.WaitOf(ctx)
	if a := askingOf(ctx); a != nil && w.Told != nil && wait >= longWait {
		a.told.Do(func() { w.Told(provider, wait) })
	}
}

// A wrapper is a provider around another, with whose Gate it is asked.
type wrapper interface {
	Unwrap() Provider
}

// gateOf is the Gate before a provider; nil where there is none.
func gateOf(p Provider) *Gate {
	for {
		switch known := p.(type) {
		case *guarded:
			return known.gate
		case wrapper:
			p = known.Unwrap()
		default:
			return nil
		}
	}
}
