//go:build unix

package cli

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store"
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
func watch(t *testing.T, nodes []job.Service, id string) {
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

// TestCluster has three workers play runs of one PostgreSQL while they are killed, and one is
// stopped for longer than its leases last: every run is answered, nothing is bought twice but
// what was in flight, and whoever watches sees every event once.
func TestCluster(t *testing.T) {
	count, kills := clusterSize(t, "CITEWELL_CLUSTER_RUNS", 9), clusterSize(t, "CITEWELL_CLUSTER_KILLS", 3)
	const workers = 3
	l := newLab(t, researcher{})
	config := filepath.Join(l.home, "citewell.yaml")
	lines, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, config, string(lines)+fmt.Sprintf("store: {url: %q}\n", pgtest.VectorURL(t)))

	var bought atomic.Int64
	perKill := int64(max(1, 6*count/(kills+2))) // a run asks its model six times
	harm := make(chan struct{}, kills+1)
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		r := researcher{}.reply(n, a)
		if !triesOut(a) {
			if now := bought.Add(1); now%perKill == 0 {
				select {
				case harm <- struct{}{}:
				default:
				}
			}
			r.Every = 10 * time.Millisecond // it thinks
		}
		return r
	})

	a, here := l.runs(t)
	_, there := l.runs(t)
	nodes := []job.Service{here, there}
	var watching sync.WaitGroup
	ids := make([]string, count)
	for i := range ids {
		run, err := here.Start(t.Context(), job.Start{Task: larchTask})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = run.ID
		watching.Go(func() { watch(t, nodes, run.ID) })
	}
	start := func() *child {
		c := startChild(t, l.home, "worker", "--parallel", "4")
		waitFor(t, c.stderr, "executing the runs of")
		go io.Copy(io.Discard, c.stderr)
		return c
	}
	serves := startChild(t, l.home, "serve", "--listen", "127.0.0.1:0", "--no-execute")
	waitFor(t, serves.stderr, "executed by citewell worker")
	waitFor(t, serves.stderr, "listening on")
	var alive []*child
	for range workers {
		alive = append(alive, start())
	}
	over := make(chan struct{})
	go func() { watching.Wait(); close(over) }()
	var stopped *child
	killed := 0
	for done := false; !done; {
		select {
		case <-harm:
			if killed == kills {
				continue
			}
			i := rand.IntN(len(alive))
			if stopped == nil { // the first is stopped until all is over
				stopped = alive[i]
				if err := stopped.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
			} else {
				if err := alive[i].Process.Kill(); err != nil {
					t.Fatal(err)
				}
				alive[i].Wait()
				killed++
			}
			alive[i] = start()
		case <-over:
			done = true
		case <-time.After(lifetime):
			t.Fatalf("nothing more happens after %d kills and %d calls", killed, bought.Load())
		}
	}
	if stopped == nil || killed == 0 {
		t.Fatalf("nobody was stopped, or of %d none was killed", killed)
	}
	// Who was stopped finds that its runs are others', and ends as it is told to.
	if err := stopped.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	for _, c := range append(alive, stopped, serves) {
		c.Process.Signal(syscall.SIGTERM)
		if err := c.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
	checkCluster(t, a, here, ids, bought.Load(), killed)
	for _, id := range ids {
		events, err := job.AllEvents(t.Context(), here, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Type == store.EventAcquired && strings.Contains(string(e.Data), fmt.Sprintf("/%d/", serves.Process.Pid)) {
				t.Errorf("the server that is to execute nothing took run %s up", id)
			}
		}
	}
}

// checkCluster holds what the runs came to and their journals against what was bought.
func checkCluster(t *testing.T, a *app.App, runs job.Service, ids []string, bought int64, killed int) {
	var known, again, takeovers int64
	for _, id := range ids {
		status, err := runs.Status(t.Context(), id)
		if err != nil || status.State != store.RunCompleted || status.Outcome != store.RunAnswered {
			t.Errorf("run %s is lost: %s %s (%v)", id, status.State, status.Detail, err)
		}
		taken := status.Token - 1
		takeovers += taken
		calls, err := a.Store.Calls(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			if c.Kind != store.CallModel {
				continue
			}
			known += int64(c.Attempts)
			again += int64(c.Attempts - 1)
			if int64(c.Attempts) > 1+taken {
				t.Errorf("run %s changed hands %d times and bought a call %d times", id, taken, c.Attempts)
			}
		}
	}
	if bought > known {
		t.Errorf("%d calls were bought and the journals know of %d", bought, known)
	}
	if again > takeovers {
		t.Errorf("%d calls were bought again in %d takeovers: more than were in flight", again, takeovers)
	}
	t.Logf("%d runs, %d kills and a stop, %d takeovers: %d calls bought, %d of them again", len(ids), killed, takeovers, bought, again)
}
