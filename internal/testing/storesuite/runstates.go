package storesuite

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/google/go-cmp/cmp"
)

func runStates(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	allowed := map[runstore.RunState]string{
		runstore.RunInited:      "inited researching failed error cancelled",
		runstore.RunResearching: "researching waiting_for_clarification completed failed error cancelled",
		runstore.RunWaiting:     "researching waiting_for_clarification failed error cancelled",
	}
	for _, from := range runstore.RunStates {
		for _, to := range runstore.RunStates {
			lease := acquire(t, s, newRun(t, s).ID)
			for _, state := range []runstore.RunState{runstore.RunResearching, from} {
				if from != runstore.RunInited {
					must(t, s.ChangeState(ctx, lease, changeTo(state), nil))
				}
				if state == from {
					break
				}
			}
			before := getRun(t, s, lease.Run)
			err := s.ChangeState(ctx, lease, changeTo(to), []runstore.RunEvent{{Type: "why"}})
			after := getRun(t, s, lease.Run)
			switch {
			case from.Ended():
				wantCode(t, err, citewell.CodeRunFinished)
			case !slices.Contains(strings.Fields(allowed[from]), string(to)):
				wantCode(t, err, citewell.CodeInvalidArgument)
			default:
				must(t, err)
				if after.State != to || after.Outcome != changeTo(to).Outcome || after.Seq != before.Seq+2 ||
					after.EndedAt.IsZero() == to.Ended() || (after.Executor == "") != to.Ended() {
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
	for name, change := range map[string]runstore.RunChange{
		"no_state":        {},
		"unknown":         {State: "done"},
		"no_outcome":      {State: runstore.RunCompleted},
		"outcome_early":   {State: runstore.RunWaiting, Outcome: runstore.RunAnswered},
		"unknown_outcome": {State: runstore.RunCompleted, Outcome: "fine"},
		"long_detail":     {State: runstore.RunWaiting, Detail: strings.Repeat("x", runstore.MaxRunDetail+1)},
	} {
		if err := s.ChangeState(ctx, lease, change, nil); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: got %v, want invalid_argument", name, err)
		}
	}
}

func changeTo(state runstore.RunState) runstore.RunChange {
	change := runstore.RunChange{State: state}
	if state.Ended() {
		change.Outcome = runstore.RunPartial
	}
	return change
}

func runCancel(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	cancel := func(id string) runstore.Run {
		t.Helper()
		run, err := s.CancelRun(ctx, id)
		must(t, err)
		return run
	}
	// Nobody executes it: it is cancelled at once.
	idle := newRun(t, s)
	if got := cancel(idle.ID); got.State != runstore.RunCancelled || got.Outcome != runstore.RunOutcomeCancelled ||
		got.EndedAt.IsZero() {
		t.Errorf("a run that nobody executes is %+v after its cancellation", got)
	}
	if got := cancel(idle.ID); got.Seq != getRun(t, s, idle.ID).Seq || got.State != runstore.RunCancelled {
		t.Errorf("cancelling twice gives %+v", got)
	}
	// Somebody does: it is asked to.
	lease := startRun(t, s)
	for range 2 {
		if got := cancel(lease.Run); got.State != runstore.RunResearching || !got.CancelRequested {
			t.Errorf("a run with an executor is %+v after the request", got)
		}
	}
	if asked, err := s.CancelRequested(ctx, lease); !asked || err != nil {
		t.Errorf("the executor is not told: %v, %v", asked, err)
	}
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunCancelled,
		Outcome: runstore.RunOutcomeCancelled}, nil))
	// Its executor died: it is cancelled at once, and the executor, if it lives, is told.
	dead := startRun(t, s)
	b.Pass(ttl)
	if got := cancel(dead.Run); got.State != runstore.RunCancelled {
		t.Errorf("a run whose executor is gone is %s", got.State)
	}
	_, err := s.AppendEvents(ctx, dead, []runstore.RunEvent{{Type: "late"}})
	wantCode(t, err, citewell.CodeRunFinished)
	_, err = s.CancelRequested(ctx, dead)
	wantCode(t, err, citewell.CodeRunFinished)
	// It has ended: it stays as it is.
	done := startRun(t, s)
	endRun(t, s, done)
	if got := cancel(done.Run); got.State != runstore.RunCompleted || got.CancelRequested {
		t.Errorf("a run that has ended is %+v", got)
	}
	// It waits, and asks for an executor when there is one that died.
	waiting := startRun(t, s)
	must(t, s.ChangeState(ctx, waiting, runstore.RunChange{State: runstore.RunWaiting}, nil))
	must(t, s.ReleaseLease(ctx, waiting))
	if got := cancel(waiting.Run); got.State != runstore.RunCancelled {
		t.Errorf("a waiting run is %s", got.State)
	}
	_, err = s.CancelRun(ctx, runstore.NewRunID("a"))
	wantCode(t, err, citewell.CodeNotFound)
}
