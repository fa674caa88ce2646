package deadline

import (
	"context"
	"testing"
	"time"
)

// Only work counts: a reader that waits has its budget still.
func TestWaitingIsNoWork(t *testing.T) {
	if _, known := threadClock(); !known {
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
