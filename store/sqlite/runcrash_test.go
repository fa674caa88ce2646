package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/runstore"
)

// runLines reads what a child in a mode of runs says, and calls seen after each line.
func runLines(t *testing.T, lines *bufio.Scanner, seen func(
	count int, line string)) (acks []ack, buys map[string]int, errs []string) {
	t.Helper()
	buys = make(map[string]int)
	for count := 1; lines.Scan(); count++ {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "ack":
			acks = append(acks, parseAck(t, lines.Text()))
		case "buy":
			buys[rest]++
		case "err":
			errs = append(errs, rest)
		default:
			t.Errorf("child says %q", lines.Text())
		}
		seen(count, lines.Text())
	}
	return acks, buys, errs
}

func startChild(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewScanner(out)
}

// TestRunsKill kills the executors of runs at random moments, again and again, until
// all runs have ended. Their leases are for an hour: a dead process is not waited
// for. Only calls in flight at a kill are bought again.
func TestRunsKill(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if runtime.GOOS != "linux" {
		t.Skip("whether another process is gone is known on Linux only")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(5, 6))
	const runs, workers = 12, "0,1,2"
	db := openTest(t, dir)
	s := db.Tenant("t")
	for n := range runs {
		if err := (runExecutor{Store: s, say: func(string) {}}).create(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	var all []ack
	buys, kills := make(map[string]int), 0
	for ended := 0; ended < runs; {
		cmd := child(t.Context(), "work", dir, workers, 0)
		enough := 1 + random.IntN(90)
		acks, bought, errs := runLines(t, startChild(t, cmd), func(count int, _ string) {
			if count == enough {
				cmd.Process.Kill()
			}
		})
		if err := cmd.Wait(); err != nil {
			kills++
		}
		if len(errs) > 0 {
			t.Fatalf("a child fails: %q", errs)
		}
		for call, n := range bought {
			buys[call] += n
			for _, a := range all {
				if a.kind == "call" && call == fmt.Sprintf("%d %d", a.worker, a.n) {
					t.Errorf("call %s was paid again after its result was acknowledged", call)
				}
			}
		}
		all = append(all, acks...)
		checkRunAcks(t, s, all)
		counts, err := s.CountRuns(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		if counts[runstore.RunCompleted] == ended && len(acks) == 0 {
			t.Fatalf("a child did nothing while %v", counts)
		}
		ended = counts[runstore.RunCompleted]
	}
	checkGoOn(t, s, all) // nothing is left to do
	again := -runs * runSteps
	for _, n := range buys {
		again += n
	}
	if atOnce := 1 + strings.Count(workers, ","); len(buys) != runs*runSteps || again > kills*atOnce || kills == 0 {
		t.Errorf("%d calls were bought, %d of them again, in %d kills of %d executors", len(buys), again, kills, atOnce)
	}
}

// TestRunsTwoProcesses has two processes execute runs at once: each run is one's.
func TestRunsTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	var scans []*bufio.Scanner
	cmds := []*exec.Cmd{child(t.Context(), "runs", dir, "0,1,2", 0), child(t.Context(), "runs", dir, "3,4,5", 0)}
	for _, cmd := range cmds {
		scans = append(scans, startChild(t, cmd))
	}
	var all []ack
	bought := make(map[string]int)
	for i, cmd := range cmds {
		acks, buys, errs := runLines(t, scans[i], func(int, string) {})
		if err := cmd.Wait(); err != nil || len(errs) > 0 {
			t.Errorf("child %d: %v, %q", i, err, errs)
		}
		all = append(all, acks...)
		for call, n := range buys {
			bought[call] += n
		}
	}
	checkRunAcks(t, db.Tenant("t"), all)
	checkGoOn(t, db.Tenant("t"), all)
	for call, n := range bought {
		if n > 1 {
			t.Errorf("call %s was paid %d times", call, n)
		}
	}
	if len(bought) != 6*runSteps {
		t.Errorf("%d calls were bought, want %d", len(bought), 6*runSteps)
	}
}

// TestRunsFollowOther follows runs that another process executes.
func TestRunsFollowOther(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	s := db.Tenant("t")
	if err := (runExecutor{Store: s, say: func(string) {}}).create(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	done := make(chan int64)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		last := int64(0)
		for e, err := range s.FollowEvents(ctx, numberedRun(3), 0) {
			if err != nil || e.Seq != last+1 {
				t.Errorf("after event %d comes %d, %v", last, e.Seq, err)
			}
			last = e.Seq
		}
		done <- last
	}()
	cmd := child(t.Context(), "work", dir, "0", 0)
	_, _, errs := runLines(t, startChild(t, cmd), func(int, string) {})
	if err := cmd.Wait(); err != nil || len(errs) > 0 {
		t.Error(err, errs)
		cancel() // nothing more will come
	}
	run, err := s.Run(t.Context(), numberedRun(3))
	if last := <-done; err != nil || last != run.Seq || run.State != runstore.RunCompleted {
		t.Errorf("the follower saw %d events of %d of a run that is %s, %v", last, run.Seq, run.State, err)
	}
}
