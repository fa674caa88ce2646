package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

// A RunStore is what a backend that keeps runs keeps for one tenant.
type RunStore interface {
	Store
	store.Runs
}

// A RunBackend is one open store of runs.
type RunBackend struct {
	// Tenant returns the store bound to a tenant.
	Tenant func(name string) RunStore
	// Reopen closes the store and opens it again; the RunBackend is not used after.
	Reopen func(t *testing.T) RunBackend
	// Pass lets time pass for leases, without waiting.
	Pass func(d time.Duration)
}

// RunRuns tries every promise of Runs. Open gives an empty store, whose events have
// version 1, and sees to it that the store is closed when t ends.
func RunRuns(t *testing.T, open func(t *testing.T) RunBackend) {
	tests := []struct {
		name string
		run  func(t *testing.T, b RunBackend)
	}{
		{"run_round_trip", runRoundTrip},
		{"run_is_created_once", runIsCreatedOnce},
		{"run_bad_arguments", runBadArguments},
		{"run_list", runList},
		{"run_delete", runDelete},
		{"run_delete_keeps_what_is_shared", runDeleteKeepsWhatIsShared},
		{"run_retention", runRetention},
		{"run_tenants", runTenants},
		{"run_survives_reopening", runSurvivesReopening},
		{"run_states", runStates},
		{"run_cancel", runCancel},
		{"run_messages", runMessages},
		{"run_inbox_is_bounded", runInboxIsBounded},
		{"run_sources", runSources},
		{"events_append_and_read", eventsAppendAndRead},
		{"events_are_the_truth", eventsAreTheTruth},
		{"events_bad_arguments", eventsBadArguments},
		{"events_follow", eventsFollow},
		{"events_follow_ends", eventsFollowEnds},
		{"events_many_writers", eventsManyWriters},
		{"call_is_bought_once", callIsBoughtOnce},
		{"call_of_a_killed_executor", callOfAKilledExecutor},
		{"call_bodies", callBodies},
		{"call_bad_arguments", callBadArguments},
		{"lease_one_executor", leaseOneExecutor},
		{"lease_fence", leaseFence},
		{"lease_renewed", leaseRenewed},
		{"lease_next", leaseNext},
		{"lease_next_many", leaseNextMany},
		{"lease_held", leaseHeld},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

const ttl = 30 * time.Second

func newRun(t *testing.T, s store.Runs) store.Run {
	t.Helper()
	run, err := s.CreateRun(t.Context(), store.NewRun{Agent: "sgr_agent", Request: json.RawMessage(`{"query":"when is high water?"}`)})
	must(t, err)
	return run
}

func acquire(t *testing.T, s store.Runs, id string) store.Lease {
	t.Helper()
	lease, err := s.AcquireRun(t.Context(), id, "worker", ttl)
	must(t, err)
	return lease
}

// startRun makes a run that is being researched.
func startRun(t *testing.T, s store.Runs) store.Lease {
	t.Helper()
	lease := acquire(t, s, newRun(t, s).ID)
	must(t, s.ChangeState(t.Context(), lease, store.RunChange{State: store.RunResearching}, nil))
	return lease
}

func endRun(t *testing.T, s store.Runs, lease store.Lease) {
	t.Helper()
	must(t, s.ChangeState(t.Context(), lease, store.RunChange{State: store.RunCompleted, Outcome: store.RunAnswered}, nil))
}

func getRun(t *testing.T, s store.Runs, id string) store.Run {
	t.Helper()
	run, err := s.Run(t.Context(), id)
	must(t, err)
	return run
}

func runRoundTrip(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	request, budget := json.RawMessage(`{"query": "潮汐 “4.2 m”?", "n": [1, null]}`), json.RawMessage(`{"tokens":500000}`)
	created, err := s.CreateRun(ctx, store.NewRun{Agent: "sgr_tool_calling_agent", Request: request, Budget: budget})
	must(t, err)
	if uuid, ok := strings.CutPrefix(created.ID, "sgr_tool_calling_agent_"); !ok || len(uuid) != 36 || uuid[14] != '4' {
		t.Errorf("id is %q, want the agent, _ and a random UUID", created.ID)
	}
	want := store.Run{ID: created.ID, Agent: "sgr_tool_calling_agent", State: store.RunInited, Request: request, Budget: budget,
		CreatedAt: created.CreatedAt, UpdatedAt: created.CreatedAt, Seq: 1}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("a new run differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(created, getRun(t, s, created.ID)); diff != "" {
		t.Errorf("a run read differs (-created +got):\n%s", diff)
	}
	if age := time.Since(created.CreatedAt); age < 0 || age > time.Hour || created.CreatedAt.Location() != time.UTC {
		t.Errorf("created at %v, want now, in UTC", created.CreatedAt)
	}
	_, err = s.Run(ctx, store.NewRunID("sgr_agent"))
	wantCode(t, err, citewell.CodeNotFound)
}

func runIsCreatedOnce(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	given := store.NewRun{ID: store.NewRunID("sgr_agent"), Agent: "sgr_agent", Request: json.RawMessage(`{"query":"x"}`)}
	first, err := s.CreateRun(ctx, given)
	must(t, err)
	lease := acquire(t, s, first.ID)
	again, err := s.CreateRun(ctx, given)
	must(t, err)
	if again.ID != first.ID || again.Token != lease.Token {
		t.Errorf("creating again gives %+v", again)
	}
	given.Request = json.RawMessage(`{"query":"y"}`)
	_, err = s.CreateRun(ctx, given)
	wantCode(t, err, citewell.CodeInvalidArgument)
	if _, next, err := s.ListRuns(ctx, store.RunQuery{}); next != "" || err != nil {
		t.Errorf("more than a page of runs: %q, %v", next, err)
	}
	if got := getRun(t, s, first.ID); string(got.Request) != `{"query":"x"}` {
		t.Errorf("the request changed to %s", got.Request)
	}
}

func runBadArguments(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	request := json.RawMessage(`{}`)
	for name, run := range map[string]store.NewRun{
		"no_agent":      {Request: request},
		"agent_path":    {Agent: "../x", Request: request},
		"agent_long":    {Agent: strings.Repeat("a", 65), Request: request},
		"no_request":    {Agent: "a"},
		"not_json":      {Agent: "a", Request: json.RawMessage(`{`)},
		"large_request": {Agent: "a", Request: json.RawMessage(`"` + strings.Repeat("x", store.MaxRunRequest) + `"`)},
		"bad_budget":    {Agent: "a", Request: request, Budget: json.RawMessage(`x`)},
		"id_of_another": {Agent: "a", ID: store.NewRunID("b"), Request: request},
		"id_is_no_uuid": {Agent: "a", ID: "a_1", Request: request},
		"id_upper_case": {Agent: "a", ID: strings.ToUpper(store.NewRunID("a")), Request: request},
	} {
		if _, err := s.CreateRun(ctx, run); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
	for _, q := range []store.RunQuery{{Limit: -1}, {Limit: store.MaxRunPage + 1}, {Cursor: "x"}, {Cursor: "-1"}, {States: []store.RunState{"done"}}} {
		_, _, err := s.ListRuns(ctx, q)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	if counts, err := s.CountRuns(ctx); len(counts) != 0 || err != nil {
		t.Errorf("something was kept of what was refused: %v, %v", counts, err)
	}
}

func runList(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	var ids []string
	for i := range 25 {
		run, err := s.CreateRun(ctx, store.NewRun{Agent: []string{"red", "blue"}[i%2], Request: json.RawMessage(fmt.Sprint(i))})
		must(t, err)
		ids = append(ids, run.ID)
		if i%5 == 0 {
			lease := acquire(t, s, run.ID)
			must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunResearching}, nil))
			if i%10 == 0 {
				endRun(t, s, lease)
			}
		}
	}
	for name, test := range map[string]struct {
		q    store.RunQuery
		want func(i int) bool
	}{
		"all":       {store.RunQuery{}, func(i int) bool { return true }},
		"agent":     {store.RunQuery{Agents: []string{"red"}}, func(i int) bool { return i%2 == 0 }},
		"agents":    {store.RunQuery{Agents: []string{"red", "blue", "' OR 1"}}, func(i int) bool { return true }},
		"state":     {store.RunQuery{States: []store.RunState{store.RunCompleted}}, func(i int) bool { return i%10 == 0 }},
		"states":    {store.RunQuery{States: []store.RunState{store.RunCompleted, store.RunResearching}}, func(i int) bool { return i%5 == 0 }},
		"both":      {store.RunQuery{States: []store.RunState{store.RunInited}, Agents: []string{"blue"}}, func(i int) bool { return i%2 == 1 && i%5 > 0 }},
		"none_such": {store.RunQuery{Agents: []string{"green"}}, func(i int) bool { return false }},
	} {
		t.Run(name, func(t *testing.T) {
			want := []string{}
			for i, id := range slices.Backward(ids) {
				if test.want(i) {
					want = append(want, id)
				}
			}
			for _, limit := range []int{1, 3, 1000} {
				got, q := []string{}, test.q
				for q.Limit = limit; ; {
					runs, next, err := s.ListRuns(ctx, q)
					must(t, err)
					if len(runs) > limit || next != "" && len(runs) != limit {
						t.Fatalf("a page of %d has %d runs and next %q", limit, len(runs), next)
					}
					for _, run := range runs {
						got = append(got, run.ID)
					}
					if q.Cursor = next; next == "" {
						break
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("pages of %d differ (-want +got):\n%s", limit, diff)
				}
			}
		})
	}
	counts, err := s.CountRuns(ctx)
	must(t, err)
	if diff := cmp.Diff(map[store.RunState]int{store.RunInited: 20, store.RunResearching: 2, store.RunCompleted: 3}, counts); diff != "" {
		t.Errorf("counts differ (-want +got):\n%s", diff)
	}
	runs, _, err := s.ListRuns(ctx, store.RunQuery{Limit: 1})
	must(t, err)
	if diff := cmp.Diff(getRun(t, s, ids[24]), runs[0]); diff != "" {
		t.Errorf("a run of a list differs (-Run +ListRuns):\n%s", diff)
	}
}

// fillRun gives a run something of everything.
func fillRun(t *testing.T, s RunStore, lease store.Lease, body string) {
	t.Helper()
	ctx := t.Context()
	call := store.Call{Kind: store.CallModel, Name: "m", Input: json.RawMessage(`{"q":1}`)}
	_, err := s.BeginCall(ctx, lease, call)
	must(t, err)
	must(t, s.FinishCall(ctx, lease, call.Key(), store.CallResult{Data: json.RawMessage(body)}))
	_, err = s.NumberSources(ctx, lease, []store.RunSource{{Key: "a.example", URL: "https://a.example/"}})
	must(t, err)
	must(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "answer", Data: json.RawMessage(`"yes"`)}))
	source, passages := newSource(1, 2)
	must(t, s.AddSource(ctx, lease.Run, source, passages))
}

