//go:build unix

package cli

import (
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/jackc/pgx/v5"
)

// TestClusterServerKilled kills PostgreSQL under workers and starts it again: they go on by
// themselves, and no run is lost.
func TestClusterServerKilled(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	bought, harm := each(8, 3)
	c := newCluster(t, server.Database(t), bought)
	c.begin(t, 6)
	c.worker(t, "citewell.yaml")
	c.worker(t, "citewell.yaml")
	kills := 0
	c.harmed(t, harm, func() {
		server.Kill()
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}
		kills++
	})
	if kills == 0 {
		t.Error("the server was not killed")
	}
	c.end(t)
	c.check(t)
}

// TestClusterLostCommits loses a worker's connection around commits, before the server hears of
// one and after it did it: nobody else takes the runs up, and nothing is done twice.
func TestClusterLostCommits(t *testing.T) {
	url := pgtest.URL(t)
	cutter := pgtest.StartCutter(t, url)
	cuts := 0
	c := newCluster(t, url, func(now int64) {
		if at := []pgtest.Cut{pgtest.Before, pgtest.After}[now%2]; now%3 == 0 {
			cutter.Set(at) // that of the call's end, or whatever is committed before
			cuts++
		}
	})
	c.keepsAt(t, "cut.yaml", cutter.URL)
	c.begin(t, 4)
	c.worker(t, "cut.yaml")
	c.harmed(t, nil, nil)
	if cutter.Take(pgtest.Before) || cutter.Take(pgtest.After) || cuts < 6 {
		t.Errorf("of %d cuts the last was not made", cuts)
	}
	c.end(t)
	if takeovers, again := c.check(t); takeovers > 0 || again > 0 {
		t.Errorf("%d takeovers, %d calls bought again", takeovers, again)
	}
}

// TestClusterPaused stops a worker in the middle of a call until another has brought its run to
// the end, and has it go on: it writes nothing more.
func TestClusterPaused(t *testing.T) {
	t.Parallel()
	c := newCluster(t, pgtest.URL(t), nil)
	asked, answer := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(asked); <-answer })
	c.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if !triesOut(a) && c.bought.Add(1) == 3 {
			first()
		}
		return researcher{}.reply(n, a)
	})
	c.begin(t, 1)
	paused := startChild(t, c.home, "worker")
	waitFor(t, paused.stderr, "executing the runs of")
	<-asked
	if err := paused.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	c.worker(t, "citewell.yaml")
	c.harmed(t, nil, nil)
	before := c.kept(t)
	if err := paused.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	close(answer)
	waitFor(t, paused.stderr, "run "+c.ids[0]+": completed") // as it is by now
	drain(paused)
	c.workers = append(c.workers, paused)
	c.end(t)
	if after := c.kept(t); !reflect.DeepEqual(before, after) {
		t.Errorf("who was stopped has written:\n%+v\nwas\n%+v", after, before)
	}
	if takeovers, again := c.check(t); takeovers != 1 || again != 1 {
		t.Errorf("%d takeovers, %d calls bought again", takeovers, again)
	}
}

// kept is all that the store has of the runs.
func (c *cluster) kept(t *testing.T) (all []any) {
	t.Helper()
	for _, id := range c.ids {
		run, err := c.app.Store.Run(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := c.app.Store.Calls(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		events, err := job.AllEvents(t.Context(), c.nodes[0], id)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, run, calls, events)
	}
	return all
}

// TestClusterClocks sets the server's clock apart from the machines' and moves it while runs are
// under way: leases and order go by it, so a jump ahead costs takeovers at most, and one back nothing.
func TestClusterClocks(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	bought, harm := each(9, 4)
	c := newCluster(t, url, bought)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	jump := func(seconds string) {
		if _, err := conn.Exec(t.Context(), `CREATE OR REPLACE FUNCTION micros() RETURNS bigint LANGUAGE sql VOLATILE
			AS $$ SELECT ((extract(epoch FROM clock_timestamp()) + (`+seconds+`)) * 1000000)::bigint $$`); err != nil {
			t.Fatal(err)
		}
	}
	jump("-7200")
	c.begin(t, 6)
	c.worker(t, "citewell.yaml")
	c.worker(t, "citewell.yaml")
	jumps := []string{"3600", "-86400", "0"}
	c.harmed(t, harm, func() {
		if len(jumps) > 0 {
			jump(jumps[0])
			jumps = jumps[1:]
		}
	})
	if len(jumps) > 0 {
		t.Errorf("the clock was not set to %q", jumps)
	}
	c.end(t)
	c.check(t)
}

// TestClusterFailover kills the primary under workers and has its synchronous standby take over:
// workers that know both go on, and nothing is lost.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	primary := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true})
	url := primary.Database(t)
	standby := primary.Standby(t)
	primary.Synchronous(t)
	bought, harm := each(12, 1)
	c := newCluster(t, pgtest.Either(t, url, standby), bought)
	c.begin(t, 5)
	c.worker(t, "citewell.yaml")
	c.worker(t, "citewell.yaml")
	over := false
	c.harmed(t, harm, func() {
		if !over {
			over = true
			primary.Kill()
			standby.Promote(t)
		}
	})
	if !over {
		t.Error("there was no failover")
	}
	c.end(t)
	c.check(t)
}

// TestClusterTurns has one tenant's runs wait by the dozen before another begins two: two workers
// share their places between both, so that the two do not wait for the dozen.
func TestClusterTurns(t *testing.T) {
	t.Parallel()
	c := newCluster(t, pgtest.URL(t), nil)
	other, err := c.app.Room("other").Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked, answer := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(asked) })
	met, known := make(chan struct{}, 2), make(chan struct{})
	var holding atomic.Bool
	c.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		switch {
		case triesOut(a):
		case holding.Load():
			first()
			<-answer // until the others wait too
		default:
			select {
			case met <- struct{}{}:
			default:
			}
			<-known
		}
		return researcher{}.reply(n, a)
	})
	for range 2 {
		w := startChild(t, c.home, "worker", "--parallel", "1")
		waitFor(t, w.stderr, "executing the runs of")
		drain(w)
		c.workers = append(c.workers, w)
	}
	begin := func() (ids []string) {
		for range 2 {
			run, err := other.Start(t.Context(), job.Start{Task: larchTask})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, run.ID)
		}
		return ids
	}
	early := begin() // a run each, so that both workers know of the tenant: they look for new ones once a second
	<-met
	<-met
	close(known)
	for _, id := range early {
		lookAt(t, []job.Service{other}, id)
	}
	holding.Store(true)
	c.begin(t, 12)
	<-asked
	late := begin()
	close(answer)
	for _, id := range late {
		lookAt(t, []job.Service{other}, id)
	}
	ended := 0
	for _, id := range c.ids {
		if run, err := c.app.Store.Run(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if run.State.Ended() {
			ended++
		}
	}
	if ended > 10 { // of two workers, by turns of all, the last two are under way then
		t.Errorf("the two that came late waited for %d of 12", ended)
	}
	c.harmed(t, nil, nil)
	c.end(t)
}
