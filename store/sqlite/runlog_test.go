package sqlite

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store/internal/codec"
)

func testRun(t *testing.T, s *Store) runstore.Lease {
	t.Helper()
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`{"query":"x"}`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// TestEventVersions has a later program read what this one wrote, and this one read
// what the later wrote.
func TestEventVersions(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	s := openTest(t, dir).Tenant("t")
	lease := testRun(t, s)
	if _, err := s.AppendEvents(ctx, lease, []runstore.RunEvent{
		{Type: "step", Data: json.RawMessage(`1`)}}); err != nil {
		t.Fatal(err)
	}
	later, err := Open(ctx, dir, Options{Events: runstore.EventSchema{
		Version: 2, Upcast: []func(runstore.RunEvent) (runstore.RunEvent, error){
			func(e runstore.RunEvent) (runstore.RunEvent, error) {
				e.Data = json.RawMessage(`[` + string(e.Data) + `]`)
				return e, nil
			},
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer later.Close()
	if _, err := later.Tenant("t").AppendEvents(ctx, lease,
		[]runstore.RunEvent{{Type: "step", Data: json.RawMessage(`[2]`)}}); err != nil {
		t.Fatal(err)
	}
	events, err := later.Tenant("t").Events(ctx, lease.Run, 2, 0)
	if err != nil || len(events) != 2 || string(events[0].Data) != `[1]` || string(events[1].Data) != `[2]` ||
		events[0].V != 2 {
		t.Errorf("the later program reads %+v, %v", events, err)
	}
	_, err = s.Events(ctx, lease.Run, 0, 0)
	wantFailed(t, err, citewell.CodeStoreFailed, "event 4 of the run has version 2 and this program knows up to 1")
	if hint := citewell.View(err).Hint; !strings.Contains(hint, "newer") {
		t.Errorf("hint is %q", hint)
	}
	for e, err := range s.FollowEvents(ctx, lease.Run, 2) {
		wantFailed(t, err, citewell.CodeStoreFailed, "version 2")
		if e.Type != "" {
			t.Errorf("event %+v is yielded with an error", e)
		}
	}
	if _, err := Open(ctx, dir, Options{Events: runstore.EventSchema{Version: 2}}); citewell.CodeOf(
		err) != citewell.CodeInvalidArgument {
		t.Errorf("a schema without its upcast: %v", err)
	}
}

// TestFollowIdle follows a run with faked time: what another process writes is seen
// after one look, and nobody looks when nobody follows.
func TestFollowIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, ctx := t.TempDir(), t.Context()
		db, err := Open(ctx, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		other, err := Open(ctx, dir, Options{}) // stands for another process
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		lease := testRun(t, db.Tenant("t"))
		seen := make(chan time.Time, 10)
		stop := make(chan bool)
		go func() {
			defer close(stop)
			for e, err := range db.Tenant("t").FollowEvents(ctx, lease.Run, 2) {
				if err != nil {
					t.Error(err)
					return
				}
				if seen <- time.Now(); e.Type == "last" {
					return
				}
			}
		}()
		for _, writer := range []*DB{other, db, other} {
			time.Sleep(time.Minute + 37*time.Millisecond)
			wrote := time.Now()
			if _, err := writer.Tenant("t").AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "step"}}); err != nil {
				t.Fatal(err)
			}
			if took := (<-seen).Sub(wrote); took > followPoll || writer == db && took > 0 {
				t.Errorf("an event was seen after %v", took)
			}
		}
		if _, err := other.Tenant("t").AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "last"}}); err != nil {
			t.Fatal(err)
		}
		<-stop
		time.Sleep(time.Second)
		synctest.Wait()
		if active := true; !db.followers.Idle(func() { active = db.followers.active }) || active {
			t.Error("somebody looks although nobody follows")
		}
	})
}

