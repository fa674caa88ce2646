package runstore

import (
	"context"
	"time"
)

// A Spent is what somebody has spent of a budget.
type Spent struct {
	Tokens   int64   // of chat models, in and out
	USD      float64 // by the prices of the configuration
	Searches int64   // questions to one provider
}

// Spending keeps what each caller has spent, by days of UTC. It is kept for a week.
type Spending interface {
	// Spend adds to what a caller has spent on the day of a time. The caller is as in NewRun.
	Spend(ctx context.Context, caller string, at time.Time, more Spent) error
	// Spent is what a caller has spent on the day of a time: nothing where nobody said so.
	Spent(ctx context.Context, caller string, at time.Time) (Spent, error)
}
