package storesuite

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

func toBegin(call runstore.Call) runstore.CallEntry { return runstore.CallEntry{Call: call} }

func toFinish(call runstore.Call, data string) runstore.CallEntry {
	return runstore.CallEntry{Call: call, Result: &runstore.CallResult{
		Data: json.RawMessage(data), Cost: json.RawMessage(`1`)}}
}

func write(t *testing.T, s runstore.Runs, lease runstore.Lease, entries ...runstore.CallEntry) []runstore.CallRecord {
	t.Helper()
	records, err := s.WriteCalls(t.Context(), lease, entries)
	must(t, err)
	if len(records) != len(entries) {
		t.Fatalf("%d entries have %d records", len(entries), len(records))
	}
	return records
}

func lookup(t *testing.T, s runstore.Runs, lease runstore.Lease, call runstore.Call) runstore.CallRecord {
	t.Helper()
	record, err := s.LookupCall(t.Context(), lease.Run, call.Key())
	must(t, err)
	return record
}

func modelCall(step int) runstore.Call {
	return runstore.Call{Step: step, Kind: runstore.CallModel, Name: "m", Input: json.RawMessage(`{"messages":[]}`)}
}

// What is written together reads as if it had been written one by one.
func callsAreWrittenTogether(t *testing.T, b RunBackend) {
	s := b.Tenant("a")
	lease := startRun(t, s)
	if records := write(t, s, lease); len(records) != 0 {
		t.Errorf("nothing written gives %+v", records)
	}
	first, second, clock := modelCall(0), modelCall(1), runstore.Call{
		Kind: runstore.CallTool, Name: "clock", Input: json.RawMessage(`null`)}
	large := bigJSON(3)
	begun := write(t, s, lease, toBegin(first))[0]
	want := runstore.CallRecord{Key: first.Key(), Kind: runstore.CallModel, Name: "m", State: runstore.CallInFlight,
		Token: lease.Token, Attempts: 1, BegunAt: begun.BegunAt, Input: first.Input}
	if diff := cmp.Diff(want, begun); diff != "" {
		t.Errorf("a call begun differs (-want +got):\n%s", diff)
	}
	records := write(t, s, lease, toFinish(first, large), toBegin(second), toBegin(clock), toFinish(clock, `"noon"`))
	if records[1].State != runstore.CallInFlight || records[1].Key != second.Key() ||
		records[2].State != runstore.CallInFlight ||
		cmp.Diff(runstore.CallRecord{}, records[0]) != "" || cmp.Diff(runstore.CallRecord{}, records[3]) != "" {
		t.Errorf("the records are %+v", records)
	}
	done := lookup(t, s, lease, first)
	want.State, want.Result, want.Cost, want.EndedAt = runstore.CallDone, json.RawMessage(large), json.RawMessage(`1`),
		done.EndedAt
	if diff := cmp.Diff(want, done); diff != "" || done.EndedAt.Before(done.BegunAt) {
		t.Errorf("a call done differs (-want +got):\n%s", diff)
	}
	if got := lookup(t, s, lease, clock); got.State != runstore.CallDone || string(got.Result) != `"noon"` ||
		string(got.Input) != "null" {
		t.Errorf("a call begun and done at once is %+v", got)
	}
	write(t, s, lease, toFinish(first, large), toFinish(clock, `"noon"`)) // the same again

	// Another executor is given what is there, and goes on with what was in flight.
	b = b.Reopen(t)
	s = b.Tenant("a")
	b.Pass(ttl)
	next := acquire(t, s, lease.Run)
	records = write(t, s, next, toBegin(first), toBegin(second), toFinish(second, `2`), toBegin(clock))
	if diff := cmp.Diff(done, records[0]); diff != "" {
		t.Errorf("a call replayed differs (-done +got):\n%s", diff)
	}
	if got := records[1]; got.State != runstore.CallInFlight || got.Attempts != 2 || got.Token != next.Token {
		t.Errorf("a call of a killed executor is %+v", got)
	}
	if got := records[3]; got.State != runstore.CallDone || string(got.Result) != `"noon"` {
		t.Errorf("a call replayed is %+v", got)
	}
	if got := lookup(t, s, next, second); got.State != runstore.CallDone || string(got.Result) != "2" ||
		got.Attempts != 2 {
		t.Errorf("a call bought again is %+v", got)
	}
	calls, err := s.Calls(t.Context(), lease.Run)
	must(t, err)
	if len(calls) != 3 || calls[0].Key != first.Key() || calls[1].Key != second.Key() || calls[2].Key != clock.Key() {
		t.Errorf("the journal is %+v", calls)
	}
}

