package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
)

// putOff runs do in a bubble, with an office whose model answers at once and a worker
// that serves and can make no agent until able says so. It gives the times at which that
// worker tried.
func putOff(t *testing.T, able func() bool, do func(t *testing.T, o office, tried func() []time.Duration)) (log string) {
	var lines bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		m := &model{script: func(context.Context, int) (agent.Reply, error) { return answers() }}
		o := newOffice(t, db.Tenant("t"), m)
		began := time.Now()
		var mu sync.Mutex
		var times []time.Duration
		lacking := job.NewExecutor(job.ExecutorOptions{Runs: o.db, Log: slog.New(slog.NewTextHandler(&lines, nil)), Build: func(_ context.Context, d job.Definition, ties job.Ties) (*agent.Agent, error) {
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(began))
			if !able() {
				return nil, &citewell.Error{Code: citewell.CodeProviderNotConfigured, Message: "there is no such provider here"}
			}
			return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m, Journal: ties.Journal, Ask: ties.Ask, Tell: ties.Tell})
		}})
		ctx, end := context.WithCancel(t.Context())
		var served sync.WaitGroup
		served.Go(func() { lacking.Serve(ctx) })
		defer served.Wait()
		defer end()
		do(t, o, func() []time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(times)
		})
	})
	return lines.String()
}

// ended follows a run to its end.
func (o office) ended(t *testing.T, id string) store.Run {
	t.Helper()
	for _, err := range o.Follow(t.Context(), id, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	run, err := o.db.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// A run whose agent nobody can make is tried again after pauses that grow, with nobody
// holding it in between, and ends after an hour.
func TestARunIsPutOff(t *testing.T) {
	log := putOff(t, func() bool { return false }, func(t *testing.T, o office, tried func() []time.Duration) {
		id := o.begin(t)
		time.Sleep(time.Minute)
		status, err := o.Status(t.Context(), id)
		if err != nil || status.State != store.RunResearching || status.Executor != "" || !strings.HasSuffix(status.Detail, "could not: there is no such provider here") {
			t.Errorf("a minute later: %+v, %v", status, err)
		}
		run := o.ended(t, id)
		if run.State != store.RunError || run.Detail != "for 1h0m0s nobody could make its agent: there is no such provider here" {
			t.Errorf("%+v", run)
		}
		times := tried()
		if last := times[len(times)-1] - times[0]; len(times) < 15 || last < time.Hour || last > 66*time.Minute {
			t.Fatalf("it was tried %d times, at %v", len(times), times)
		}
		for i, pause := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300, 300} {
			if waited := times[i+1] - times[i]; waited < pause*time.Second || waited > pause*time.Second+time.Second {
				t.Errorf("try %d came after %v, want %v s", i+2, waited, int(pause))
			}
		}
		if kinds := o.kinds(t, id); !strings.HasPrefix(kinds, "run.created run.acquired run.state put_off run.state run.acquired run.state put_off run.state") {
			t.Errorf("the log has %s", kinds)
		}
		if _, err := o.Result(t.Context(), id); err != nil {
			t.Error(err)
		}
	})
	if strings.Count(log, "the run is put off") < 15 || !strings.Contains(log, `why="there is no such provider here" times=9 again_in=5m0s`) {
		t.Errorf("the log says %s", log)
	}
}

// What one executor cannot do another does at once, and the first goes on with it when
// what was missing is there; a run that went on in between has its hour again.
func TestAPutOffRunGoesOn(t *testing.T) {
	var able atomic.Bool
	putOff(t, able.Load, func(t *testing.T, o office, tried func() []time.Duration) {
		id := o.begin(t)
		time.Sleep(50 * time.Minute)
		began := time.Now()
		ctx, end := context.WithCancel(t.Context())
		var served sync.WaitGroup
		served.Go(func() { o.x.Serve(ctx) })
		if run := o.ended(t, id); run.State != store.RunCompleted || run.Detail != "" || time.Since(began) > time.Second {
			t.Errorf("another executor, after %v: %+v", time.Since(began), run)
		}
		end()
		served.Wait()

		before := len(tried())
		id = o.begin(t)
		time.Sleep(30 * time.Minute)
		lease, err := o.db.AcquireRun(t.Context(), id, "able", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.db.AppendEvents(t.Context(), lease, []store.RunEvent{{Type: "call", Data: json.RawMessage(`{}`)}}); err != nil {
			t.Fatal(err)
		}
		if err := o.db.ReleaseLease(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Minute)
		if run, err := o.db.Run(t.Context(), id); err != nil || run.State != store.RunResearching || len(tried()) < before+15 {
			t.Errorf("within the hour since it was gone on with, after %d tries: %+v, %v", len(tried())-before, run, err)
		}
		able.Store(true)
		if run := o.ended(t, id); run.State != store.RunCompleted {
			t.Errorf("with what was missing: %+v", run)
		}
	})
}
