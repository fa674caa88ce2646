// Package pace says when a service may be called, for all processes that share a store.
//
// A Rule limits the calls, a store counts them (Turns), and a Keeper renews the turns of this process.
// Units: times are the callers'; the clocks of machines that share a store must agree.
// Concurrency: everything here may be used from many goroutines.
// Why: doc/decision/0061-global.md, doc/decision/0071-wiring-by-part.md
package pace

import (
	"context"
	"time"
)

// A Rule is what all who share a store may together ask of one service. A zero is no bound.
type Rule struct {
	PerDay int           // calls that begin on one day of UTC
	Every  time.Duration // from the beginning of one call to that of the next
	Burst  int           // calls that may begin at once after a pause; 1 when 0
	AtOnce int           // calls that have begun and not ended
	Free   bool          // this call neither counts towards PerDay nor is held by it
	// Unspaced calls wait neither for Every nor for a rest, and those after them do.
	Unspaced bool
	Hold     time.Duration // for how long a call that nobody ends or keeps counts among them; a minute when 0
}

// A Turn says whether a call may begin.
type Turn struct {
	ID     string        // of the call, which has begun with this answer; empty where it may not begin
	Wait   time.Duration // until it is worth asking again; longer than none where ID is empty
	UsedUp bool          // it may not, since PerDay is reached; Wait ends with the day
	Held   bool          // it may not, since AtOnce are under way; one may end before Wait is over
	Rest   time.Duration // of Wait, what is left of the rest of an EndTurn; 0 where the rule asks for as much
	Today  int           // calls that have begun on this day, this one among them
}

// Turns keep, for all processes that share a store, when a service was called; runstore.Pace is one.
type Turns interface {
	// TakeTurn begins and counts a call to a service if the rule lets it, else keeps nothing. The name is 1 to 100
	// bytes.
	TakeTurn(ctx context.Context, service string, at time.Time, rule Rule) (Turn, error)
	// EndTurn ends a call, if it is known. No call to the service begins for rest after at, but an Unspaced one.
	EndTurn(ctx context.Context, service, id string, at time.Time, rest time.Duration) error
	// KeepTurns has calls that are under way count for hold more, a minute when 0. Ended or forgotten ones stay so.
	KeepTurns(ctx context.Context, service string, ids []string, at time.Time, hold time.Duration) error
}