func runDelete(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease, other := startRun(t, s), startRun(t, s)
	large := bigJSON(1)
	fillRun(t, s, lease, large)
	fillRun(t, s, other, bigJSON(2))
	wantCode(t, s.DeleteRun(ctx, lease.Run), citewell.CodeRunLeased)
	must(t, s.ReleaseLease(ctx, lease))
	must(t, s.DeleteRun(ctx, lease.Run))
	wantCode(t, s.DeleteRun(ctx, lease.Run), citewell.CodeNotFound)

	_, err := s.Run(ctx, lease.Run)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Events(ctx, lease.Run, 0, 0)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Calls(ctx, lease.Run)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.RunSources(ctx, lease.Run)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.AcquireRun(ctx, lease.Run, "w", ttl)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.AppendEvents(ctx, lease, []store.RunEvent{{Type: "late"}})
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.Blob(ctx, citewell.SHA256([]byte(large)))
	wantCode(t, err, citewell.CodeNotFound)
	for _, err := range s.FollowEvents(ctx, lease.Run, 0) {
		wantCode(t, err, citewell.CodeNotFound)
	}

	calls, err := s.Calls(ctx, other.Run)
	must(t, err)
	kept, err := s.LookupCall(ctx, other.Run, calls[0].Key)
	must(t, err)
	if string(kept.Result) != bigJSON(2) {
		t.Errorf("another run lost its result: %.40s", kept.Result)
	}
}

