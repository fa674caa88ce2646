package sqlite

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// TestLeaseClocks says for each way in which two processes may know each other and
// for each clock that jumps when a lease runs out.
func TestLeaseClocks(t *testing.T) {
	const ttl, minute = 30 * time.Second, time.Minute
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	at := func(boot, process string, wall, up time.Duration, gone bool) machine {
		return machine{boot: boot, process: process, now: func() time.Time {
			return start.Add(wall)
		}, up: func() time.Duration { return time.Hour + up },
			gone: func(p string) bool { return gone && p == "p1" }}
	}
	held := at("b1", "p1", 0, 0, false).hold(1, "w", ttl)
	for name, test := range map[string]struct {
		viewer      machine
		free, ahead bool
	}{
		"same boot, young":               {viewer: at("b1", "p2", ttl-1, ttl-1, false)},
		"same boot, run out":             {viewer: at("b1", "p2", ttl, ttl, false), free: true},
		"same boot, time set forward":    {viewer: at("b1", "p2", 1000*minute, ttl-1, false)},
		"same boot, machine slept":       {viewer: at("b1", "p2", 600*minute, 2*time.Second, false)},
		"same boot, time set back":       {viewer: at("b1", "p2", -1000*minute, ttl-1, false)},
		"same boot, set back, run out":   {viewer: at("b1", "p2", -1000*minute, ttl, false), free: true},
		"same boot, process gone":        {viewer: at("b1", "p2", 1, 1, true), free: true},
		"same process":                   {viewer: at("b1", "p1", 1, 1, true)},
		"other boot, young":              {viewer: at("b2", "p1", ttl-time.Microsecond, 0, true)},
		"other boot, run out":            {viewer: at("b2", "p2", ttl, -50*minute, false), free: true},
		"other boot, time set back":      {viewer: at("b2", "p2", -minute, 0, false), ahead: true},
		"no boot known, young":           {viewer: at("", "", time.Second, 0, false)},
		"no boot known, run out":         {viewer: at("", "", ttl, 0, false), free: true},
		"no boot known, time was forged": {viewer: at("", "", -time.Second, 0, false), ahead: true},
	} {
		if free, ahead := test.viewer.free(held), test.viewer.ahead(held); free != test.free || ahead != test.ahead {
			t.Errorf("%s: free is %v and ahead %v, want %v and %v", name, free, ahead, test.free, test.ahead)
		}
	}
	if nobody := (holder{}); !at("b1", "p1", 0, 0, false).free(nobody) || at("b1", "p1", 0, 0, false).ahead(nobody) {
		t.Error("a run that nobody holds is not free")
	}
	neither := at("", "", 0, 0, false)
	if h := neither.hold(1, "w", ttl); at("", "", ttl-1, 1000*minute, true).free(h) {
		t.Error("where boots are unknown, another clock than the time of day counts")
	}
}

// TestLeaseAhead sets the time of day back by a year on a machine with another boot:
// the run is taken up one ttl later, not a year later.
func TestLeaseAhead(t *testing.T) {
	db := openTest(t, t.TempDir())
	s, ctx := db.Tenant("t"), t.Context()
	var wall time.Duration
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	db.here.now = func() time.Time { return start.Add(wall) }
	run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []bool{false, true} {
		if _, err := s.AcquireRun(ctx, run.ID, "w", 30*time.Second); err != nil {
			t.Fatal(err)
		}
		db.here.boot += "another"
		wall -= 365 * 24 * time.Hour
		if next {
			if _, ok, err := s.AcquireNext(ctx, "w", time.Minute); ok || err != nil {
				t.Errorf("taken at once: %v", err)
			}
		} else {
			_, err := s.AcquireRun(ctx, run.ID, "w", time.Minute)
			wantFailed(t, err, citewell.CodeRunLeased, "")
		}
		wall += 30 * time.Second
		lease, err := s.AcquireRun(ctx, run.ID, "w", time.Minute)
		if err != nil || !lease.TakenOver {
			t.Fatalf("after its ttl the lease is %+v, %v", lease, err)
		}
		if err := s.ReleaseLease(ctx, lease); err != nil {
			t.Fatal(err)
		}
	}
}

// TestClockJumpsUnderALease has the time of day jump under two processes of one machine, of which
// one executes a run: it keeps its lease, its log goes on, nobody else takes the run up, and
// when the executor falls silent the lease runs out as if no clock had moved.
func TestClockJumpsUnderALease(t *testing.T) {
	dir := t.TempDir()
	executes, watches := openTest(t, dir), openTest(t, dir)
	const ttl = 30 * time.Second
	var wall, up time.Duration
	start := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for process, db := range map[string]*DB{"p1": executes, "p2": watches} {
		db.here = machine{boot: "b", process: process, now: func() time.Time {
			return start.Add(wall)
		}, up: func() time.Duration { return time.Hour + up },
			gone: func(string) bool { return false }}
	}
	s, other, ctx := executes.Tenant("t"), watches.Tenant("t"), t.Context()
	run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.AcquireRun(ctx, run.ID, "w", ttl)
	if err != nil {
		t.Fatal(err)
	}
	const year = 365 * 24 * time.Hour
	told := 0
	for _, jump := range []time.Duration{0, year, -3 * year, time.Minute, -time.Minute, 2 * year} {
		wall += jump
		up += ttl - time.Second // the executor is late, and in time
		if _, err := other.AcquireRun(ctx, run.ID, "other", ttl); citewell.CodeOf(err) != citewell.CodeRunLeased {
			t.Fatalf("after a jump of %v another process has the run: %v", jump, err)
		}
		if _, ok, err := other.AcquireNext(ctx, "other", ttl); ok || err != nil {
			t.Fatalf("after a jump of %v another process found the run: %v", jump, err)
		}
		if lease, err = s.RenewLease(ctx, lease); err != nil {
			t.Fatalf("after a jump of %v the lease is not renewed: %v", jump, err)
		}
		seqs, err := s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "note", Data: json.RawMessage(`{}`)}})
		if err != nil || len(seqs) != 1 || told > 0 && seqs[0] != int64(told)+1 {
			t.Fatalf("after a jump of %v the log goes on with %v, %v", jump, seqs, err)
		}
		told = int(seqs[0])
	}
	wall -= year
	up += ttl
	next, err := other.AcquireRun(ctx, run.ID, "other", ttl)
	if err != nil || !next.TakenOver {
		t.Fatalf("a lease that ran out was not taken over: %+v, %v", next, err)
	}
	_, err = s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "note", Data: json.RawMessage(`{}`)}})
	wantFailed(t, err, citewell.CodeLeaseLost, "")
}
