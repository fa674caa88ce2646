//go:build unix

package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// clusterSize is what an environment variable says, for make test-cluster, or a few.
func clusterSize(t *testing.T, name string, few int) int {
	t.Helper()
	given := os.Getenv(name)
	if given == "" {
		return few
	}
	n, err := strconv.Atoi(given)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// watch follows a run and goes to another node after a few events, as a client does whose
// connection is lost.
func lookAt(t *testing.T, nodes []job.Service, id string) {
	const few = 4
	seen := int64(0)
	for n := 0; ; n++ {
		took, ended := 0, true
		for e, err := range nodes[n%len(nodes)].Follow(t.Context(), id, seen) {
			if err != nil {
				t.Errorf("run %s: %v", id, err)
				return
			}
			if e.Seq != seen+1 {
				t.Errorf("run %s: event %d comes after %d", id, e.Seq, seen)
			}
			seen = e.Seq
			if took++; took == few {
				ended = false
				break
			}
		}
		if ended {
			return
		}
	}
}

// A cluster is a lab whose store is a PostgreSQL that processes of their own work on.
type cluster struct {
	*lab
	app      *app.App
	nodes    []job.Service // of this process, two of them
	bought   atomic.Int64  // calls of the model
	ids      []string
	watching sync.WaitGroup
	workers  []*child
}

// newCluster makes a cluster of the database that a URL names. bought hears of each call that
// the model is asked for, before it answers, which takes it a while; nil hears nothing.
func newCluster(t *testing.T, url string, bought func(now int64)) *cluster {
	t.Helper()
	c := &cluster{lab: newLab(t, researcher{})}
	c.keepsAt(t, "citewell.yaml", url)
	c.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		r := researcher{}.reply(n, a)
		if !triesOut(a) {
			if now := c.bought.Add(1); bought != nil {
				bought(now)
			}
			r.Every = 10 * time.Millisecond // it thinks
		}
		return r
	})
	var here, there *app.Runs
	c.app, here = c.runs(t)
	_, there = c.runs(t)
	c.nodes = []job.Service{here, there}
	return c
}

