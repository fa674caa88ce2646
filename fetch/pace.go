package fetch

import (
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
)

// How often it is asked whether the request of another process has ended: soon at first.
const (
	firstPoll = 20 * time.Millisecond
	lastPoll  = 200 * time.Millisecond
)

// share takes the turn among all processes and renews it until it ends. meanwhile is asked after each wait; where what
// is wanted has come, no turn is taken.
func (t *turn) share(ctx context.Context, rule pace.Rule, meanwhile func() bool) error {
	m := t.manners
	keeper := &pace.Keeper{Turns: m.pace, Service: service(t.key), Hold: pace.Hold, Failed: m.tellAlone}
	rule.Hold = pace.Hold
	for pause := firstPoll; ; pause = min(2*pause, lastPoll) {
		got, err := m.pace.TakeTurn(ctx, keeper.Service, time.Now(), rule)
		if got.ID != "" { // it ends with t, also where the caller has gone meanwhile
			t.end = keeper.Begin(ctx, got.ID)
		}
		switch {
		case ctx.Err() != nil:
			return turnRefused(ctx, 0)
		case err != nil: // the manners of this process hold still
			m.tellAlone(ctx, err)
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

func (m *manners) tellAlone(ctx context.Context, err error) {
	m.aloneOnce.Do(func() { m.alone(ctx, err) })
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
	return &citewell.Error{Code: citewell.CodeRateLimited,
		Message: "the host refused a moment ago and gets no requests for now", Hint: "try again later",
		RetryAfter: wait}
}
