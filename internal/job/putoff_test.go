package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

// A lacking executor can make no agent until able says so.
type lacking struct {
	office // of another executor, which can
	*job.Executor
	runs  runstore.Runs
	log   bytes.Buffer
	able  bool
	tried []time.Time
}

// serveFor has it take up what there is for some time, which is faked.
func (l *lacking) serveFor(t *testing.T, d time.Duration) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), d)
	defer end()
	l.Executor.Serve(ctx)
}

// at is the run as it is now.
func (l *lacking) at(t *testing.T, id string) job.Status {
	t.Helper()
	status, err := l.Status(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// Slow runs are asked for the next a while before they look.
type slowRuns struct{ *sqlite.Store }

func (s slowRuns) AcquireNext(ctx context.Context, owner string, ttl time.Duration,
	not ...string) (runstore.Lease, bool, error) {
	time.Sleep(time.Second)
	return s.Store.AcquireNext(ctx, owner, ttl, not...)
}

func putOff(t *testing.T, slow bool, do func(t *testing.T, l *lacking)) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	o.kinds(t, o.begin(t)) // what packs and unpacks records is made at its first use, and no bubble may own it
	synctest.Test(t, func(t *testing.T) {
		db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		m := &model{script: func(context.Context, int) (agent.Reply, error) { return answers() }}
		l := &lacking{office: newOffice(t, db.Tenant("t"), m), runs: db.Tenant("t")}
		if slow {
			l.runs = slowRuns{db.Tenant("t")}
		}
		l.Executor = job.NewExecutor(job.ExecutorOptions{Runs: l.runs, Log: slog.New(slog.NewTextHandler(&l.log, nil)),
			Build: func(_ context.Context, d job.Definition, ties job.Ties) (job.Agent, error) {
				if l.tried = append(l.tried, time.Now()); !l.able {
					return nil, &citewell.Error{Code: citewell.CodeProviderNotConfigured,
						Message: "there is no such provider here"}
				}
				return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m,
					Journal: ties.Journal, Ask: ties.Ask, Tell: ties.Tell})
			}})
		do(t, l)
	})
}

// A run that is put off while the store is asked for the next is not the next.
func TestARunThatIsPutOffMeanwhile(t *testing.T) {
	putOff(t, true, func(t *testing.T, l *lacking) {
		l.begin(t)
		if l.serveFor(t, 4*time.Second); len(l.tried) != 1 {
			t.Errorf("it was tried at %v", l.tried)
		}
	})
}

// A run whose agent nobody can make is tried again after pauses that grow, with nobody
// holding it in between, and ends at the first try an hour later.
func TestARunIsPutOff(t *testing.T) {
	putOff(t, false, func(t *testing.T, l *lacking) {
		id := l.begin(t)
		l.serveFor(t, 21*time.Minute)
		pauses := []time.Duration{5, 10, 20, 40, 80, 160, 300, 300, 300}
		if len(l.tried) != len(pauses)+1 {
			t.Fatalf("it was tried at %v", l.tried)
		}
		for i, pause := range pauses {
			if waited := l.tried[i+1].Sub(l.tried[i]); waited < pause*time.Second || waited > (pause+1)*time.Second {
				t.Errorf("try %d came after %v, want %d s", i+2, waited, pause)
			}
		}
		if s := l.at(t, id); s.State != runstore.RunResearching || s.Executor != "" ||
			!strings.HasSuffix(s.Detail, "could not: there is no such provider here") {
			t.Errorf("it is %+v", s)
		}
		if log := l.log.String(); strings.Count(log, "the run is put off") != 10 ||
			!strings.Contains(log, `why="there is no such provider here" times=10 again_in=5m0s`) {
			t.Errorf("the log says %s", log)
		}
		if kinds := l.kinds(t, id); !strings.HasPrefix(kinds, "run.created run.acquired run.state put_off run.state "+
			"run.acquired run.state put_off run.state") {
			t.Errorf("the run's log has %s", kinds)
		}
		time.Sleep(time.Until(l.tried[0].Add(time.Hour - 2*time.Second)))
		l.serveFor(t, time.Second)
		if s := l.at(t, id); s.State != runstore.RunResearching || len(l.tried) != 11 {
			t.Errorf("within the hour, after %d tries: %+v", len(l.tried), s)
		}
		l.serveFor(t, 5*time.Minute+2*time.Second)
		if s := l.at(t, id); s.State != runstore.RunError || s.Detail != "for 1h0m0s nobody could make its agent: "+
			"there is no such provider here" {
			t.Errorf("an hour later, after %d tries: %+v", len(l.tried), s)
		}
	})
}