// runDeleteKeepsWhatIsShared deletes runs whose contents another run, a snapshot or
// another tenant have too, and puts a content again that was deleted.
func runDeleteKeepsWhatIsShared(t *testing.T, b RunBackend) {
	s, theirs, ctx := b.Tenant("a"), b.Tenant("b"), t.Context()
	shared, cited := bigJSON(1), bigJSON(2)
	page, doc := newPage("https://tides.example/a", cited, "text", noon)
	must(t, s.PutSnapshot(ctx, page, doc))
	first, second, citing, foreign := startRun(t, s), startRun(t, s), startRun(t, s), startRun(t, theirs)
	fillRun(t, s, first, shared)
	fillRun(t, s, second, shared)
	fillRun(t, s, citing, cited)
	fillRun(t, theirs, foreign, shared)
	remove := func(s store.Runs, lease store.Lease) {
		must(t, s.ReleaseLease(ctx, lease))
		must(t, s.DeleteRun(ctx, lease.Run))
	}
	remove(s, citing)
	if got, _, err := s.Snapshot(ctx, page.FinalURL); err != nil || string(got.Body) != cited {
		t.Errorf("the snapshot lost its body: %v", err)
	}
	remove(s, first)
	if got, err := s.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("another run's content is gone: %v", err)
	}
	remove(s, second)
	_, err := s.Blob(ctx, citewell.SHA256([]byte(shared)))
	wantCode(t, err, citewell.CodeNotFound)
	if got, err := theirs.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("another tenant's content is gone: %v", err)
	}
	third := startRun(t, s)
	fillRun(t, s, third, shared)
	if got, err := s.Blob(ctx, citewell.SHA256([]byte(shared))); err != nil || string(got) != shared {
		t.Errorf("a content that was deleted and put again is gone: %v", err)
	}
}