// Of what is written together all is there or nothing, whichever entry is refused.
func callWritesAreWhole(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	flying, other := modelCall(0), modelCall(1)
	write(t, s, lease, toBegin(flying), toBegin(other))
	kept, err := s.Calls(ctx, lease.Run)
	must(t, err)
	refused := func(name string, with runstore.Lease, code citewell.Code, entries ...runstore.CallEntry) {
		t.Helper()
		good := []runstore.CallEntry{toFinish(flying, bigJSON(4)), toBegin(modelCall(2))}
		for i := range len(good) + 1 { // before, between and after what is good
			_, err := s.WriteCalls(ctx, with, slices.Insert(slices.Clone(good), i, entries...))
			if citewell.CodeOf(err) != code {
				t.Errorf("%s: got %v, want %s", name, err, code)
			}
			now, err := s.Calls(ctx, lease.Run)
			must(t, err)
			if diff := cmp.Diff(kept, now); diff != "" {
				t.Errorf("%s: a part was written (-before +after):\n%s", name, diff)
			}
		}
	}
	refused("begun twice", lease, citewell.CodeInvalidArgument, toBegin(other))
	refused("never begun", lease, citewell.CodeInvalidArgument, toFinish(modelCall(9), `1`))
	refused("two results", lease, citewell.CodeInvalidArgument, toFinish(other, `1`), toFinish(other, `2`))
	refused("not JSON", lease, citewell.CodeInvalidArgument, toFinish(other, `<p>`))
	refused("no kind", lease, citewell.CodeInvalidArgument, toBegin(runstore.Call{}))
	refused("no code", lease, citewell.CodeInvalidArgument,
		runstore.CallEntry{Call: other, Result: &runstore.CallResult{Err: &citewell.ErrorView{}}})
	refused("no such run", runstore.Lease{Run: runstore.NewRunID("sgr_agent"), Token: 1, Owner: "w", TTL: ttl},
		citewell.CodeNotFound)

	b.Pass(ttl)
	next := acquire(t, s, lease.Run)
	refused("a lost lease", lease, citewell.CodeLeaseLost)
	refused("another's call", next, citewell.CodeInvalidArgument, toFinish(other, `1`))
	endRun(t, s, next)
	refused("an ended run", next, citewell.CodeRunFinished)
}

// Many writers of one run, each with what it has finished and begins next, lose
// nothing.
func callsAreWrittenByMany(t *testing.T, b RunBackend) {
	s := b.Tenant("a")
	lease := startRun(t, s)
	const writers, each = 8, 10
	call := func(writer, n int) runstore.Call {
		return runstore.Call{Step: n, Try: writer, Kind: runstore.CallPage, Name: "p"}
	}
	var group sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		group.Go(func() {
			entries := []runstore.CallEntry{toBegin(call(w, 0))}
			for n := range each {
				_, err := s.WriteCalls(t.Context(), lease, entries)
				errs[w] = errors.Join(errs[w], err)
				entries = []runstore.CallEntry{toFinish(call(w, n), `1`), toBegin(call(w, n+1))}
			}
		})
	}
	group.Wait()
	must(t, errors.Join(errs...))
	calls, err := s.Calls(t.Context(), lease.Run)
	must(t, err)
	for _, c := range calls {
		if done := c.Step < each-1; done != (c.State == runstore.CallDone) || c.Attempts != 1 {
			t.Errorf("call %d of writer %d is %s", c.Step, c.Try, c.State)
		}
	}
	if len(calls) != writers*each {
		t.Errorf("%d calls are in the journal, want %d", len(calls), writers*each)
	}
}
