package deadline

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// Only work counts: a reader that waits has its budget still.
func TestWaitingIsNoWork(t *testing.T) {
	if _, known := threadClock(); !known && runtime.GOOS == "linux" {
		t.Fatal("the clock of a thread is not found")
	} else if !known {
		t.Skip("this system tells no thread's processor time")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer BoundWork(ctx, 50*time.Millisecond, cancel)()
	time.Sleep(150 * time.Millisecond) // three times the budget, by the clock
	if ctx.Err() != nil {
		t.Fatal("waiting was counted")
	}
	worked := 0
	for ctx.Err() == nil && t.Context().Err() == nil {
		worked++
	}
	t.Log(worked, "rounds of work")
}

// A walk looks at its time once in so many steps, and stays ended.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := Watch{Ctx: ctx}
	for range WatchSteps {
		if w.Ended() {
			t.Fatal("ended before its time")
		}
	}
	cancel()
	steps := 1
	for !w.Ended() && steps < 2*WatchSteps {
		steps++
	}
	if steps != WatchSteps || !w.Ended() {
		t.Errorf("it ended after %d steps, want %d", steps, WatchSteps)
	}
}
