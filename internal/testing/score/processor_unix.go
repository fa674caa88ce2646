//go:build unix

package score

import (
	"syscall"
	"time"
)

// ProcessorTime is what this process has used of all processors: beside it the time
// on the clock tells how busy the machine was.
func ProcessorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
