package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

// In a store of runs a run goes on with another lease after its executor ended, after
// a question, and never with a lease that was lost.
func TestARunGoesOnInAStore(t *testing.T) {
	db, s := newStore(t), newShelf()
	created, err := db.CreateRun(t.Context(), runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	ask := call("clarification_tool", args{"reasoning": "which", "unclear_terms": []string{"lake"},
		"assumptions": []string{"a", "b"}, "questions": []string{"Which lake?"}})
	ctx, cancel := context.WithCancel(t.Context())
	m := &script{replies: []reply{calls(searchFor("herons")), calls(ask), calls(readHerons),
		func(agent.Request) (agent.Reply, error) { cancel(); return agent.Reply{}, context.Canceled },
		calls(heronFinal)}}
	answer := ""
	lease := runstore.Lease{}
	play := func(ctx context.Context) (agent.Result, error) {
		t.Helper()
		o := s.options(agent.ShapeToolCalling, m)
		o.Archive, o.Journal = db, &agent.RunJournal{Calls: db, Lease: lease}
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
		if r, err := play(t.Context()); err != nil || r.State != runstore.RunWaiting {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	answer = "Alder Lake"
	if r, err := play(ctx); err == nil || r.State != runstore.RunCancelled {
		t.Fatalf("%+v, %v", r, err)
	}
	lost := lease
	acquire()
	r, err := play(t.Context())
	if err != nil || r.Outcome != runstore.RunAnswered || s.searches.Load() != 1 || s.reads.Load() != 2 ||
		len(m.asked) != 5 || r.ID != created.ID {
		t.Fatalf("%+v, %v after %d searches, %d reads, %d answers", r, err, s.searches.Load(), s.reads.Load(),
			len(m.asked))
	}
	if brief, err := db.Brief(t.Context(), created.ID); err != nil || len(brief.Findings) == 0 {
		t.Errorf("the kept brief %+v, %v", brief, err)
	}
	journal := &agent.RunJournal{Calls: db, Lease: lost}
	if err := journal.Begin(t.Context(), agent.Call{Key: "t9/x", Kind: agent.CallModel, Name: "m"}); citewell.CodeOf(
		err) != citewell.CodeLeaseLost {
		t.Errorf("with a lost lease: %v", err)
	}
}

// A killed executor is one of whose writes the first few reach the store, and then
// none.
type killed struct {
	*sqlite.Store
	writes *atomic.Int64 // that are left
}

var errKilled = errors.New("killed")

func (k killed) dead() error {
	if k.writes.Add(-1) < 0 {
		return errKilled
	}
	return nil
}

func (k killed) WriteCalls(ctx context.Context, lease runstore.Lease,
	entries []runstore.CallEntry) ([]runstore.CallRecord, error) {
	if err := k.dead(); err != nil {
		return nil, err
	}
	return k.Store.WriteCalls(ctx, lease, entries)
}

func (k killed) PutSnapshot(ctx context.Context, p citewell.Page, d citewell.Document) error {
	if err := k.dead(); err != nil {
		return err
	}
	return k.Store.PutSnapshot(ctx, p, d)
}

func (k killed) AddSource(ctx context.Context, brief string, s citewell.Source, p []citewell.Passage) error {
	if err := k.dead(); err != nil {
		return err
	}
	return k.Store.AddSource(ctx, brief, s, p)
}

func (k killed) PutBrief(ctx context.Context, b citewell.Brief) error {
	if err := k.dead(); err != nil {
		return err
	}
	return k.Store.PutBrief(ctx, b)
}

// An executor that is killed after any of its writes leaves a run that another brings
// to the same end. Nothing is bought twice but the calls that were in flight: one of
// the model, or those that are made at once.
func TestARunGoesOnFromEveryWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	tale := []reply{thinks(), calls(searchFor("herons"), searchFor("the lake")), thinks(), calls(readHerons), thinks(),
		calls(heronFinal)}
	db := newStore(t)
	for n, whole := int64(0), false; !whole; n++ {
		created, err := db.CreateRun(t.Context(), runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		s, asked := newShelf(), 0
		play := func(from *killed, told func(agent.Event)) (agent.Result, error) {
			t.Helper()
			lease, err := db.AcquireRun(t.Context(), created.ID, "test", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			made, err := db.Calls(t.Context(), created.ID)
			if err != nil {
				t.Fatal(err)
			}
			answered := 0
			for _, c := range made {
				if c.Kind == runstore.CallModel && c.State == runstore.CallDone {
					answered++
				}
			}
			m := &script{replies: tale[answered:]}
			o := s.options(agent.ShapeSGRToolCalling, m)
			o.Archive, o.Journal, o.Tell = from, &agent.RunJournal{Calls: from, Lease: lease}, told
			a, err := agent.New(o)
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Run(t.Context(), agent.Task{ID: created.ID, Text: heronTask})
			asked += len(m.asked)
			if err := db.ReleaseLease(t.Context(), lease); err != nil {
				t.Fatal(err)
			}
			return r, err
		}
		left := new(atomic.Int64)
		left.Store(n)
		over := false
		r, err := play(&killed{db, left}, func(e agent.Event) { over = over || e.Kind == "over" })
		if whole = err == nil; !whole && (!errors.Is(err, errKilled) || r.State != runstore.RunError || over) {
			t.Fatalf("killed after %d writes: %+v, %v, over: %t", n, r, err, over)
		}
		calls, err := db.Calls(t.Context(), created.ID)
		if err != nil {
			t.Fatal(err)
		}
		again := map[runstore.CallKind]int{}
		for _, c := range calls {
			if c.State == runstore.CallInFlight {
				again[c.Kind]++
			}
		}
		if again[runstore.CallModel] > 1 || again[runstore.CallProvider] > 2 || again[runstore.CallPage] > 2 ||
			len(again) > 1 || whole && len(again) > 0 {
			t.Errorf("killed after %d writes: %v are in flight", n, again)
		}
		left.Store(1 << 30)
		r, err = play(&killed{db, left}, nil)
		if err != nil || r.Outcome != runstore.RunAnswered || len(r.Sources) != 3 {
			t.Fatalf("killed after %d writes: then %+v, %v", n, r, err)
		}
		for what, times := range map[string][3]int{
			"asked the model": {asked, len(tale), again[runstore.CallModel]},
			"searched":        {int(s.searches.Load()), 2, again[runstore.CallProvider]},
			"read":            {int(s.reads.Load()), 2, again[runstore.CallPage]},
		} {
			if times[0] < times[1] || times[0] > times[1]+times[2] {
				t.Errorf("killed after %d writes: %s %d times, not %d, with %d in flight", n, what, times[0],
					times[1], times[2])
			}
		}
		if whole {
			t.Logf("%d writes", n)
		}
	}
}

// What is finished is on disk at once where other calls are on their way, and else
// with the next that is begun; a call that was not begun loses nothing before it.
func TestWhenAResultIsOnDisk(t *testing.T) {
	db := newStore(t)
	created, err := db.CreateRun(t.Context(), runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := db.AcquireRun(t.Context(), created.ID, "test", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	j := &agent.RunJournal{Calls: db, Lease: lease}
	state := func(want string) {
		t.Helper()
		calls, err := db.Calls(t.Context(), created.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range calls {
			got += c.Name + " " + string(c.State) + ", "
		}
		if got != want {
			t.Errorf("the store has %q, want %q", got, want)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	page := func(name string) agent.Call { return agent.Call{Key: "t1/" + name, Kind: agent.CallPage, Name: name} }
	entry := agent.Entry{Result: []byte(`1`), ActiveMS: 7}
	do(j.Begin(t.Context(), page("a")))
	do(j.Begin(t.Context(), page("b")))
	do(j.Finish(t.Context(), page("a"), entry))
	state("a done, b in_flight, ")
	do(j.Finish(t.Context(), page("b"), entry))
	state("a done, b in_flight, ")
	ended, end := context.WithCancel(t.Context())
	end()
	if err := j.Begin(ended, page("c")); !errors.Is(err, context.Canceled) {
		t.Errorf("begun after the end: %v", err)
	}
	do(j.Sync(t.Context()))
	state("a done, b done, ")
	clock := agent.Call{Key: "begin", Kind: agent.CallLocal, Name: "clock"}
	do(j.Begin(t.Context(), clock))
	state("a done, b done, ")
	again := &agent.RunJournal{Calls: db, Lease: lease}
	if e, ok, err := again.Lookup(t.Context(), page("b")); !ok || err != nil || string(e.Result) != "1" ||
		e.ActiveMS != 7 {
		t.Errorf("looked up: %+v, %t, %v", e, ok, err)
	}
	if _, ok, err := again.Lookup(t.Context(), page("c")); ok || err != nil {
		t.Errorf("a call that was never made is there: %v", err)
	}
	if err := again.Begin(t.Context(), page("b")); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Errorf("a call that is finished is begun: %v", err)
	}
}

// A fullDisk takes nothing after the first results of a search.
type fullDisk struct{ agent.Journal }

func (f fullDisk) Begin(ctx context.Context, c agent.Call) error {
	if strings.HasPrefix(c.Key, "t2/") {
		return errKilled
	}
	return f.Journal.Begin(ctx, c)
}

func (f fullDisk) Sync(context.Context) error { return errKilled }

// What leans on results that could not be kept is told to nobody.
func TestNothingIsToldThatIsNotKept(t *testing.T) {
	s := newShelf()
	o := s.options(agent.ShapeToolCalling, &script{replies: []reply{calls(searchFor("a")), calls(heronFinal)}})
	o.Journal = fullDisk{o.Journal}
	var told []string
	o.Tell = func(e agent.Event) { told = append(told, strings.TrimSpace(e.Kind+" "+e.Name)) }
	a, err := agent.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.Run(t.Context(), agent.Task{Text: heronTask})
	want := []string{"state researching", "call web_search_tool", "state error"}
	if !errors.Is(err, errKilled) || r.State != runstore.RunError || !slices.Equal(told, want) {
		t.Errorf("%v, %s, told %q, want %q", err, r.State, told, want)
	}
}

// Who cancels a run as an answer of the model comes has paid for it: it is kept, and whoever
// goes on does not ask again.
func TestAnAnswerThatComesAsARunIsCanceledIsKept(t *testing.T) {
	db := newStore(t)
	tale := []reply{calls(searchFor("herons")), calls(readHerons), calls(heronFinal)}
	for at := range tale {
		created, err := db.CreateRun(t.Context(), runstore.NewRun{Agent: "desk", Request: []byte(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		m := &script{replies: slices.Clone(tale)}
		m.replies[at] = func(q agent.Request) (agent.Reply, error) {
			cancel()
			return tale[at](q)
		}
		s := newShelf()
		play := func(ctx context.Context) (agent.Result, error) {
			t.Helper()
			lease, err := db.AcquireRun(t.Context(), created.ID, "test", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer db.ReleaseLease(t.Context(), lease)
			o := s.options(agent.ShapeToolCalling, m)
			o.Archive, o.Journal = db, &agent.RunJournal{Calls: db, Lease: lease}
			a, err := agent.New(o)
			if err != nil {
				t.Fatal(err)
			}
			return a.Run(ctx, agent.Task{ID: created.ID, Text: heronTask})
		}
		if r, err := play(ctx); r.State != runstore.RunCancelled || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at answer %d: %+v, %v", at+1, r, err)
		}
		if r, err := play(t.Context()); err != nil || r.Outcome != runstore.RunAnswered || len(m.asked) != len(tale) {
			t.Errorf("cancelled at answer %d, and gone on with: %d answers were asked for, %+v, %v", at+1,
				len(m.asked), r, err)
		}
	}
}