// TestFollowClose closes the store under a follower.
func TestFollowClose(t *testing.T) {
	db := openTest(t, t.TempDir())
	lease := testRun(t, db.Tenant("t"))
	for _, err := range db.Tenant("t").FollowEvents(t.Context(), lease.Run, 1) {
		if err != nil {
			wantFailed(t, err, citewell.CodeStoreFailed, "closed")
			return
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("the follower ends without being told")
}

// FuzzReadEvent reads rows of the log that nobody wrote: each is an event with valid
// data, or store_failed.
func FuzzReadEvent(f *testing.F) {
	f.Add(int64(1), 1, "step", codec.Pack([]byte(`{"a":1}`)))
	f.Add(int64(1), 2, "step", codec.Pack([]byte(`1`)))
	f.Add(int64(0), 1, "", codec.Pack([]byte(`{`)))
	f.Add(int64(5), 3, "step", []byte("not zstd"))
	f.Add(int64(5), 1, "step", codec.Pack(bytes.Repeat([]byte(" "), 1<<20)))
	f.Add(int64(5), 1, "step", []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0x7f, 1, 0, 0})
	schema := runstore.EventSchema{Version: 2, Upcast: []func(runstore.RunEvent) (runstore.RunEvent, error){
		func(e runstore.RunEvent) (runstore.RunEvent, error) {
			var v any
			err := json.Unmarshal(e.Data, &v)
			return e, err
		},
	}}
	f.Fuzz(func(t *testing.T, seq int64, v int, kind string, record []byte) {
		e, err := codec.ReadEvent("t", runstore.RunEvent{V: v, Seq: seq, Type: kind}, record, schema)
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeStoreFailed || e.Data != nil {
				t.Errorf("%+v, %v", e, err)
			}
			return
		}
		if !json.Valid(e.Data) || e.V != 2 || e.Seq != seq || e.Type != kind || seq < 1 ||
			len(e.Data) > codec.MaxEventBytes {
			t.Errorf("event %+v", e)
		}
		if _, err := json.Marshal(e); err != nil {
			t.Error(err)
		}
	})
}

// TestSweepContents deletes a run and looks at the file of its content before and
// after the time for which it stays, and when somebody else names it meanwhile.
func TestSweepContents(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	ctx := t.Context()
	hash := citewell.SHA256(runResult(1, 1).Data)
	big := func(s *Store) runstore.Lease { // a run with a call whose result is a file
		lease := testRun(t, s)
		call := runstore.Call{Kind: runstore.CallTool}
		_, err := storesuite.BeginCall(ctx, s, lease, call)
		if err == nil {
			err = storesuite.FinishCall(ctx, s, lease, call, runstore.CallResult{Data: runResult(1, 1).Data})
		}
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	remove := func(s *Store, lease runstore.Lease) {
		if err := s.ReleaseLease(ctx, lease); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteRun(ctx, lease.Run); err != nil {
			t.Fatal(err)
		}
	}
	there := func(want bool) {
		t.Helper()
		if got, err := db.blobs.Has(hash); got != want || err != nil {
			t.Errorf("the file is there: %v (%v), want %v", got, err, want)
		}
	}
	age := func() {
		t.Helper()
		if _, err := db.writes.Exec(`UPDATE blob_gone SET gone_at = gone_at - ?`,
			(goneFor + time.Second).Microseconds()); err != nil {
			t.Fatal(err)
		}
		if err := db.sweepContents(ctx); err != nil {
			t.Fatal(err)
		}
	}
	mine, theirs := db.Tenant("mine"), db.Tenant("theirs")
	first, second := big(mine), big(theirs)
	remove(mine, first)
	there(true)
	age()
	there(true) // the other tenant has it
	remove(theirs, second)
	there(true)
	third := big(mine) // named again in time
	age()
	there(true)
	remove(mine, third)
	there(true)
	age()
	there(false)
	big(mine) // named again after it was removed
	there(true)
	if report, err := db.Check(ctx); err != nil || len(report.Problems) > 0 {
		t.Errorf("check says %q, %v", report.Problems, err)
	}

	// A program may be killed between the removal of a file and its commit, or look
	// for the file just before it is removed: who names it puts it again.
	if err := db.blobs.Remove(hash); err != nil {
		t.Fatal(err)
	}
	big(theirs)
	there(true)
}

// TestBackupWhileDeleting keeps in a backup what is deleted while it is made.
func TestBackupWhileDeleting(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir+"/data")
	s, ctx := db.Tenant("t"), t.Context()
	lease := testRun(t, s)
	call := runstore.Call{Kind: runstore.CallTool}
	record, err := storesuite.BeginCall(ctx, s, lease, call)
	if err == nil {
		err = storesuite.FinishCall(ctx, s, lease, call, runResult(1, 1))
	}
	if err == nil {
		err = s.ReleaseLease(ctx, lease)
	}
	if err == nil {
		err = db.copyState(ctx, dir+"/state.db") // as Backup does, and then
	}
	if err == nil {
		err = s.DeleteRun(ctx, lease.Run)
	}
	if err != nil {
		t.Fatal(err)
	}
	report := upkeep.BackupReport{}
	if err := db.copyContents(ctx, dir+"/snapshots", &report); err != nil || len(report.Problems) > 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	copied := openTest(t, dir)
	if got, err := copied.Tenant("t").LookupCall(ctx, lease.Run, record.Key); err != nil ||
		string(got.Result) != string(runResult(1, 1).Data) {
		t.Errorf("the backup lacks the result of a run that was deleted meanwhile: %v", err)
	}
}
