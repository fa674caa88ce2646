package postgres

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// The wait of the run that has waited longest is told, of whichever tenant, and of none that has an
// executor or its end.
func TestLongestWait(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.URL(t)}) // of nobody else
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
	exec(t, db, `UPDATE run SET updated_at = micros() - CASE tenant WHEN 'a' THEN 5 ELSE 2 END * 3600000000`)
	waits(5 * time.Hour)
	lease, err := db.Tenant("a").AcquireRun(t.Context(), leases[0].Run, "w", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	waits(2 * time.Hour)
	exec(t, db, `UPDATE run SET expires_at = micros() - 3 * 3600000000::bigint WHERE tenant = 'a'`)
	waits(3 * time.Hour) // its executor is gone
	exec(t, db, `UPDATE run SET expires_at = micros() + 3600000000 WHERE tenant = 'a'`)
	if err := db.Tenant("a").ChangeState(t.Context(), lease,
		runstore.RunChange{State: runstore.RunCancelled, Outcome: runstore.RunOutcomeCancelled}, nil); err != nil {
		t.Fatal(err)
	}
	waits(2 * time.Hour)
}
