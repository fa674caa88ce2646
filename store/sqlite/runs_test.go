package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// A testClock stands still until it is moved, for the leases of the stores it is in.
type testClock struct{ ahead atomic.Int64 }

func (c *testClock) of(m machine) machine {
	passed := func() time.Duration { return time.Duration(c.ahead.Load()) }
	m.now = func() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC).Add(passed()) }
	m.up = func() time.Duration { return time.Hour + passed() }
	return m
}

func runBackend(db *DB, dir string, clock *testClock) storesuite.RunBackend {
	db.here = clock.of(db.here)
	return storesuite.RunBackend{
		Tenant: func(name string) storesuite.RunStore { return db.Tenant(name) },
		Reopen: func(t *testing.T) storesuite.RunBackend {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return runBackend(openTest(t, dir), dir, clock)
		},
		Pass: func(d time.Duration) { clock.ahead.Add(int64(d)) },
	}
}

func TestRuns(t *testing.T) {
	storesuite.RunRuns(t, func(t *testing.T) storesuite.RunBackend {
		dir := t.TempDir()
		return runBackend(openTest(t, dir), dir, new(testClock))
	})
}

// A deleted run leaves no row, whichever table of runs there is: its words are the user's.
func TestDeletedRunLeavesNoRow(t *testing.T) {
	db := openTest(t, t.TempDir())
	s, ctx := db.Tenant("t"), t.Context()
	run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Task: "when is high water?",
		Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := sqlstore.ReadColumn[string](ctx, conn{db.reads}, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name LIKE 'run%'`)
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

// The wait of the run that has waited longest is told, of whichever tenant, and of none that has an
// executor or its end.
func TestLongestWait(t *testing.T) {
	db := openTest(t, t.TempDir())
	waits := func(want time.Duration) {
		t.Helper()
		got, err := db.LongestWait(t.Context())
		if err != nil || got < want || got > want+time.Hour {
			t.Errorf("the longest wait is %v (%v), want %v", got, err, want)
		}
	}
	if got, err := db.LongestWait(t.Context()); got != 0 || err != nil {
		t.Errorf("nobody waits for %v (%v)", got, err)
	}
	var leases []runstore.Lease
	for _, tenant := range []string{"a", "b"} {
		run, err := db.Tenant(tenant).CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
		if err != nil {
			t.Fatal(err)
		}
		leases = append(leases, runstore.Lease{Run: run.ID})
	}
	if err := db.writer.Do(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`UPDATE run SET updated_at = updated_at - CASE tenant WHEN 'a' THEN 5 ELSE 2 END * 3600000000`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	waits(5 * time.Hour)
	lease, err := db.Tenant("a").AcquireRun(t.Context(), leases[0].Run, "w", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	waits(2 * time.Hour)
	if err := db.Tenant("a").ChangeState(t.Context(), lease,
		runstore.RunChange{State: runstore.RunCancelled, Outcome: runstore.RunOutcomeCancelled}, nil); err != nil {
		t.Fatal(err)
	}
	waits(2 * time.Hour)
}
