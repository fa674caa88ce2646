package postgres

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestSynchronousStandby kills the server under writers and has its standby take over: nothing
// that was acknowledged is missing.
func TestSynchronousStandby(t *testing.T) {
	primary := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	standby := primary.Standby(t)
	primary.Synchronous(t)
	db := openURL(t, Options{URL: pgtest.Either(t, primary.URL, standby), Retry: 2 * time.Minute})
	crashing(t, db, 1, func() {
		primary.Kill()
		standby.Promote(t)
	})
}

// TestAsynchronousStandby has a standby take over that has heard nothing for a while: what was
// acknowledged meanwhile is lost, and nothing else; who was given a token that is then given
// again can write nothing.
func TestAsynchronousStandby(t *testing.T) {
	primary := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	standby := primary.Standby(t)
	db := openURL(t, Options{URL: pgtest.Either(t, primary.URL, standby), Retry: 2 * time.Minute})
	s := db.Tenant("t")
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	append1 := func(lease runstore.Lease) error {
		_, err := s.AppendEvents(t.Context(), lease, []runstore.RunEvent{{Type: "step"}})
		return err
	}
	steps := func() (n int) {
		events, err := s.Events(t.Context(), run.ID, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == "step" {
				n++
			}
		}
		return n
	}
	first, err := s.AcquireRun(t.Context(), run.ID, "first", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	const heard, lost = 3, 5
	for range heard {
		if err := append1(first); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ReleaseLease(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	exec(t, db, `DO $$ BEGIN WHILE (SELECT replay_lsn < pg_current_wal_lsn() FROM pg_stat_replication) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END $$`)
	standby.Deaf(t)
	second, err := s.AcquireRun(t.Context(), run.ID, "second", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for range lost {
		if err := append1(second); err != nil {
			t.Fatal(err)
		}
	}
	if n := steps(); n != heard+lost {
		t.Fatalf("%d steps are there before, want %d", n, heard+lost)
	}
	primary.Kill()
	standby.Promote(t)
	if n := steps(); n != heard {
		t.Errorf("%d steps are there after the failover, want the %d that the standby had heard of", n, heard)
	}
	third, err := s.AcquireRun(t.Context(), run.ID, "third", time.Hour)
	if err != nil || third.Token != second.Token {
		t.Fatalf("the token is %d after %d (%v): it was to be given again", third.Token, second.Token, err)
	}
	_, renewed := s.RenewLease(t.Context(), second)
	_, asked := s.CancelRequested(t.Context(), second)
	if err := errors.Join(s.ReleaseLease(t.Context(), second), append1(third)); err != nil {
		t.Errorf("who has the run now: %v", err)
	}
	for _, err := range []error{append1(second), renewed, asked} {
		if citewell.CodeOf(err) != citewell.CodeLeaseLost {
			t.Errorf("who had the run in what was lost is told %v", err)
		}
	}
}