func runRetention(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	open := startRun(t, s)
	for range 150 {
		lease := acquire(t, s, newRun(t, s).ID)
		must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunFailed, Outcome: store.RunNoSources}, nil))
	}
	if n, err := s.DeleteRunsEnded(ctx, time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("%d runs of the last hour were deleted (%v)", n, err)
	}
	if n, err := s.DeleteRunsEnded(ctx, time.Now().Add(time.Hour)); n != 150 || err != nil {
		t.Errorf("%d runs were deleted (%v), want 150", n, err)
	}
	if got := getRun(t, s, open.Run); got.State != store.RunResearching {
		t.Errorf("the run that goes on is %s", got.State)
	}
}

func runTenants(t *testing.T, b RunBackend) {
	mine, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, mine)
	fillRun(t, mine, lease, `1`)
	key := store.Call{Kind: store.CallModel, Name: "m", Input: json.RawMessage(`{"q":1}`)}.Key()
	waiting := newRun(t, mine)
	for _, name := range []string{"b", "A", "", "a' OR '1'='1"} {
		other := b.Tenant(name)
		for what, err := range map[string]error{
			"run":      second(other.Run(ctx, lease.Run)),
			"events":   second(other.Events(ctx, lease.Run, 0, 0)),
			"calls":    second(other.Calls(ctx, lease.Run)),
			"lookup":   second(other.LookupCall(ctx, lease.Run, key)),
			"sources":  second(other.RunSources(ctx, lease.Run)),
			"acquire":  second(other.AcquireRun(ctx, waiting.ID, "w", ttl)),
			"append":   second(other.AppendEvents(ctx, lease, []store.RunEvent{{Type: "x"}})),
			"begin":    second(other.BeginCall(ctx, lease, store.Call{Kind: store.CallPage})),
			"finish":   other.FinishCall(ctx, lease, key, store.CallResult{}),
			"renew":    second(other.RenewLease(ctx, lease)),
			"state":    other.ChangeState(ctx, lease, store.RunChange{State: store.RunWaiting}, nil),
			"number":   second(other.NumberSources(ctx, lease, []store.RunSource{{Key: "k", URL: "u"}})),
			"take":     second(other.TakeMessages(ctx, lease)),
			"cancelQ":  second(other.CancelRequested(ctx, lease)),
			"cancel":   second(other.CancelRun(ctx, lease.Run)),
			"message":  other.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "answer"}),
			"deletion": other.DeleteRun(ctx, waiting.ID),
		} {
			if citewell.CodeOf(err) != citewell.CodeNotFound {
				t.Errorf("tenant %q: %s of another's run gives %v, want not_found", name, what, err)
			}
		}
		must(t, other.ReleaseLease(ctx, lease))
		if _, ok, err := other.AcquireNext(ctx, "w", ttl); ok || err != nil {
			t.Errorf("tenant %q is given another's run (%v)", name, err)
		}
		runs, _, err := other.ListRuns(ctx, store.RunQuery{})
		must(t, err)
		counts, err := other.CountRuns(ctx)
		must(t, err)
		n, err := other.DeleteRunsEnded(ctx, time.Now().Add(time.Hour))
		must(t, err)
		if len(runs)+len(counts)+n > 0 {
			t.Errorf("tenant %q sees %v, %v and deletes %d runs", name, runs, counts, n)
		}
	}
	must(t, second(mine.RenewLease(ctx, lease)))
}

