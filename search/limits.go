package search

import (
	"cmp"
	"time"
)

// Limits are the manners of one provider. Zero values mean the defaults named with each field.
type Limits struct {
	Rate          float64       // calls a second in the long run; 0 means no limit
	RateFixed     bool          // Rate is of the terms, and no setting that the operator could raise
	Burst         int           // calls at once before Rate binds; 1
	Parallel      int           // calls under way at once; 0 means no limit
	Timeout       time.Duration // of one call, without what it waits for; 0 means the caller's alone
	Tries         uint          // calls for one query, the first included; 2
	FirstBackoff  time.Duration // wait before the second try, give or take half; 250 ms
	MaxRetryAfter time.Duration // longest Retry-After that is waited out inside a search; 2 s
	MaxCooldown   time.Duration // longest Retry-After that later searches honour; 15 min
	CoolDown      time.Duration // after a refusal for too many calls that names no wait; 0: none
	BreakAfter    uint32        // failed searches in a row after which the provider is left alone; 5
	BreakFor      time.Duration // how long it is left alone; 30 s
	MaxResults    int           // results kept of one answer; 15
	PerDay        int           // calls on one day of UTC; 0 means no limit
	FreeLookups   bool          // a query with an Identifier does not count towards PerDay
	Fresh         time.Duration // how old an answer to a search may be that is used again; 0: none is kept
	Shared        bool          // Rate, Parallel and PerDay are those of all processes that share Gates.Pace together
}

func (l Limits) withDefaults() Limits {
	l.Burst = max(l.Burst, 1)
	l.Tries = cmp.Or(l.Tries, 2)
	l.FirstBackoff = cmp.Or(l.FirstBackoff, 250*time.Millisecond)
	l.MaxRetryAfter = cmp.Or(l.MaxRetryAfter, 2*time.Second)
	l.MaxCooldown = cmp.Or(l.MaxCooldown, 15*time.Minute)
	l.BreakAfter = cmp.Or(l.BreakAfter, 5)
	l.BreakFor = cmp.Or(l.BreakFor, 30*time.Second)
	l.MaxResults = cmp.Or(l.MaxResults, 15)
	return l
}
