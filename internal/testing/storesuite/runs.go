package storesuite

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

// A RunStore is what a backend that keeps runs keeps for one tenant.
type RunStore interface {
	Store
	runstore.Runs
	runstore.Spending
	runstore.Watches
	runstore.Pace
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
		{"run_callers", runCallers},
		{"run_answers", runAnswers},
		{"run_words", runWords},
		{"run_same_task", runSameTask},
		{"run_outcomes_and_times", runOutcomesAndTimes},
		{"run_choices_together", runChoicesTogether},
		{"run_delete", runDelete},
		{"run_delete_keeps_what_is_shared", runDeleteKeepsWhatIsShared},
		{"run_tenants", runTenants},
		{"run_survives_reopening", runSurvivesReopening},
		{"run_states", runStates},
		{"run_priorities", runPriorities},
		{"run_cancel", runCancel},
		{"spending", spending},
		{"watches", watches},
		{"watch_rounds", watchRounds},
		{"watch_shares", watchShares},
		{"pace", pace},
		{"pace_places", pacePlaces},
		{"pace_kept", paceKept},
		{"pace_unspaced", paceUnspaced},
		{"pace_of_many", paceOfMany},
		{"run_messages", runMessages},
		{"run_inbox_is_bounded", runInboxIsBounded},
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
		{"calls_are_written_together", callsAreWrittenTogether},
		{"call_writes_are_whole", callWritesAreWhole},
		{"calls_are_written_by_many", callsAreWrittenByMany},
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

func newRun(t *testing.T, s runstore.Runs) runstore.Run {
	t.Helper()
	run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "sgr_agent",
		Request: json.RawMessage(`{"query":"when is high water?"}`)})
	must(t, err)
	return run
}

func acquire(t *testing.T, s runstore.Runs, id string) runstore.Lease {
	t.Helper()
	lease, err := s.AcquireRun(t.Context(), id, "worker", ttl)
	must(t, err)
	return lease
}

// startRun makes a run that is being researched.
func startRun(t *testing.T, s runstore.Runs) runstore.Lease {
	t.Helper()
	lease := acquire(t, s, newRun(t, s).ID)
	must(t, s.ChangeState(t.Context(), lease, runstore.RunChange{State: runstore.RunResearching}, nil))
	return lease
}

func endRun(t *testing.T, s runstore.Runs, lease runstore.Lease) {
	t.Helper()
	must(t, s.ChangeState(t.Context(), lease, runstore.RunChange{
		State: runstore.RunCompleted, Outcome: runstore.RunAnswered}, nil))
}

func getRun(t *testing.T, s runstore.Runs, id string) runstore.Run {
	t.Helper()
	run, err := s.Run(t.Context(), id)
	must(t, err)
	return run
}

