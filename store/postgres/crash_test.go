package postgres

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
	"github.com/jackc/pgx/v5"
)

// TestLostCommit loses the connection around the commit of each kind of write, before the
// server hears of it and after it did it: the write is then done, and done once.
func TestLostCommit(t *testing.T) {
	c := pgtest.StartCutter(t, pgtest.URL(t))
	db := openURL(t, Options{URL: c.URL})
	call := runstore.Call{Kind: runstore.CallModel, Name: "m", Input: json.RawMessage(`1`)}
	result := runstore.CallResult{Data: json.RawMessage(`2`)}
	note := runstore.RunMessage{ID: "m1", Kind: "note"}
	at := time.Now()
	type world struct {
		s     *Store
		run   runstore.Run
		lease runstore.Lease
	}
	events := func(w world) (kinds []string, err error) {
		all, err := w.s.Events(t.Context(), w.run.ID, 0, 0)
		for _, e := range all {
			kinds = append(kinds, e.Type)
		}
		return kinds, err
	}
	for name, test := range map[string]struct {
		write func(w world) (any, error)
		want  any
		then  func(w world) (any, error)
		is    any
	}{
		"append": {func(w world) (any, error) {
			return w.s.AppendEvents(t.Context(), w.lease, []runstore.RunEvent{{Type: "a"}, {Type: "b"}})
		}, []int64{3, 4}, func(w world) (any, error) { return events(w) },
			[]string{runstore.EventCreated, runstore.EventAcquired, "a", "b"}},
		"state": {func(w world) (any, error) {
			return nil, w.s.ChangeState(t.Context(), w.lease, runstore.RunChange{State: runstore.RunResearching}, nil)
		}, nil, func(w world) (any, error) { return events(w) },
			[]string{runstore.EventCreated, runstore.EventAcquired, runstore.EventState}},
		"begin": {func(w world) (any, error) {
			r, err := storesuite.BeginCall(t.Context(), w.s, w.lease, call)
			return r.Attempts, err
		}, 1, func(w world) (any, error) {
			r, err := w.s.LookupCall(t.Context(), w.run.ID, call.Key())
			return r.State, err
		}, runstore.CallInFlight},
		"write calls": {func(w world) (any, error) {
			r, err := w.s.WriteCalls(t.Context(), w.lease, []runstore.CallEntry{
				{Call: call}, {Call: call, Result: &result}})
			return len(r), err
		}, 2, func(w world) (any, error) {
			r, err := w.s.LookupCall(t.Context(), w.run.ID, call.Key())
			return r.State, err
		}, runstore.CallDone},
		"message": {func(w world) (any, error) { return nil, w.s.SendMessage(t.Context(), w.run.ID, note) }, nil,
			func(w world) (any, error) { return events(w) }, []string{
				runstore.EventCreated, runstore.EventAcquired, runstore.EventMessage}},
		"cancel": {func(w world) (any, error) {
			r, err := w.s.CancelRun(t.Context(), w.run.ID)
			return r.CancelRequested, err
		}, true, func(w world) (any, error) { return events(w) },
			[]string{runstore.EventCreated, runstore.EventAcquired, runstore.EventCancelRequested}},
		"spend": {func(w world) (any, error) { return nil, w.s.Spend(t.Context(), "c", at, runstore.Spent{Tokens: 5}) },
			nil, func(w world) (any, error) { return w.s.Spent(t.Context(), "c", at) }, runstore.Spent{Tokens: 5}},
		"next": {func(w world) (any, error) {
			if err := w.s.ReleaseLease(t.Context(), w.lease); err != nil {
				return nil, err
			}
			lease, ok, err := w.s.AcquireNext(t.Context(), "w", time.Minute)
			return []any{lease.Token, ok}, err
		}, []any{int64(2), true}, func(w world) (any, error) { return events(w) },
			[]string{runstore.EventCreated, runstore.EventAcquired, runstore.EventAcquired}},
		"create": {func(w world) (any, error) {
			r, err := w.s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
			return r.Seq, err
		}, int64(1), func(w world) (any, error) {
			counts, err := w.s.CountRuns(t.Context(), "")
			return counts[runstore.RunInited], err
		}, 2},
		"delete": {func(w world) (any, error) {
			if err := w.s.ReleaseLease(t.Context(), w.lease); err != nil {
				return nil, err
			}
			return nil, w.s.DeleteRun(t.Context(), w.run.ID)
		}, nil, func(w world) (any, error) {
			_, err := w.s.Run(t.Context(), w.run.ID)
			return citewell.CodeOf(err), nil
		}, citewell.CodeNotFound},
		"source": {func(w world) (any, error) {
			return nil, w.s.AddSource(t.Context(), "b", citewell.Source{N: 1},
				[]citewell.Passage{{ID: citewell.NewID()}})
		}, nil, func(w world) (any, error) { return nil, nil }, nil},
		"remove": {func(w world) (any, error) {
			if err := w.s.UpsertEdges(t.Context(), []store.GraphEdge{{Src: "a", Rel: "b", Dst: "c"}}); err != nil {
				return nil, err
			}
			c.Set(pgtest.After)
			return w.s.RemoveEdge(t.Context(), "a", "b", "c")
		}, true, func(w world) (any, error) { return nil, nil }, nil},
	} {
		for _, where := range []pgtest.Cut{pgtest.Before, pgtest.After} {
			t.Run(fmt.Sprint(name, " ", where), func(t *testing.T) {
				w := world{s: db.Tenant(tenantOf(t, ""))}
				var err error
				if w.run, err = w.s.CreateRun(t.Context(), runstore.NewRun{
					Agent: "a", Request: json.RawMessage(`1`)}); err != nil {
					t.Fatal(err)
				}
				if w.lease, err = w.s.AcquireRun(t.Context(), w.run.ID, "w", time.Minute); err != nil {
					t.Fatal(err)
				}
				c.Set(where)
				got, err := test.write(w)
				if err != nil || fmt.Sprint(got) != fmt.Sprint(test.want) {
					t.Errorf("got %v (%v), want %v", got, err, test.want)
				}
				if c.Take(where) {
					t.Fatal("there was no commit to lose")
				}
				if is, err := test.then(w); err != nil || fmt.Sprint(is) != fmt.Sprint(test.is) {
					t.Errorf("afterwards it is %v (%v), want %v", is, err, test.is)
				}
			})
		}
	}
}

