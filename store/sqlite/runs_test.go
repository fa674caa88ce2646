package sqlite

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/store"
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

// A deleted run leaves no row, whichever table of runs there is: its words are the user's.
func TestDeletedRunLeavesNoRow(t *testing.T) {
	db := openTest(t, t.TempDir())
	s, ctx := db.Tenant("t"), t.Context()
	run, err := s.CreateRun(ctx, store.NewRun{Agent: "a", Task: "when is high water?", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := readColumn[string](ctx, db.reads, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'run%'`)
	if err != nil {
		t.Fatal(err)
	}
	rows := func() (all int) {
		for _, table := range tables {
			var n int
			if err := db.reads.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n); err != nil {
				t.Fatal(err)
			}
			all += n
		}
		return all
	}
	if had := rows(); had != 4 { // of run, run_request, run_task and run_event
		t.Errorf("a new run has %d rows", had)
	}
	if err := s.DeleteRun(ctx, run.ID); err != nil {
		t.Fatal(err)
	}
	if left := rows(); left > 0 {
		t.Errorf("%d rows of it are left", left)
	}
}
