package runstore

import (
	"context"
	"time"

	"github.com/citewell/citewell/internal/pace"
)

// A PaceRule is what all who share a store may together ask of one service.
type PaceRule = pace.Rule

// A Turn says whether a call may begin.
type Turn = pace.Turn

// Pace keeps, for all processes that share a store, when a service was called. Times are the
// callers'; machines that share a store keep one time.
type Pace interface {
	pace.Turns
	// TurnsOn is how many calls that count have begun on the day of a time; of days before the
	// last one with calls nothing is known.
	TurnsOn(ctx context.Context, service string, at time.Time) (int, error)
}