// keepsAt writes a configuration of the lab that keeps everything in a database.
func (c *cluster) keepsAt(t *testing.T, name, url string) {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(c.home, "citewell.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plain, _, _ := strings.Cut(string(lines), "store:")
	write(t, filepath.Join(c.home, name), plain+fmt.Sprintf("store: {url: %q}\n", url))
}

// begin begins runs, each with somebody who watches it.
func (c *cluster) begin(t *testing.T, count int) {
	t.Helper()
	for range count {
		run, err := c.nodes[0].Start(t.Context(), job.Start{Task: larchTask})
		if err != nil {
			t.Fatal(err)
		}
		c.ids = append(c.ids, run.ID)
		c.watching.Go(func() { lookAt(t, c.nodes, run.ID) })
	}
}

// worker starts a worker with the configuration of a name.
func (c *cluster) worker(t *testing.T, config string) *child {
	t.Helper()
	w := startChild(t, c.home, "worker", "--parallel", "4", "--config", config)
	waitFor(t, w.stderr, "executing the runs of")
	drain(w)
	c.workers = append(c.workers, w)
	return w
}

// drain reads what a process says from now on, which would wait else.
func drain(c *child) { go io.Copy(io.Discard, c.stderr) }

// over is closed when whoever watches has seen the end.
func (c *cluster) over() chan struct{} {
	over := make(chan struct{})
	go func() { c.watching.Wait(); close(over) }()
	return over
}

// harmed does harm each time that it is told to, until all runs are over.
func (c *cluster) harmed(t *testing.T, told <-chan struct{}, harm func()) {
	t.Helper()
	for over := c.over(); ; {
		select {
		case <-told:
			harm()
		case <-over:
			return
		case <-time.After(lifetime):
			t.Fatalf("nothing more happens after %d calls", c.bought.Load())
		}
	}
}

// end has the workers end as they are told to.
func (c *cluster) end(t *testing.T) {
	t.Helper()
	for _, w := range c.workers {
		w.Process.Signal(syscall.SIGTERM)
		if err := w.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
}

// each is told when so many more calls were bought, as often as most says.
func each(calls int64, most int) (bought func(now int64), told chan struct{}) {
	told = make(chan struct{}, most)
	return func(now int64) {
		if now%calls == 0 {
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}, told
}

// TestCluster has three workers play runs of one PostgreSQL while they are killed, and one is
// stopped for longer than its leases last: every run is answered, nothing is bought twice but
// what was in flight, and whoever watches sees every event once.
func TestCluster(t *testing.T) {
	count, kills := clusterSize(t, "CITEWELL_CLUSTER_RUNS", 9), clusterSize(t, "CITEWELL_CLUSTER_KILLS", 3)
	const workers = 3
	bought, harm := each(int64(max(1, 6*count/(kills+2))), kills+1) // a run asks its model six times
	c := newCluster(t, pgtest.VectorURL(t), bought)
	c.begin(t, count)
	serves := startChild(t, c.home, "serve", "--listen", "127.0.0.1:0", "--no-execute")
	waitFor(t, serves.stderr, "executed by citewell worker")
	waitFor(t, serves.stderr, "listening on")
	for range workers {
		c.worker(t, "citewell.yaml")
	}
	var stopped *child
	killed := 0
	c.harmed(t, harm, func() {
		if killed == kills {
			return
		}
		i := rand.IntN(len(c.workers))
		hit := c.workers[i]
		if stopped == nil { // the first is stopped until all is over
			stopped = hit
			if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		} else {
			if err := hit.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			hit.Wait()
			killed++
		}
		c.workers = slices.Delete(c.workers, i, i+1)
		c.worker(t, "citewell.yaml")
	})
	if stopped == nil || killed == 0 {
		t.Fatalf("nobody was stopped, or of %d none was killed", killed)
	}
	// Who was stopped finds that its runs are others', and ends as it is told to.
	if err := stopped.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c.workers = append(c.workers, stopped, serves)
	c.end(t)
	takeovers, _ := c.check(t)
	t.Logf("%d kills and a stop, %d takeovers", killed, takeovers)
	for _, id := range c.ids {
		events, err := job.AllEvents(t.Context(), c.nodes[0], id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == runstore.EventAcquired && strings.Contains(string(e.Data),
				fmt.Sprintf("/%d/", serves.Process.Pid)) {
				t.Errorf("the server that is to execute nothing took run %s up", id)
			}
		}
	}
}

// check holds what the runs came to and their journals against what was bought.
func (c *cluster) check(t *testing.T) (takeovers, again int64) {
	t.Helper()
	var known int64
	for _, id := range c.ids {
		status, err := c.nodes[0].Status(t.Context(), id)
		if err != nil || status.State != runstore.RunCompleted || status.Outcome != runstore.RunAnswered {
			t.Errorf("run %s is lost: %s %s (%v)", id, status.State, status.Detail, err)
		}
		taken := status.Token - 1
		takeovers += taken
		calls, err := c.app.Store.Calls(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			if call.Kind != runstore.CallModel {
				continue
			}
			known += int64(call.Attempts)
			again += int64(call.Attempts - 1)
			if int64(call.Attempts) > 1+taken {
				t.Errorf("run %s changed hands %d times and bought a call %d times", id, taken, call.Attempts)
			}
		}
	}
	if bought := c.bought.Load(); bought > known {
		t.Errorf("%d calls were bought and the journals know of %d", bought, known)
	}
	if again > takeovers {
		t.Errorf("%d calls were bought again in %d takeovers: more than were in flight", again, takeovers)
	}
	t.Logf("%d runs: %d calls bought, %d of them again", len(c.ids), c.bought.Load(), again)
	return takeovers, again
}
