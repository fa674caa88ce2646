package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// errQueued marks a call that our own limits kept from being made: nothing was asked, and
// it says nothing about the service.
var errQueued = errors.New("our own queue")

// A queue is where calls to one service wait for what our own limits allow: a place among
// those under way, and a turn at the rate. Both are given in the order of asking.
type queue struct {
	name   string
	limits Limits
	bucket *rate.Limiter
	places *semaphore.Weighted // nil without Limits.Parallel

	mu      sync.Mutex
	waiting int           // for a place
	took    time.Duration // of a call: the last one counts for a quarter
}

func newQueue(name string, limits Limits) *queue {
	every := rate.Inf
	if limits.Rate > 0 {
		every = rate.Limit(limits.Rate)
	}
	q := &queue{name: name, limits: limits, bucket: rate.NewLimiter(every, limits.Burst)}
	if limits.Parallel > 0 {
		q.places = semaphore.NewWeighted(int64(limits.Parallel))
	}
	return q
}

// longWait is from when on a wait for our own limit is Noted.
const longWait = time.Second

// enter waits until a call may be made. A wait that would not leave the service its time is
// refused, at once where that is known. leave is called when the call has ended.
func (q *queue) enter(ctx context.Context) (leave func(), err error) {
	began, most := time.Now(), q.patience(ctx)
	if err := q.place(ctx, most); err != nil {
		return nil, err
	}
	placed := time.Now()
	if err := q.turn(ctx, most-placed.Sub(began)); err != nil {
		q.leave(0)
		return nil, err
	}
	entered := time.Now()
	noteWait(ctx, placed.Sub(began), fmt.Sprintf("%d calls are under way at once", q.limits.Parallel))
	noteWait(ctx, entered.Sub(placed), callsASecond(q.limits.Rate)+" made")
	return func() { q.leave(max(time.Since(entered), 1)) }, nil
}

func noteWait(ctx context.Context, wait time.Duration, limit string) {
	if wait >= longWait {
		Note(ctx, fmt.Sprintf("waited %s, since at most %s", wait.Round(100*time.Millisecond), limit))
	}
}

// leastLeft is what a service that is fast as a rule has for its answer in any case.
const leastLeft = time.Second

// patience is how long a call may wait before the deadline of ctx: the service then has
// twice the time that it takes as a rule, but no more than half of what is left; a quarter
// of it where nobody knows yet.
func (q *queue) patience(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return math.MaxInt64
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	left := time.Until(deadline)
	if q.took == 0 {
		return left - left/4
	}
	return left - min(left/2, max(2*q.took, leastLeft))
}

// place waits for a place among the calls that are under way.
func (q *queue) place(ctx context.Context, most time.Duration) error {
	if q.places == nil || q.places.TryAcquire(1) {
		return nil
	}
	q.mu.Lock()
	before := q.waiting
	expected := q.took * time.Duration(before+1) / time.Duration(q.limits.Parallel)
	if expected <= most {
		q.waiting++
	}
	q.mu.Unlock()
	refusal := q.refused(expected, fmt.Sprintf("our own limit of %d calls at once leaves no time for this one: %d wait before it", q.limits.Parallel, before),
		"call again later, or allow more time")
	if expected > most {
		return refusal
	}
	waits, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := q.places.Acquire(waits, 1)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting--
	if err != nil && ctx.Err() == nil {
		return refusal
	}
	return err
}

// turn waits for the rate.
func (q *queue) turn(ctx context.Context, most time.Duration) error {
	turn := q.bucket.Reserve()
	wait := turn.Delay()
	if wait > most {
		turn.Cancel()
		hint := "search less often"
		if !q.limits.RateFixed {
			hint += ", or raise search.providers." + q.name + ".rate"
		}
		return q.refused(wait, fmt.Sprintf("our own limit of %g calls a second leaves no time for this one", q.limits.Rate), hint)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return ctx.Err()
	}
}

// leave gives the place back after a call that took so long; 0 is no call.
func (q *queue) leave(took time.Duration) {
	if q.places != nil {
		q.places.Release(1)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case took > 0 && q.took > 0:
		q.took += (took - q.took) / 4
	case took > 0:
		q.took = took
	}
}

func (q *queue) refused(wait time.Duration, message, hint string) error {
	return &citewell.Error{Code: citewell.CodeRateLimited, Op: "search " + q.name, Err: errQueued, Message: message, Hint: hint, RetryAfter: wait}
}

// callsASecond is "1 call a second is", "0.5 calls a second are".
func callsASecond(rate float64) string {
	if rate == 1 {
		return "1 call a second is"
	}
	return fmt.Sprintf("%g calls a second are", rate)
}
