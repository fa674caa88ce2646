// Package pacing decides whether a call to a service may begin, from the earlier calls that a backend has recorded: by
// the generic cell rate algorithm, a daily count, and places.
//
// Units: microseconds since 1970; days since then in UTC.
// Source: ITU-T I.371 (GCRA). Contract: runstore.Pace.
package pacing

import (
	"cmp"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
)

const (
	maxService = 100 // bytes of a name
	hold       = time.Minute
)

const (
	Rested     = time.Hour // after which what a service's last call left is of no use
	ManyRested = 200       // services that it is worth a write to forget
)

// A State is what is kept of a service.
type State struct {
	Day   int64
	Calls int   // of that day, those that count
	Next  int64 // when the pace alone would let a call begin that waits for all those before it
	Rest  int64 // before this no call begins
}

// CheckService says why a name cannot be that of a service.
func CheckService(op, service string) error {
	if service == "" || len(service) > maxService {
		return fault.Invalid(op, "service must be 1 to %d bytes", maxService)
	}
	return nil
}

// Day is the day of a time.
func Day(at time.Time) int64 { return at.Unix() / int64(24*time.Hour/time.Second) }

// Until is until when a call is believed to be under way that begins or is kept now, and that nobody ends.
func Until(rule runstore.PaceRule, at time.Time) int64 {
	return at.Add(cmp.Or(rule.Hold, hold)).UnixMicro()
}

// Take returns the turn of a call and, with an ID, what is to be kept. place, asked if the rule has AtOnce, returns
// when a place will be free: 0 if one is.
func Take(kept State, rule runstore.PaceRule, at time.Time,
	place func() (int64, error)) (turn runstore.Turn, after State, err error) {
	now, today, every := at.UnixMicro(), Day(at), rule.Every.Microseconds()
	if kept.Day == today {
		turn.Today = kept.Calls
	}
	if rule.PerDay > 0 && !rule.Free && turn.Today >= rule.PerDay {
		turn.UsedUp, turn.Wait = true, time.Unix((today+1)*int64(24*time.Hour/time.Second), 0).Sub(at)
		return turn, kept, nil
	}
	burst := every * int64(max(rule.Burst, 1))
	next := min(kept.Next, now+burst) // it was further off by another rule, or by a clock that was set back
	rest, wait := kept.Rest-now, next+every-burst-now
	if rest > max(wait, 0) && !rule.Unspaced {
		wait, turn.Rest = rest, time.Duration(rest)*time.Microsecond
	}
	if rule.Unspaced {
		wait = 0
	}
	if rule.AtOnce > 0 {
		free, err := place()
		if err != nil {
			return turn, kept, err
		}
		turn.Held = free-now > max(wait, 0)
		wait = max(wait, free-now)
	}
	if wait > 0 {
		turn.Wait = time.Duration(wait) * time.Microsecond
		return turn, kept, nil
	}
	turn.ID = citewell.NewID()
	if !rule.Free {
		turn.Today++
	}
	after = State{Day: today, Calls: turn.Today, Next: max(next, now) + every, Rest: kept.Rest}
	if rule.Unspaced {
		after.Next = max(kept.Next, now+every)
	}
	return turn, after, nil
}
