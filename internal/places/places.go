// Package places bounds how many pages are read at once.
//
// Errors: the end of a context, rate_limited. Concurrency: Places are for many goroutines.
// Why: doc/decision/0062-readers-end.md
package places

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
)

// Places bounds how many pages are read at once, by all Extractors that have it in their Options. A reader that
// outlives the time of its page gives its place back, but only as many as there are places: each further one keeps its
// own until it ends.
type Places struct {
	taken   chan struct{}
	late    atomic.Int64
	overran atomic.Int64
}

// New returns n places, all free.
func New(n int) *Places { return &Places{taken: make(chan struct{}, max(n, 1))} }

// A State is how Places are used.
type State struct {
	All     int
	Busy    int
	Late    int   // readers that run on after the time of their page
	Lost    int   // places that such readers keep
	Overran int64 // readers that have outlived the time of their page so far
}

// State tells how the places are used now.
func (p *Places) State() State {
	s := State{All: cap(p.taken), Busy: len(p.taken), Late: int(p.late.Load()), Overran: p.overran.Load()}
	s.Lost = max(s.Late-s.All, 0)
	return s
}

// Outlived takes note of a reader that runs on. leave gives its place back; ended is closed when it ends.
func (p *Places) Outlived(leave func(), ended <-chan struct{}) {
	p.overran.Add(1)
	if p.late.Add(1) <= int64(cap(p.taken)) {
		leave()
	}
	go func() {
		<-ended
		p.late.Add(-1)
	}()
}

// maxWait is how long a file of the user's own waits for a place: who sent it is told to come again.
const maxWait = 30 * time.Second

// Leave gives a place back.
func (p *Places) Leave() { <-p.taken }

// Enter takes a place. patient waits as long as ctx lasts. Its errors are the end of ctx and rate_limited.
func (p *Places) Enter(ctx context.Context, op string, patient bool) error {
	select {
	case p.taken <- struct{}{}:
		return nil
	default:
	}
	var over <-chan time.Time
	if !patient {
		wait := time.NewTimer(maxWait)
		defer wait.Stop()
		over = wait.C
	}
	select {
	case p.taken <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-over:
		return &citewell.Error{Code: citewell.CodeRateLimited, Op: op, RetryAfter: maxWait,
			Message: "all readers are busy with other files", Hint: "send it again later"}
	}
}