func second[T any](_ T, err error) error { return err }

func runSurvivesReopening(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	fillRun(t, s, lease, bigJSON(1))
	must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunWaiting, Detail: "which harbour?"}, []store.RunEvent{{Type: "question"}}))
	run := getRun(t, s, lease.Run)
	events, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	calls, err := s.Calls(ctx, lease.Run)
	must(t, err)
	sources, err := s.RunSources(ctx, lease.Run)
	must(t, err)

	s = b.Reopen(t).Tenant("a")
	if diff := cmp.Diff(run, getRun(t, s, lease.Run)); diff != "" || run.Unread != 1 || run.State != store.RunWaiting {
		t.Errorf("run %+v differs after reopening:\n%s", run, diff)
	}
	gotEvents, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	gotCalls, err := s.Calls(ctx, lease.Run)
	must(t, err)
	gotSources, err := s.RunSources(ctx, lease.Run)
	must(t, err)
	for _, diff := range []string{cmp.Diff(events, gotEvents), cmp.Diff(calls, gotCalls), cmp.Diff(sources, gotSources)} {
		if diff != "" {
			t.Errorf("differs after reopening:\n%s", diff)
		}
	}
	must(t, second(s.RenewLease(ctx, lease)))
}

func runStates(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	allowed := map[store.RunState]string{
		store.RunInited:      "inited researching failed error cancelled",
		store.RunResearching: "researching waiting_for_clarification completed failed error cancelled",
		store.RunWaiting:     "researching waiting_for_clarification failed error cancelled",
	}
	for _, from := range store.RunStates {
		for _, to := range store.RunStates {
			lease := acquire(t, s, newRun(t, s).ID)
			for _, state := range []store.RunState{store.RunResearching, from} {
				if from != store.RunInited {
					must(t, s.ChangeState(ctx, lease, changeTo(state), nil))
				}
				if state == from {
					break
				}
			}
			before := getRun(t, s, lease.Run)
			err := s.ChangeState(ctx, lease, changeTo(to), []store.RunEvent{{Type: "why"}})
			after := getRun(t, s, lease.Run)
			switch {
			case from.Ended():
				wantCode(t, err, citewell.CodeRunFinished)
			case !slices.Contains(strings.Fields(allowed[from]), string(to)):
				wantCode(t, err, citewell.CodeInvalidArgument)
			default:
				must(t, err)
				if after.State != to || after.Outcome != changeTo(to).Outcome || after.Seq != before.Seq+2 || after.EndedAt.IsZero() == to.Ended() || (after.Executor == "") != to.Ended() {
					t.Errorf("%s → %s gives %+v", from, to, after)
				}
				continue
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("%s → %s is refused and changes the run:\n%s", from, to, diff)
			}
		}
	}
	lease := startRun(t, s)
	for name, change := range map[string]store.RunChange{
		"no_state":        {},
		"unknown":         {State: "done"},
		"no_outcome":      {State: store.RunCompleted},
		"outcome_early":   {State: store.RunWaiting, Outcome: store.RunAnswered},
		"unknown_outcome": {State: store.RunCompleted, Outcome: "fine"},
		"long_detail":     {State: store.RunWaiting, Detail: strings.Repeat("x", store.MaxRunDetail+1)},
	} {
		if err := s.ChangeState(ctx, lease, change, nil); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
}

func changeTo(state store.RunState) store.RunChange {
	change := store.RunChange{State: state}
	if state.Ended() {
		change.Outcome = store.RunPartial
	}
	return change
}

func runCancel(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	cancel := func(id string) store.Run {
		t.Helper()
		run, err := s.CancelRun(ctx, id)
		must(t, err)
		return run
	}
	// Nobody executes it: it is cancelled at once.
	idle := newRun(t, s)
	if got := cancel(idle.ID); got.State != store.RunCancelled || got.Outcome != store.RunOutcomeCancelled || got.EndedAt.IsZero() {
		t.Errorf("a run that nobody executes is %+v after its cancellation", got)
	}
	if got := cancel(idle.ID); got.Seq != getRun(t, s, idle.ID).Seq || got.State != store.RunCancelled {
		t.Errorf("cancelling twice gives %+v", got)
	}
	// Somebody does: it is asked to.
	lease := startRun(t, s)
	for range 2 {
		if got := cancel(lease.Run); got.State != store.RunResearching || !got.CancelRequested {
			t.Errorf("a run with an executor is %+v after the request", got)
		}
	}
	if asked, err := s.CancelRequested(ctx, lease); !asked || err != nil {
		t.Errorf("the executor is not told: %v, %v", asked, err)
	}
	must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunCancelled, Outcome: store.RunOutcomeCancelled}, nil))
	// Its executor died: it is cancelled at once, and the executor, if it lives, is told.
	dead := startRun(t, s)
	b.Pass(ttl)
	if got := cancel(dead.Run); got.State != store.RunCancelled {
		t.Errorf("a run whose executor is gone is %s", got.State)
	}
	_, err := s.AppendEvents(ctx, dead, []store.RunEvent{{Type: "late"}})
	wantCode(t, err, citewell.CodeRunFinished)
	_, err = s.CancelRequested(ctx, dead)
	wantCode(t, err, citewell.CodeRunFinished)
	// It has ended: it stays as it is.
	done := startRun(t, s)
	endRun(t, s, done)
	if got := cancel(done.Run); got.State != store.RunCompleted || got.CancelRequested {
		t.Errorf("a run that has ended is %+v", got)
	}
	// It waits, and asks for an executor when there is one that died.
	waiting := startRun(t, s)
	must(t, s.ChangeState(ctx, waiting, store.RunChange{State: store.RunWaiting}, nil))
	must(t, s.ReleaseLease(ctx, waiting))
	if got := cancel(waiting.Run); got.State != store.RunCancelled {
		t.Errorf("a waiting run is %s", got.State)
	}
	_, err = s.CancelRun(ctx, store.NewRunID("a"))
	wantCode(t, err, citewell.CodeNotFound)
}

