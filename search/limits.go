package search

import "time"

// Limits are the manners of one provider. Zero values mean the defaults named
// with each field.
type Limits struct {
	Rate          float64       // calls a second in the long run; 0 means no limit
	RateFixed     bool          // Rate is no setting that the operator could raise
	Burst         int           // calls at once before Rate binds; 1
	Parallel      int           // calls under way at once; 0 means no limit
	Tries         uint          // calls for one query, the first included; 2
	FirstBackoff  time.Duration // wait before the second try, give or take half; 250 ms
	MaxRetryAfter time.Duration // longest Retry-After that is waited out inside a search; 2 s
	MaxCooldown   time.Duration // longest Retry-After that later searches honour; 15 min
	BreakAfter    uint32        // failed searches in a row after which the provider is left alone; 5
	BreakFor      time.Duration // how long it is left alone; 30 s
	MaxResults    int           // results kept of one answer; 15
}

func (l Limits) withDefaults() Limits {
	l.Burst = max(l.Burst, 1)
	if l.Tries == 0 {
		l.Tries = 2
	}
	if l.FirstBackoff == 0 {
		l.FirstBackoff = 250 * time.Millisecond
	}
	if l.MaxRetryAfter == 0 {
		l.MaxRetryAfter = 2 * time.Second
	}
	if l.MaxCooldown == 0 {
		l.MaxCooldown = 15 * time.Minute
	}
	if l.BreakAfter == 0 {
		l.BreakAfter = 5
	}
	if l.BreakFor == 0 {
		l.BreakFor = 30 * time.Second
	}
	if l.MaxResults == 0 {
		l.MaxResults = 15
	}
	return l
}