func runRoundTrip(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	request, budget := json.RawMessage(`{"query": "潮汐 “4.2 m”?", "n": [1, null]}`), json.RawMessage(`{"tokens":500000}`)
	created, err := s.CreateRun(ctx, runstore.NewRun{Agent: "sgr_tool_calling_agent", Request: request, Budget: budget})
	must(t, err)
	if uuid, ok := strings.CutPrefix(created.ID, "sgr_tool_calling_agent_"); !ok || len(uuid) != 36 || uuid[14] != '4' {
		t.Errorf("id is %q, want the agent, _ and a random UUID", created.ID)
	}
	want := runstore.Run{ID: created.ID, Agent: "sgr_tool_calling_agent", State: runstore.RunInited, Request: request,
		Budget: budget, CreatedAt: created.CreatedAt, UpdatedAt: created.CreatedAt, Seq: 1}
	if diff := cmp.Diff(want, created); diff != "" {
		t.Errorf("a new run differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(created, getRun(t, s, created.ID)); diff != "" {
		t.Errorf("a run read differs (-created +got):\n%s", diff)
	}
	if age := time.Since(created.CreatedAt); age < 0 || age > time.Hour || created.CreatedAt.Location() != time.UTC {
		t.Errorf("created at %v, want now, in UTC", created.CreatedAt)
	}
	_, err = s.Run(ctx, runstore.NewRunID("sgr_agent"))
	wantCode(t, err, citewell.CodeNotFound)
}

func runIsCreatedOnce(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	given := runstore.NewRun{ID: runstore.NewRunID("sgr_agent"), Agent: "sgr_agent",
		Request: json.RawMessage(`{"query":"x"}`)}
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
	wantCode(t, err, citewell.CodeRunExists)
	if _, next, err := s.ListRuns(ctx, runstore.RunQuery{}); next != "" || err != nil {
		t.Errorf("more than a page of runs: %q, %v", next, err)
	}
	if got := getRun(t, s, first.ID); string(got.Request) != `{"query":"x"}` {
		t.Errorf("the request changed to %s", got.Request)
	}
}

func runBadArguments(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	request := json.RawMessage(`{}`)
	for name, run := range map[string]runstore.NewRun{
		"no_agent":   {Request: request},
		"agent_path": {Agent: "../x", Request: request},
		"agent_long": {Agent: strings.Repeat("a", 65), Request: request},
		"no_request": {Agent: "a"},
		"not_json":   {Agent: "a", Request: json.RawMessage(`{`)},
		"large_request": {Agent: "a", Request: json.RawMessage(`"` +
			strings.Repeat("x", runstore.MaxRunRequest) + `"`)},
		"bad_budget":    {Agent: "a", Request: request, Budget: json.RawMessage(`x`)},
		"caller_long":   {Agent: "a", Caller: strings.Repeat("c", runstore.MaxRunCaller+1), Request: request},
		"task_long":     {Agent: "a", Task: strings.Repeat("t", runstore.MaxRunRequest+1), Request: request},
		"id_of_another": {Agent: "a", ID: runstore.NewRunID("b"), Request: request},
		"id_is_no_uuid": {Agent: "a", ID: "a_1", Request: request},
		"id_upper_case": {Agent: "a", ID: strings.ToUpper(runstore.NewRunID("a")), Request: request},
	} {
		if _, err := s.CreateRun(ctx, run); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
	for _, q := range []runstore.RunQuery{{Limit: -1}, {Limit: runstore.MaxRunPage + 1}, {Cursor: "x"}, {Cursor: "-1"},
		{States: []runstore.RunState{"done"}},
		{Outcomes: []runstore.RunOutcome{"done"}}, {Outcomes: []runstore.RunOutcome{""}},
		{Words: strings.Repeat("w", runstore.MaxRunWords+1)}} {
		_, _, err := s.ListRuns(ctx, q)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	if counts, err := s.CountRuns(ctx, ""); len(counts) != 0 || err != nil {
		t.Errorf("something was kept of what was refused: %v, %v", counts, err)
	}
}

func runList(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	var ids []string
	for i := range 25 {
		run, err := s.CreateRun(ctx, runstore.NewRun{Agent: []string{"red", "blue"}[i%2],
			Request: json.RawMessage(fmt.Sprint(i))})
		must(t, err)
		ids = append(ids, run.ID)
		if i%5 == 0 {
			lease := acquire(t, s, run.ID)
			must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil))
			if i%10 == 0 {
				endRun(t, s, lease)
			}
		}
	}
	for name, test := range map[string]struct {
		q    runstore.RunQuery
		want func(i int) bool
	}{
		"all":    {runstore.RunQuery{}, func(i int) bool { return true }},
		"agent":  {runstore.RunQuery{Agents: []string{"red"}}, func(i int) bool { return i%2 == 0 }},
		"agents": {runstore.RunQuery{Agents: []string{"red", "blue", "' OR 1"}}, func(i int) bool { return true }},
		"state": {runstore.RunQuery{States: []runstore.RunState{runstore.RunCompleted}}, func(i int) bool {
			return i%10 == 0
		}},
		"states": {runstore.RunQuery{States: []runstore.RunState{runstore.RunCompleted, runstore.RunResearching}},
			func(i int) bool { return i%5 == 0 }},
		"both": {runstore.RunQuery{States: []runstore.RunState{runstore.RunInited}, Agents: []string{"blue"}},
			func(i int) bool { return i%2 == 1 && i%5 > 0 }},
		"none_such": {runstore.RunQuery{Agents: []string{"green"}}, func(i int) bool { return false }},
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
	counts, err := s.CountRuns(ctx, "")
	must(t, err)
	if diff := cmp.Diff(map[runstore.RunState]int{runstore.RunInited: 20, runstore.RunResearching: 2,
		runstore.RunCompleted: 3}, counts); diff != "" {
		t.Errorf("counts differ (-want +got):\n%s", diff)
	}
	runs, _, err := s.ListRuns(ctx, runstore.RunQuery{Limit: 1})
	must(t, err)
	if diff := cmp.Diff(getRun(t, s, ids[24]), runs[0]); diff != "" {
		t.Errorf("a run of a list differs (-Run +ListRuns):\n%s", diff)
	}
}

func runTenants(t *testing.T, b RunBackend) {
	mine, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, mine)
	fillRun(t, mine, lease, `1`)
	call := runstore.Call{Kind: runstore.CallModel, Name: "m", Input: json.RawMessage(`{"q":1}`)}
	waiting := newRun(t, mine)
	for _, name := range []string{"b", "A", "", "a' OR '1'='1"} {
		other := b.Tenant(name)
		for what, err := range map[string]error{
			"run":      second(other.Run(ctx, lease.Run)),
			"events":   second(other.Events(ctx, lease.Run, 0, 0)),
			"calls":    second(other.Calls(ctx, lease.Run)),
			"lookup":   second(other.LookupCall(ctx, lease.Run, call.Key())),
			"acquire":  second(other.AcquireRun(ctx, waiting.ID, "w", ttl)),
			"append":   second(other.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "x"}})),
			"begin":    second(BeginCall(ctx, other, lease, runstore.Call{Kind: runstore.CallPage})),
			"finish":   FinishCall(ctx, other, lease, call, runstore.CallResult{}),
			"renew":    second(other.RenewLease(ctx, lease)),
			"state":    other.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunWaiting}, nil),
			"take":     second(other.TakeMessages(ctx, lease)),
			"cancelQ":  second(other.CancelRequested(ctx, lease)),
			"cancel":   second(other.CancelRun(ctx, lease.Run)),
			"message":  other.SendMessage(ctx, lease.Run, runstore.RunMessage{Kind: "answer"}),
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
		runs, _, err := other.ListRuns(ctx, runstore.RunQuery{})
		must(t, err)
		counts, err := other.CountRuns(ctx, "")
		must(t, err)
		if len(runs)+len(counts) > 0 {
			t.Errorf("tenant %q sees %v and %v", name, runs, counts)
		}
	}
	must(t, second(mine.RenewLease(ctx, lease)))
}

func second[T any](_ T, err error) error { return err }

func runSurvivesReopening(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	fillRun(t, s, lease, bigJSON(1))
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunWaiting, Detail: "which harbour?"},
		[]runstore.RunEvent{{Type: "question"}}))
	run := getRun(t, s, lease.Run)
	events, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	calls, err := s.Calls(ctx, lease.Run)
	must(t, err)

	s = b.Reopen(t).Tenant("a")
	if diff := cmp.Diff(run, getRun(t, s, lease.Run)); diff != "" || run.Unread != 1 ||
		run.State != runstore.RunWaiting {
		t.Errorf("run %+v differs after reopening:\n%s", run, diff)
	}
	gotEvents, err := s.Events(ctx, lease.Run, 0, 0)
	must(t, err)
	gotCalls, err := s.Calls(ctx, lease.Run)
	must(t, err)
	for _, diff := range []string{cmp.Diff(events, gotEvents), cmp.Diff(calls, gotCalls)} {
		if diff != "" {
			t.Errorf("differs after reopening:\n%s", diff)
		}
	}
	must(t, second(s.RenewLease(ctx, lease)))
}