func runMessages(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunWaiting}, nil))
	must(t, s.ReleaseLease(ctx, lease))
	if _, ok, err := s.AcquireNext(ctx, "w", ttl); ok || err != nil {
		t.Errorf("a run that waits for an answer is taken up (%v)", err)
	}
	s = b.Reopen(t).Tenant("a") // it waits across restarts
	answer := store.RunMessage{ID: "m1", Kind: "answer", Data: json.RawMessage(`{"text":"the inner one"}`)}
	for range 2 { // the second is the same, sent again
		must(t, s.SendMessage(ctx, lease.Run, answer))
	}
	must(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "answer", Data: json.RawMessage(`2`)}))
	if got := getRun(t, s, lease.Run); got.Unread != 2 {
		t.Errorf("%d messages wait, want 2", got.Unread)
	}
	_, err := s.TakeMessages(ctx, lease)
	wantCode(t, err, citewell.CodeLeaseLost)
	lease, ok, err := s.AcquireNext(ctx, "w", ttl)
	if must(t, err); !ok {
		t.Fatal("a run whose answer came is not taken up")
	}
	got, err := s.TakeMessages(ctx, lease)
	must(t, err)
	if len(got) != 2 || got[0].ID != "m1" || string(got[0].Data) != `{"text":"the inner one"}` || got[0].At.IsZero() || string(got[1].Data) != `2` || got[1].ID == "" {
		t.Errorf("messages are %+v", got)
	}
	if again, err := s.TakeMessages(ctx, lease); len(again) != 0 || err != nil {
		t.Errorf("messages are delivered twice: %v, %v", again, err)
	}
	must(t, s.SendMessage(ctx, lease.Run, answer)) // long delivered
	if again, err := s.TakeMessages(ctx, lease); len(again) != 0 || err != nil {
		t.Errorf("a message sent again is delivered twice: %v, %v", again, err)
	}
	// An executor that died after taking them leaves them in the log.
	events, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	var delivered store.RunDelivered
	must(t, json.Unmarshal(events[len(events)-1].Data, &delivered))
	if diff := cmp.Diff(got, delivered.Messages); diff != "" || events[len(events)-1].Type != store.EventDelivered {
		t.Errorf("the log says (-taken +log):\n%s", diff)
	}
	must(t, s.ChangeState(ctx, lease, store.RunChange{State: store.RunResearching}, nil))
	endRun(t, s, lease)
	wantCode(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "answer"}), citewell.CodeRunFinished)
	wantCode(t, s.SendMessage(ctx, store.NewRunID("a"), store.RunMessage{Kind: "answer"}), citewell.CodeNotFound)
}

