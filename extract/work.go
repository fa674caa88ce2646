package extract

import (
	"context"
	"runtime"
	"time"

	"github.com/citewell/citewell"
)

// wallOfWork is how many times its work a page may take by the clock, which ends one that
// waits for ever.
const wallOfWork = 20

// isAtHand says whether a page is nothing of the web: a file of the user's own, or the
// result of a tool.
func isAtHand(page citewell.Page) bool { return isOwn(page) || schemeOf(page) == "tool" }

// isOwn says whether a page is a file of the user's own.
func isOwn(page citewell.Page) bool { return schemeOf(page) == "file" }

// workOf is how much processor time a page may take: what it takes to read must not hang
// on what else the machine does.
func (o Options) workOf(atHand bool) time.Duration {
	if atHand {
		return o.Work
	}
	return o.Timeout
}

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
