//go:build unix

package sqlite

import (
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// TestRunsStalled stops an executor for longer than its lease and lets another take
// the run over: when the first wakes up, nothing it writes is kept. It is stopped
// between two writes: within one it would keep the store locked while it sleeps.
func TestRunsStalled(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	s, ctx := db.Tenant("t"), t.Context()
	const last = "ack 7 1 event" // before it is stopped
	cmd := child(ctx, "runs", dir, "7", 0)
	cmd.Env = append(cmd.Env, childTTL+"="+runstore.MinLeaseTTL.String(), childWaits+"="+last)
	goOn, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var acks []ack
	var lease runstore.Lease
	acks, _, errs := runLines(t, startChild(t, cmd), func(_ int, line string) {
		if line != last {
			return
		}
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		// a living process keeps its lease until it runs out
		for wait := time.NewTicker(50 * time.Millisecond); ; <-wait.C {
			var err error
			if lease, err = s.AcquireRun(ctx, numberedRun(7), "successor", runstore.MaxLeaseTTL); err == nil {
				wait.Stop()
				break
			} else if citewell.CodeOf(err) != citewell.CodeRunLeased {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := goOn.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if err := cmd.Wait(); err != nil || len(errs) != 1 || errs[0] != "7 lease_lost" || !lease.TakenOver {
		t.Errorf("the executor ended with %v and says %q; the lease is %+v", err, errs, lease)
	}
	if err := s.ReleaseLease(ctx, lease); err != nil {
		t.Fatal(err)
	}
	checkRunAcks(t, s, acks)
	checkGoOn(t, s, acks)
}
