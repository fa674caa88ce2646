package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestCollectLate sets the first collection off and finds the default again after it.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	collectLate()
	if late := debug.SetGCPercent(firstCollection); late != firstCollection {
		t.Fatalf("the first collection is due at %d percent, want %d", late, firstCollection)
	}
	for range 1000 { // the finalizer runs in its own time
		runtime.GC()
		now := debug.SetGCPercent(firstCollection)
		if now == 100 {
			return
		}
		debug.SetGCPercent(now)
	}
	t.Error("after the first collection the collector does not work as by default")
}

func TestCollectLateLeavesGOGC(t *testing.T) {
	t.Setenv("GOGC", "50")
	before := debug.SetGCPercent(50)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	if collectLate(); debug.SetGCPercent(50) != 50 {
		t.Error("the user's own setting is overridden")
	}
}
