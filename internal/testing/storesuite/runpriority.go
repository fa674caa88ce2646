package storesuite

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// Who asks comes before what may wait, whichever was begun first; the priority is nothing that a
// run is known by.
func runPriorities(t *testing.T, b RunBackend) {
	ctx, s := t.Context(), b.Tenant("a")
	create := func(p runstore.RunPriority) runstore.Run {
		t.Helper()
		run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`), Priority: p})
		must(t, err)
		return run
	}
	low, first, second, high := create(runstore.PriorityLow), create(runstore.PriorityNormal), create(""),
		create(runstore.PriorityHigh)
	for run, want := range map[*runstore.Run]runstore.RunPriority{&low: runstore.PriorityLow, &first: "", &second: "",
		&high: runstore.PriorityHigh} {
		again, err := s.CreateRun(ctx, runstore.NewRun{ID: run.ID, Agent: "a", Request: json.RawMessage(`1`),
			Priority: runstore.PriorityHigh})
		if must(t, err); run.Priority != want || again.Priority != want {
			t.Errorf("a run of priority %q has %q, and begun again %q", want, run.Priority, again.Priority)
		}
	}
	b = b.Reopen(t)
	s = b.Tenant("a")
	for i, want := range []runstore.Run{high, first, second, low} {
		lease, ok, err := s.AcquireNext(ctx, "w", time.Hour)
		if must(t, err); !ok || lease.Run != want.ID {
			t.Errorf("run %d to be taken up is %q, want %q", i, lease.Run, want.ID)
		}
	}
	// Of who may not overtake others, it is the first of that one's alone.
	own := b.Tenant("own")
	by := func(caller string, p runstore.RunPriority) string {
		t.Helper()
		run, err := own.CreateRun(ctx, runstore.NewRun{Agent: "a", Caller: caller, Request: json.RawMessage(`1`),
			Priority: p, OwnTurns: true})
		must(t, err)
		return run.ID
	}
	annLow, ann1, bob, ann2 := by("ann", runstore.PriorityLow), by("ann", ""), by("bob", ""), by("ann", "")
	annHigh, bobHigh := by("ann", runstore.PriorityHigh), by("bob", runstore.PriorityHigh)
	for i, want := range []string{ann1, bob, annHigh, ann2, bobHigh, annLow} {
		lease, ok, err := own.AcquireNext(ctx, "w", time.Hour)
		if must(t, err); !ok || lease.Run != want {
			t.Errorf("run %d to be taken up where nobody overtakes others is %q, want %q", i, lease.Run, want)
		}
	}
	for name, waits := range map[string]bool{"waits for an answer": true, "executed": false} {
		runOvertaken(t, b.Tenant(name), waits)
	}
	if _, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`),
		Priority: "urgent"}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("a priority that there is not: %v", err)
	}
}

// runOvertaken has a run begun that may not overtake others, while the one of another caller is
// not to be taken up: it waits for an answer, or is executed.
func runOvertaken(t *testing.T, s runstore.Runs, waits bool) {
	t.Helper()
	ctx := t.Context()
	begin := func(caller string, p runstore.RunPriority) string {
		run, err := s.CreateRun(ctx, runstore.NewRun{Agent: "a", Caller: caller, Request: json.RawMessage(`1`),
			Priority: p, OwnTurns: true})
		must(t, err)
		return run.ID
	}
	bob := begin("bob", "")
	lease := acquire(t, s, bob)
	must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil))
	if waits {
		must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunWaiting}, nil))
		must(t, s.ReleaseLease(ctx, lease))
	}
	ann := begin("ann", runstore.PriorityHigh)
	if waits {
		must(t, s.SendMessage(ctx, bob, runstore.RunMessage{Kind: "answer", Data: json.RawMessage(`1`)}))
	} else {
		must(t, s.ReleaseLease(ctx, lease))
	}
	for i, want := range []string{bob, ann} {
		next, ok, err := s.AcquireNext(ctx, "w", time.Hour)
		if must(t, err); !ok || next.Run != want {
			t.Errorf("run %d to be taken up where the other waits for an answer (%t) is %q, want %q", i, waits,
				next.Run, want)
		}
	}
}
