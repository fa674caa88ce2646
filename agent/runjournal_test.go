package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/store"
)

// In a store of runs a run goes on with another lease after its executor ended, after
// a question, and never with a lease that was lost.
func TestARunGoesOnInAStore(t *testing.T) {
	db, s := newStore(t), newShelf()
	created, err := db.CreateRun(t.Context(), store.NewRun{Agent: "desk", Request: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	ask := call("clarification_tool", args{"reasoning": "which", "unclear_terms": []string{"lake"}, "assumptions": []string{"a", "b"}, "questions": []string{"Which lake?"}})
	ctx, cancel := context.WithCancel(t.Context())
	m := &script{replies: []reply{calls(searchFor("herons")), calls(ask), calls(readHerons),
		func(agent.Request) (agent.Reply, error) { cancel(); return agent.Reply{}, context.Canceled }, calls(heronFinal)}}
	answer := ""
	lease := store.Lease{}
	play := func(ctx context.Context) (agent.Result, error) {
		t.Helper()
		o := s.options(agent.ShapeToolCalling, m)
		o.Archive, o.Journal = db, agent.RunJournal{Calls: db, Lease: lease}
		o.Ask = func(context.Context, agent.Question) (string, error) {
			if answer == "" {
				return "", agent.ErrWaiting
			}
			return answer, nil
		}
		a, err := agent.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return a.Run(ctx, agent.Task{ID: created.ID, Text: heronTask})
	}
	acquire := func() {
		t.Helper()
		if lease.Token > 0 {
			if err := db.ReleaseLease(t.Context(), lease); err != nil {
				t.Fatal(err)
			}
		}
		if lease, err = db.AcquireRun(t.Context(), created.ID, "test", time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	acquire()
	for range 2 { // with one lease the question may be asked again
		if r, err := play(t.Context()); err != nil || r.State != store.RunWaiting {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	answer = "Alder Lake"
	if r, err := play(ctx); err == nil || r.State != store.RunCancelled {
		t.Fatalf("%+v, %v", r, err)
	}
	lost := lease
	acquire()
	r, err := play(t.Context())
	if err != nil || r.Outcome != store.RunAnswered || s.searches.Load() != 1 || s.reads.Load() != 2 || len(m.asked) != 5 || r.ID != created.ID {
		t.Fatalf("%+v, %v after %d searches, %d reads, %d answers", r, err, s.searches.Load(), s.reads.Load(), len(m.asked))
	}
	if brief, err := db.Brief(t.Context(), created.ID); err != nil || len(brief.Findings) == 0 {
		t.Errorf("the kept brief %+v, %v", brief, err)
	}
	journal := agent.RunJournal{Calls: db, Lease: lost}
	if err := journal.Begin(t.Context(), agent.Call{Key: "t9/x", Kind: agent.CallModel, Name: "m"}); citewell.CodeOf(err) != citewell.CodeLeaseLost {
		t.Errorf("with a lost lease: %v", err)
	}
}
