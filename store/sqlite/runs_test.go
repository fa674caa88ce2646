package sqlite

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/store/storetest"
)

// A testClock stands still until it is moved, for the leases of the stores it is in.
type testClock struct{ ahead atomic.Int64 }

func (c *testClock) of(m machine) machine {
	passed := func() time.Duration { return time.Duration(c.ahead.Load()) }
	m.now = func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC).Add(passed()) }
	m.up = func() time.Duration { return time.Hour + passed() }
	return m
}

func runBackend(db *DB, dir string, clock *testClock) storetest.RunBackend {
	db.here = clock.of(db.here)
	return storetest.RunBackend{
		Tenant: func(name string) storetest.RunStore { return db.Tenant(name) },
		Reopen: func(t *testing.T) storetest.RunBackend {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return runBackend(openTest(t, dir), dir, clock)
		},
		Pass: func(d time.Duration) { clock.ahead.Add(int64(d)) },
	}
}

func TestRuns(t *testing.T) {
	storetest.RunRuns(t, func(t *testing.T) storetest.RunBackend {
		dir := t.TempDir()
		return runBackend(openTest(t, dir), dir, new(testClock))
	})
}
