package fetch

import (
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
)

// A Pace keeps turns at hosts for all processes that share it; store.Pace is one.
type Pace interface {
	TakeTurn(ctx context.Context, service string, at time.Time, rule store.PaceRule) (store.Turn, error)
	EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error
}

// How often it is asked whether the request of another process has ended: soon at first.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 200 * time.Millisecond
)

// holdBeyond is how long a request counts as under way after its deadline, at which it is
// given up: who was killed meanwhile frees the host then.
const holdBeyond = 2 * time.Second

// share takes the turn among all processes, which hold a host's requests apart as this one
// does. It ends with the request's own deadline. meanwhile is asked after each wait; where
// what is wanted has come, no turn is taken.
func (t *turn) share(ctx context.Context, rule store.PaceRule, meanwhile func() bool) error {
	m := t.manners
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(MaxTimeout)
	}
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		now := time.Now()
		rule.Hold = deadline.Sub(now) + holdBeyond
		got, err := m.pace.TakeTurn(ctx, service(t.key), now, rule)
		if got.ID != "" { // it ends with t, also where the caller has gone meanwhile
			t.end = func(rest time.Duration) { m.endShared(ctx, t.key, got.ID, rest) }
		}
		switch {
		case ctx.Err() != nil:
			return turnRefused(ctx, 0)
		case err != nil: // the manners of this process hold still
			m.aloneOnce.Do(func() { m.alone(ctx, err) })
			return nil
		case got.ID != "":
			meanwhile() // another process may have had the turn since the cache was asked
			return nil
		case t.slow && !got.Held && got.Wait > rule.Every+leastCoolDown/2: // it refused, in another process perhaps
			return leftAlone(got.Wait)
		}
		wait := got.Wait
		if got.Held {
			wait = min(wait, pause)
		}
		if err := sleep(ctx, wait); err != nil {
			return turnRefused(ctx, rule.Every)
		}
		if meanwhile() {
			return nil
		}
	}
}

// endShared tells the other processes, whether anybody still waits for the answer or not.
// Where it cannot, the turn ends by itself.
func (m *manners) endShared(ctx context.Context, key, id string, rest time.Duration) {
	if err := m.pace.EndTurn(context.WithoutCancel(ctx), service(key), id, time.Now(), max(rest, 0)); err != nil {
		m.aloneOnce.Do(func() { m.alone(ctx, err) })
	}
}

// service names a host among what has a pace.
func service(key string) string {
	const most = 90 // bytes
	if len(key) > most {
		key = citewell.SHA256([]byte(key))
	}
	return "host " + key
}

func leftAlone(wait time.Duration) error {
	return &citewell.Error{Code: citewell.CodeRateLimited, Message: "the host refused a moment ago and is left alone", Hint: "try again later", RetryAfter: wait}
}
