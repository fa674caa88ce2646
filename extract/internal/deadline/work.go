package deadline

import (
	"context"
	"runtime"
	"time"
)

// WallOfWork is how many times its work a page may take by the clock, which ends one that waits for ever.
const WallOfWork = 20

// BoundWork calls cancel once the calling goroutine has worked for limit: processor time, or the clock's if the system
// does not tell. The goroutine calls stop when it is done.
func BoundWork(ctx context.Context, limit time.Duration, cancel context.CancelFunc) (stop func()) {
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
