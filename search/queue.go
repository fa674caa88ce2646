package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/turns"
	"golang.org/x/time/rate"
)

// errQueued marks a call that our own limits prevented, which says nothing about the service.
var errQueued = errors.New("our own queue")

// A queue is where calls to one service wait, in the order of asking, for a place among those under way, and a turn at
// the rate.
type queue struct {
	name   string
	limits Limits
	bucket *rate.Limiter
	next   *turns.Turns // one place: to wait for the rate
	places *turns.Turns // nil without Limits.Parallel

	mu   sync.Mutex    // also over asking for a place and looking at who waits for one
	took time.Duration // of a call: the last one counts for a quarter
}

func newQueue(name string, limits Limits) *queue {
	every := rate.Inf
	if limits.Rate > 0 {
		every = rate.Limit(limits.Rate)
	}
	q := &queue{name: name, limits: limits, bucket: rate.NewLimiter(every, limits.Burst), next: turns.New(1)}
	if limits.Parallel > 0 {
		q.places = turns.New(limits.Parallel)
	}
	return q
}

// longWait is from when on a wait for our own limit is Noted.
const longWait = time.Second

// enter waits until a call may be made. It refuses a wait that would not leave the service its time. shared is called
// when the call's turn in this process has come, and waits for other processes. leave is called when the call has
// ended.
func (q *queue) enter(ctx context.Context, shared func() error) (leave func(), err error) {
	began, most := time.Now(), q.patience(ctx)
	end, err := q.place(ctx, most)
	if err != nil {
		return nil, err
	}
	placed := time.Now()
	noteWait(ctx, placed.Sub(began), fmt.Sprintf("%d calls are under way at once", q.limits.Parallel))
	if err := q.turn(ctx, most-placed.Sub(began), shared); err != nil {
		end()
		return nil, err
	}
	entered := time.Now()
	return func() {
		end()
		q.learn(max(time.Since(entered), 1))
	}, nil
}

func noteWait(ctx context.Context, wait time.Duration, limit string) {
	if wait >= longWait {
		searchcall.Note(ctx, fmt.Sprintf("waited %s, since at most %s", wait.Round(100*time.Millisecond), limit))
	}
}

// leastLeft is what a service that is fast as a rule has for its answer in any case.
const leastLeft = time.Second

// patience is how long a call may wait: before the deadline of ctx, and for an asking without a
// Wait as long as the service has for its answer, or before the end of that time where it has begun.
func (q *queue) patience(ctx context.Context) time.Duration {
	most, now := time.Duration(math.MaxInt64), time.Now()
	if deadline, ok := ctx.Deadline(); ok {
		most = q.before(deadline.Sub(now))
	}
	if a := askingOf(ctx); a != nil && !a.waits {
		if until := a.over(); until.IsZero() {
			most = min(most, a.since.Add(a.most).Sub(now))
		} else {
			most = min(most, q.before(until.Sub(now)))
		}
	}
	return most
}

// before is how much of the time that is left a call may wait: the service then has
// twice the time that it takes as a rule, but no more than half of what is left; a quarter
// of it where nobody knows yet.
func (q *queue) before(left time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.took == 0 {
		return left - left/4
	}
	return left - min(left/2, max(2*q.took, leastLeft))
}

// place waits for a place among the calls that are under way.
func (q *queue) place(ctx context.Context, most time.Duration) (end func(), err error) {
	if q.places == nil {
		return func() {}, nil
	}
	q.mu.Lock()
	before := q.places.Ahead(ctx)
	turn := q.places.Ask(ctx)
	expected := q.took * time.Duration(before+1) / time.Duration(q.limits.Parallel)
	if q.limits.Rate > 0 {
		expected = max(expected, time.Duration(float64(before)/q.limits.Rate*float64(time.Second)))
	}
	q.mu.Unlock()
	if !turn.IsGiven() {
		tellWait(ctx, q.name, expected)
	}
	refusal := q.refused(expected, fmt.Sprintf("our own limit of %d calls at once leaves no time for this one: %d "+
		"wait before it", q.limits.Parallel, before),
		"call again later, or allow more time")
	return turn.End, await(ctx, turn, expected, most, refusal)
}

// await waits for a turn. One that cannot be given in time is refused at once.
func await(ctx context.Context, turn *turns.Turn, expected, most time.Duration, refusal error) (err error) {
	defer func() {
		if err != nil {
			turn.End()
		}
	}()
	if turn.IsGiven() {
		return nil
	}
	if expected > most {
		return refusal
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-turn.Given:
		return nil
	case <-late.C:
		return refusal
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turn waits for the rate, and then for other processes. Who waits for it next has reserved it; who looks on knows.
func (q *queue) turn(ctx context.Context, most time.Duration, shared func() error) error {
	if q.limits.Rate <= 0 {
		return shared()
	}
	began := time.Now()
	q.mu.Lock()
	ahead := q.next.Ahead(ctx)
	turn := q.next.Ask(ctx)
	defer turn.End()
	wait := time.Duration((float64(ahead+1) - q.bucket.Tokens()) / q.limits.Rate * float64(time.Second))
	var own *rate.Reservation
	if turn.IsGiven() {
		own = q.bucket.Reserve()
	}
	q.mu.Unlock()
	hint := "search less often"
	if !q.limits.RateFixed {
		hint += ", or raise search.providers." + q.name + ".rate"
	}
	refusal := q.refused(wait, fmt.Sprintf("our own limit of %g calls a second leaves no time for this one",
		q.limits.Rate), hint)
	tellWait(ctx, q.name, wait)
	if own == nil {
		if err := await(ctx, turn, wait, most, refusal); err != nil {
			return err
		}
		q.mu.Lock()
		own = q.bucket.Reserve()
		q.mu.Unlock()
	} else if wait > most {
		own.Cancel()
		return refusal
	}
	timer := time.NewTimer(own.Delay())
	defer timer.Stop()
	select {
	case <-timer.C:
		noteWait(ctx, time.Since(began), callsASecond(q.limits.Rate)+" made")
		return shared()
	case <-ctx.Done():
		own.Cancel()
		return ctx.Err()
	}
}

// learn hears how long a call took.
func (q *queue) learn(took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.took == 0 {
		q.took = took
		return
	}
	q.took += (took - q.took) / 4
}

// refused says of a call that was not made when its turn would come.
func (q *queue) refused(wait time.Duration, message, hint string) error {
	if wait > 0 {
		message += ", whose turn comes in " + max(wait.Round(time.Second), time.Second).String()
	}
	return &citewell.Error{Code: citewell.CodeRateLimited, Op: "search " + q.name, Err: errQueued, Message: message,
		Hint: hint, RetryAfter: wait}
}

// callsASecond is "1 call a second is", "0.5 calls a second are".
func callsASecond(rate float64) string {
	if rate == 1 {
		return "1 call a second is"
	}
	return fmt.Sprintf("%g calls a second are", rate)
}
