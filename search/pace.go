package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/searchcall"
)

// errDaySpent marks a call that was not made, since no more are made on this day.
var errDaySpent = errors.New("the day's calls are spent")

// pollPlace is how often it is asked whether a call of another process has ended.
const pollPlace = 100 * time.Millisecond

// today counts the calls of a day where no other process does.
type today struct {
	day   int64 // since 1970
	calls int
}

// turn takes a turn among all processes that share the service's limits, and of the calls of
// the day, of which a free one is none. A wait that would not leave the service its time is refused. end is called when
// the call has ended, with how long no other is to begin.
func (g *Gate) turn(ctx context.Context, free bool) (end func(rest time.Duration), err error) {
	if g.pace == nil {
		if free {
			return func(time.Duration) {}, nil
		}
		return func(time.Duration) {}, g.countToday(time.Now())
	}
	keeper := &pace.Keeper{Turns: g.pace, Service: g.name, Hold: pace.Hold,
		Failed: func(ctx context.Context, err error) {
			searchcall.Note(ctx, "other processes could not be told until when this call is under way: "+
				citewell.View(err).Message)
		}}
	began, most := time.Now(), g.queue.patience(ctx)
	pause := most // of a pause that the service asked for
	if asking := askingOf(ctx); asking != nil {
		pause = min(pause, asking.most)
	}
	for {
		now := time.Now()
		turn, err := g.pace.TakeTurn(ctx, g.name, now, g.rule(free))
		left := most - now.Sub(began)
		switch {
		case ctx.Err() != nil:
			if turn.ID != "" { // nobody will call
				keeper.Begin(ctx, turn.ID)(0)
			}
			return nil, ctx.Err()
		case err != nil: // its own limits hold still, in this process
			searchcall.Note(ctx, "other processes could not be told of this call, and may ask at the same time: "+
				citewell.View(err).Message)
			return func(time.Duration) {}, nil
		case turn.ID != "":
			noteWait(ctx, now.Sub(began), "all processes together keep to its limits")
			end := keeper.Begin(ctx, turn.ID)
			return func(rest time.Duration) { end(max(rest, g.apart())) }, nil
		case turn.UsedUp:
			return nil, g.daySpent(turn.Wait)
		case turn.Rest > max(min(pause, left), g.apart()) && !turn.Held:
			return nil, notAsked(g.name, &citewell.Error{Code: citewell.CodeRateLimited,
				Message: "with its last answer, to this process or another that shares the store",
				Hint:    "wait until then, or ask others"}, now, turn.Wait, askedToWait)
		case left <= 0 || turn.Wait > left && !turn.Held:
			return nil, g.queue.refused(turn.Wait, "its limits, which all processes keep together, leave no time for "+
				"this call", "search less often")
		}
		wait := turn.Wait
		tellWait(ctx, g.name, wait)
		if turn.Held {
			wait = min(wait, pollPlace)
		}
		timer := time.NewTimer(min(wait, left))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// apart is how long no process calls after a call has ended, where the rate is of the service's terms.
func (g *Gate) apart() time.Duration {
	if !g.limits.RateFixed || g.limits.Rate <= 0 {
		return 0
	}
	return g.every()
}

func (g *Gate) every() time.Duration { return time.Duration(float64(time.Second) / g.limits.Rate) }

// rule is what the limits leave to all processes together.
func (g *Gate) rule(free bool) pace.Rule {
	rule := pace.Rule{PerDay: g.limits.PerDay, Free: free, Burst: g.limits.Burst, AtOnce: g.limits.Parallel,
		Hold: pace.Hold}
	if g.limits.Rate > 0 {
		rule.Every = g.every()
	}
	return rule
}

// countToday counts a call, where there is one left on this day.
func (g *Gate) countToday(now time.Time) error {
	if g.limits.PerDay <= 0 {
		return nil
	}
	const seconds = 24 * 60 * 60
	g.mu.Lock()
	defer g.mu.Unlock()
	if day := now.Unix() / seconds; day != g.today.day {
		g.today = today{day: day}
	}
	if g.today.calls >= g.limits.PerDay {
		return g.daySpent(time.Unix((g.today.day+1)*seconds, 0).Sub(now))
	}
	g.today.calls++
	return nil
}

func (g *Gate) daySpent(wait time.Duration) error {
	return &citewell.Error{Code: citewell.CodeQuotaExhausted, Op: "search " + g.name, Err: errDaySpent,
		RetryAfter: wait,
		Message: fmt.Sprintf("%s was asked %d times today, and is asked no more on one day", g.name,
			g.limits.PerDay),
		Hint: fmt.Sprintf("it is asked again after midnight UTC, in %s", wait.Round(time.Minute))}
}

// restFor leaves the service alone, as it asked with an answer.
func (g *Gate) restFor(d time.Duration) {
	if d <= 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cooldown = time.Now().Add(d)
	g.last = &citewell.Error{Code: citewell.CodeRateLimited, Op: "search " + g.name,
		Message: "it asked for a pause with its last answer"}
}
