package job_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/sqlite"
)

// A full store takes nothing while it is full; leases may or may not be changed still.
type full struct {
	*sqlite.Store
	is, wholly atomic.Bool
}

func (f *full) refuses() error {
	if f.is.Load() {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Message: "the disk is full"}
	}
	return nil
}

func (f *full) AppendEvents(ctx context.Context, l runstore.Lease, events []runstore.RunEvent) ([]int64, error) {
	if err := f.refuses(); err != nil {
		return nil, err
	}
	return f.Store.AppendEvents(ctx, l, events)
}

func (f *full) WriteCalls(ctx context.Context, l runstore.Lease,
	entries []runstore.CallEntry) ([]runstore.CallRecord, error) {
	if err := f.refuses(); err != nil {
		return nil, err
	}
	return f.Store.WriteCalls(ctx, l, entries)
}

func (f *full) ChangeState(ctx context.Context, l runstore.Lease, change runstore.RunChange,
	events []runstore.RunEvent) error {
	if err := f.refuses(); err != nil {
		return err
	}
	return f.Store.ChangeState(ctx, l, change, events)
}

func (f *full) ReleaseLease(ctx context.Context, l runstore.Lease) error {
	if f.wholly.Load() {
		return f.refuses()
	}
	return f.Store.ReleaseLease(ctx, l)
}

// Who executes a run on a disk that is full hears of that at once, and not when the lease
// has run out; with room again the run goes on.
func TestAFullDisk(t *testing.T) {
	o := newOffice(t, open(t, t.TempDir()), &model{})
	o.kinds(t, o.begin(t)) // what packs and unpacks records is made at its first use, and no bubble may own it
	for _, wholly := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			f := &full{Store: db.Tenant("t")}
			m := &model{script: func(_ context.Context, n int) (agent.Reply, error) {
				if n == 1 {
					f.is.Store(true)
					f.wholly.Store(wholly)
				}
				return answers()
			}}
			x := job.NewExecutor(job.ExecutorOptions{Runs: f, Build: func(_ context.Context, d job.Definition,
				ties job.Ties) (job.Agent, error) {
				return agent.New(agent.Options{Name: d.Name, Shape: agent.ShapeToolCalling, Model: m,
					Journal: ties.Journal, Ask: ties.Ask, Tell: ties.Tell})
			}})
			o := office{job.NewDesk(f, []job.Definition{{Name: "desk"}}, x.Wake), x, f.Store}
			run, err := o.Start(t.Context(), job.Start{Task: "which lake?"})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err = x.Execute(t.Context(), run.ID)
			if code := citewell.CodeOf(err); code != citewell.CodeStoreFailed ||
				citewell.View(err).Message != "the disk is full" || time.Since(began) > time.Second {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			if kept, err := f.Run(t.Context(), run.ID); err != nil || kept.State != runstore.RunResearching ||
				kept.Executor == "" != !wholly {
				t.Errorf("%+v, %v", kept, err)
			}
			f.is.Store(false)
			if wholly {
				return // the lease is this process's for as long as it lives, or it runs out
			}
			if run, err = x.Execute(t.Context(), run.ID); err != nil || run.State != runstore.RunCompleted {
				t.Errorf("with room again: %+v, %v", run, err)
			}
		})
	}
}