func runInboxIsBounded(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	large := json.RawMessage(`"` + strings.Repeat("x", store.MaxRunMessage-2) + `"`)
	for range store.MaxUnread {
		must(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "note", Data: large}))
	}
	wantCode(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "note"}), citewell.CodeRateLimited)
	got, err := s.TakeMessages(ctx, lease)
	must(t, err)
	if len(got) != store.MaxUnread {
		t.Errorf("%d messages were delivered", len(got))
	}
	events, err := s.Events(ctx, lease.Run, 0, 0) // the largest event there can be
	if err != nil || events[len(events)-1].Type != store.EventDelivered {
		t.Errorf("the delivery of a full inbox is not read: %v", err)
	}
	must(t, s.SendMessage(ctx, lease.Run, store.RunMessage{Kind: "note"}))
	for _, message := range []store.RunMessage{{}, {Kind: "No"}, {Kind: "note", Data: json.RawMessage(`{`)}, {Kind: "note", Data: append(large, ' ')},
		{Kind: "note", ID: strings.Repeat("x", 129)}} {
		wantCode(t, s.SendMessage(ctx, lease.Run, message), citewell.CodeInvalidArgument)
	}
}

func runSources(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	source := func(name string) store.RunSource {
		return store.RunSource{Key: name + ".example", URL: "https://www." + name + ".example/?utm_source=x", Title: name}
	}
	number := func(lease store.Lease, names ...string) (numbers []int) {
		t.Helper()
		var sources []store.RunSource
		for _, name := range names {
			sources = append(sources, source(name))
		}
		numbers, err := s.NumberSources(ctx, lease, sources)
		must(t, err)
		return numbers
	}
	for _, test := range []struct {
		names []string
		want  []int
	}{{[]string{"a", "b", "a"}, []int{1, 2, 1}}, {nil, []int{}}, {[]string{"c", "b"}, []int{3, 2}}, {[]string{"a"}, []int{1}}} {
		if got := number(lease, test.names...); !slices.Equal(got, test.want) {
			t.Errorf("sources %v have numbers %v, want %v", test.names, got, test.want)
		}
	}
	other := source("b")
	other.URL, other.Title = "https://b.example/#top", "other"
	if got, err := s.NumberSources(ctx, lease, []store.RunSource{other}); err != nil || got[0] != 2 {
		t.Errorf("another spelling has number %v (%v)", got, err)
	}
	if got := number(startRun(t, s), "z", "a"); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("another run has numbers %v", got)
	}
	s = b.Reopen(t).Tenant("a")
	if got := number(lease, "d", "a", "c"); !slices.Equal(got, []int{4, 1, 3}) {
		t.Errorf("after reopening numbers are %v", got)
	}
	listed, err := s.RunSources(ctx, lease.Run)
	must(t, err)
	var want []store.RunSource
	for i, name := range []string{"a", "b", "c", "d"} {
		kept := source(name)
		kept.N = i + 1
		want = append(want, kept)
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("sources differ (-want +got):\n%s", diff)
	}
	for _, bad := range []store.RunSource{{}, {Key: "k"}, {URL: "u"}, {Key: strings.Repeat("k", store.MaxSourceText+1), URL: "u"}} {
		_, err := s.NumberSources(ctx, lease, []store.RunSource{source("new"), bad})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	// Many at once: each key has one number, and none is left out.
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 20 {
				if _, err := s.NumberSources(ctx, lease, []store.RunSource{source(fmt.Sprint("many", i))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	listed, err = s.RunSources(ctx, lease.Run)
	must(t, err)
	for i, kept := range listed {
		if kept.N != i+1 || len(listed) != 24 {
			t.Fatalf("source %d of %d has number %d", i, len(listed), kept.N)
		}
	}
}
