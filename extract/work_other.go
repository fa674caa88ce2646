//go:build !linux

package extract

import "time"

// threadClock is not known here.
func threadClock() (clock func() time.Duration, known bool) { return nil, false }