// What one executor cannot do another does at once, and the first when what was missing
// is there; a run that an agent went on with has its hour again.
func TestAPutOffRunGoesOn(t *testing.T) {
	putOff(t, false, func(t *testing.T, l *lacking) {
		id := l.begin(t)
		l.serveFor(t, time.Minute)
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		l.x.Serve(ctx)
		if s := l.at(t, id); s.State != runstore.RunCompleted || s.Detail != "" {
			t.Errorf("another executor: %+v", s)
		}
		end()

		id = l.begin(t)
		l.serveFor(t, time.Second)
		time.Sleep(50 * time.Minute)
		lease, err := l.db.AcquireRun(t.Context(), id, "able", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.db.AppendEvents(t.Context(), lease, []runstore.RunEvent{
			{Type: "call", Data: json.RawMessage(`{}`)}}); err != nil {
			t.Fatal(err)
		}
		if err := l.db.ReleaseLease(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Minute)
		before := len(l.tried)
		l.serveFor(t, time.Second)
		if s := l.at(t, id); s.State != runstore.RunResearching || len(l.tried) != before+1 {
			t.Errorf("within the hour since it was gone on with, after %d tries: %+v", len(l.tried), s)
		}
		l.able = true
		l.serveFor(t, 10*time.Second)
		if s := l.at(t, id); s.State != runstore.RunCompleted {
			t.Errorf("with what was missing: %+v", s)
		}
	})
}

// A run that a newer program began, and one whose log it writes otherwise, wait for such a program for as long
// as it takes: this one looks at them each five minutes, and ends neither.
func TestARunOfANewerProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	putOff(t, false, func(t *testing.T, l *lacking) {
		dir := t.TempDir()
		newer, err := sqlite.Open(t.Context(), dir, sqlite.Options{
			Events: runstore.EventSchema{Version: 2, Upcast: []func(runstore.RunEvent) (runstore.RunEvent, error){
				func(e runstore.RunEvent) (runstore.RunEvent, error) { return e, nil }}}})
		if err != nil {
			t.Fatal(err)
		}
		defer newer.Close()
		older, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer older.Close()
		for name, began := range map[string]struct {
			by      *sqlite.Store // whose
			request string
		}{
			"request": {older.Tenant("request"),
				`{"v":2,"task":{"words":"of a kind that is not known"},"agent":{"name":"a"}}`},
			"log": {newer.Tenant("log"), `{"v":1,"task":"t","agent":{"name":"a"}}`},
		} {
			run, err := began.by.CreateRun(t.Context(), runstore.NewRun{
				Agent: "a", Task: "t", Request: json.RawMessage(began.request)})
			if err != nil {
				t.Fatal(err)
			}
			x := job.NewExecutor(job.ExecutorOptions{Runs: older.Tenant(name),
				Build: func(context.Context, job.Definition, job.Ties) (job.Agent, error) {
					t.Errorf("%s: its agent is made", name)
					return nil, context.Canceled
				}})
			ctx, end := context.WithTimeout(t.Context(), 3*time.Hour)
			x.Serve(ctx)
			end()
			got, err := older.Tenant(name).Run(t.Context(), run.ID)
			if err != nil || got.State != runstore.RunResearching || got.Executor != "" || got.Token < 36 ||
				got.Token > 37 {
				t.Errorf("%s: after three hours it is %+v (%v)", name, got, err)
			}
			if !strings.Contains(got.Detail, "newer citewell") && !strings.Contains(got.Detail, "version 2") {
				t.Errorf("%s: it says %q", name, got.Detail)
			}
			if _, err := x.Execute(t.Context(), run.ID); citewell.CodeOf(err) != citewell.CodeStoreFailed {
				t.Errorf("%s: who asks for it hears %v", name, err)
			}
			if lease, ok, err := began.by.AcquireNext(t.Context(), "newer", time.Minute); !ok || lease.Run != run.ID {
				t.Errorf("%s: a newer one has %+v, %v", name, lease, err)
			}
		}
	})
}
