package sqlite

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/citewell/citewell/store"
)

// TestOldRuns opens a store that the program wrote as it was with schema 5: two runs,
// with numbered sources in a table of their own and in the log. The first has ended; the
// second was let go with an answer in its inbox.
func TestOldRuns(t *testing.T) {
	db, ctx := openTest(t, unpackedStore(t, "schema5.db.gz")), t.Context()
	s := db.Tenant("")
	var left int
	if err := db.reads.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name IN ('run_source', 'run_ended')`).Scan(&left); err != nil || left > 0 {
		t.Errorf("%d of what nobody uses is still there (%v)", left, err)
	}
	for n, want := range map[int]store.RunState{1: store.RunCompleted, 2: store.RunResearching} {
		id := numberedRun(n)
		if run, err := s.Run(ctx, id); err != nil || run.State != want || run.Unread != 1 {
			t.Errorf("run %d is %+v (%v), want %s", n, run, err, want)
		}
		events, err := s.Events(ctx, id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(events, func(e store.RunEvent) bool { return e.Type == "run.source" && json.Valid(e.Data) }) {
			t.Errorf("the log of run %d lost what stood in it: %v", n, events)
		}
		call := store.Call{Kind: store.CallModel, Name: "m", Input: json.RawMessage(`{"q":1}`)}
		if kept, err := s.LookupCall(ctx, id, call.Key()); err != nil || string(kept.Result) != `"at noon"` {
			t.Errorf("the journal of run %d has %+v (%v)", n, kept, err)
		}
	}
	lease, ok, err := s.AcquireNext(ctx, "new", store.MinLeaseTTL)
	if err != nil || !ok || lease.Run != numberedRun(2) {
		t.Fatalf("the next run is %+v (%v)", lease, err)
	}
	if messages, err := s.TakeMessages(ctx, lease); err != nil || len(messages) != 1 || messages[0].ID != "m" {
		t.Errorf("the inbox has %v (%v)", messages, err)
	}
	if err := s.ChangeState(ctx, lease, store.RunChange{State: store.RunCompleted, Outcome: store.RunAnswered}, nil); err != nil {
		t.Error(err)
	}
	for n := 1; n <= 2; n++ {
		if err := s.DeleteRun(ctx, numberedRun(n)); err != nil {
			t.Error(err)
		}
	}
	if report, err := db.Check(ctx); err != nil || len(report.Problems) > 0 {
		t.Errorf("the store then: %+v (%v)", report, err)
	}
}