// A crashWriter executes one run and knows what was acknowledged.
type crashWriter struct {
	s     *Store
	lease runstore.Lease
	acked int // events and calls
}

func (w *crashWriter) write(t *testing.T, n int) error {
	call := runstore.Call{Step: n, Kind: runstore.CallTool, Name: "t", Input: json.RawMessage(`1`)}
	if _, err := storesuite.BeginCall(t.Context(), w.s, w.lease, call); err != nil {
		return err
	}
	if err := storesuite.FinishCall(t.Context(), w.s, w.lease, call,
		runstore.CallResult{Data: json.RawMessage(fmt.Sprint(n))}); err != nil {
		return err
	}
	_, err := w.s.AppendEvents(t.Context(), w.lease, []runstore.RunEvent{
		{Type: "step", Data: json.RawMessage(fmt.Sprint(n))}})
	return err
}

// check says whether everything that was acknowledged is there once and in order.
func (w *crashWriter) check(t *testing.T) {
	events, err := w.s.Events(t.Context(), w.lease.Run, 0, runstore.MaxEventPage)
	if err != nil {
		t.Fatal(err)
	}
	events = slices.DeleteFunc(events, func(e runstore.RunEvent) bool { return e.Type != "step" })
	calls, err := w.s.Calls(t.Context(), w.lease.Run)
	if err != nil {
		t.Fatal(err)
	}
	if len(events) != w.acked || len(calls) != w.acked {
		t.Errorf("%d steps were acknowledged; the log has %d and the journal %d", w.acked, len(events), len(calls))
	}
	for i, e := range events {
		if string(e.Data) != fmt.Sprint(i) {
			t.Errorf("step %d of the log is %s", i, e.Data)
		}
	}
	for i, c := range calls {
		if c.Step != i || c.State != runstore.CallDone || c.Attempts != 1 {
			t.Errorf("call %d of the journal is %+v", i, c)
		}
	}
}

// crashing has writers at work while harm is done as often as rounds says.
func crashing(t *testing.T, db *DB, rounds int, harm func()) {
	const writers = 8
	var all []*crashWriter
	for range writers {
		s := db.Tenant(tenantOf(t, ""))
		run, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
		if err != nil {
			t.Fatal(err)
		}
		lease, err := s.AcquireRun(t.Context(), run.ID, "w", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &crashWriter{s: s, lease: lease})
	}
	var done atomic.Bool
	var steps atomic.Int64
	var group sync.WaitGroup
	for _, w := range all {
		group.Go(func() {
			for ; !done.Load(); w.acked++ {
				if err := w.write(t, w.acked); err != nil {
					t.Error(err) // the store tries again for as long as the server is away
					return
				}
				steps.Add(1)
			}
		})
	}
	for range rounds { // in the middle of what they do, each time
		for before := steps.Load(); steps.Load() < before+writers && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		harm()
	}
	for before := steps.Load(); steps.Load() < before+writers && !t.Failed(); {
		time.Sleep(time.Millisecond)
	}
	done.Store(true)
	group.Wait()
	for _, w := range all {
		w.check(t)
	}
}

// TestServerKilled kills the server under writers and starts it again: they go on by
// themselves, and nothing is lost or there twice.
func TestServerKilled(t *testing.T) {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	db := openURL(t, Options{URL: server.URL, Retry: 2 * time.Minute})
	if said := strings.Join(db.Warnings(), "; "); strings.Contains(said, "fsync") ||
		strings.Contains(said, "synchronous_commit") {
		t.Errorf("a server that forgets nothing is said to: %s", said)
	}
	crashing(t, db, 4, func() {
		server.Kill()
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBackendsTerminated ends the connections of writers in the middle of what they do.
func TestBackendsTerminated(t *testing.T) {
	url := pgtest.URL(t)
	db := openURL(t, Options{URL: url})
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	crashing(t, db, 20, func() {
		if _, err := admin.Exec(t.Context(),
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Error(err)
		}
	})
}
