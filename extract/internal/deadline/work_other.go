//go:build !linux

package deadline

import "time"

// threadClock is not known here.
func threadClock() (clock func() time.Duration, known bool) { return nil, false }
