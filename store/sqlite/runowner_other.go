//go:build !linux

package sqlite

import "time"

// thisMachine knows the time of day only.
func thisMachine() machine {
	return machine{now: time.Now, up: func() time.Duration { return 0 }, gone: func(string) bool { return false }}
}
