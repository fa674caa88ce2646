package extract

import (
	"context"
	"runtime"
	"time"

	"github.com/citewell/citewell"
)

// ownWall is how many times Options.Work a child may take by the wall clock, which ends
// one that waits for ever.
const ownWall = 20

// isAtHand says whether a page is nothing of the web: a file of the user's own, or the
// result of a tool. What it takes to read must not hang on what else the machine does.
func isAtHand(page citewell.Page) bool { return isOwn(page) || schemeOf(page) == "tool" }

// isOwn says whether a page is a file of the user's own.
func isOwn(page citewell.Page) bool { return schemeOf(page) == "file" }

// boundWork calls cancel once the calling goroutine has worked for limit, which is
// processor time where the system tells it and otherwise time by the clock. The goroutine
// calls stop when it is done.
func boundWork(ctx context.Context, limit time.Duration, cancel context.CancelFunc) (stop func()) {
	runtime.LockOSThread()
	clock, known := threadClock()
	if !known {
		alarm := time.AfterFunc(limit, cancel)
		return func() { alarm.Stop(); runtime.UnlockOSThread() }
	}
	end := clock() + limit
	done := make(chan struct{})
	go func() {
		look := time.NewTicker(min(limit, 20*time.Millisecond))
		defer look.Stop()
		for {
			select {
			case <-look.C:
				if clock() >= end {
					cancel()
					return
				}
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { close(done); runtime.UnlockOSThread() }
}
