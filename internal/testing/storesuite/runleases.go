package storesuite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

func leaseOneExecutor(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	run := newRun(t, s)
	const many = 16
	leases := make(chan runstore.Lease, many)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			lease, err := s.AcquireRun(ctx, run.ID, fmt.Sprint("w", i), ttl)
			if err == nil {
				leases <- lease
			} else if citewell.CodeOf(err) != citewell.CodeRunLeased {
				t.Error(err)
			}
		})
	}
	group.Wait()
	close(leases)
	if len(leases) != 1 {
		t.Fatalf("%d executors have the run", len(leases))
	}
	lease := <-leases
	got := getRun(t, s, run.ID)
	if lease.Token != 1 || lease.TakenOver || got.Executor != lease.Owner || got.Token != 1 || lease.TTL != ttl ||
		!got.LeaseExpires.Equal(lease.Expires) {
		t.Errorf("lease is %+v, run is %+v", lease, got)
	}
	must(t, s.ReleaseLease(ctx, lease))
	must(t, s.ReleaseLease(ctx, lease))
	if got := getRun(t, s, run.ID); got.Executor != "" || !got.LeaseExpires.IsZero() {
		t.Errorf("after its release the run is %+v", got)
	}
	if again := acquire(t, s, run.ID); again.Token != 2 || again.TakenOver {
		t.Errorf("a lease after a release is %+v", again)
	}
	for _, bad := range []struct {
		owner string
		ttl   time.Duration
	}{{"", ttl}, {"w", 0}, {"w", -1}, {"w", runstore.MaxLeaseTTL + 1},
		{strings.Repeat("w", runstore.MaxCallName+1), ttl}} {
		_, err := s.AcquireRun(ctx, run.ID, bad.owner, bad.ttl)
		wantCode(t, err, citewell.CodeInvalidArgument)
		_, _, err = s.AcquireNext(ctx, bad.owner, bad.ttl)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	done := startRun(t, s)
	endRun(t, s, done)
	_, err := s.AcquireRun(ctx, done.Run, "w", ttl)
	wantCode(t, err, citewell.CodeRunFinished)
	must(t, s.ReleaseLease(ctx, done))
}

// leaseFence has an executor wake up after another took its run over: nothing that
// it writes is kept.
func leaseFence(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	old := startRun(t, s)
	call := runstore.Call{Kind: runstore.CallPage, Input: json.RawMessage(`1`)}
	begin(t, s, old, call)
	must(t, s.SendMessage(ctx, old.Run, runstore.RunMessage{Kind: "note"}))
	b.Pass(ttl - time.Second) // a clock that cannot be stopped goes on meanwhile
	_, err := s.AcquireRun(ctx, old.Run, "w2", ttl)
	wantCode(t, err, citewell.CodeRunLeased)
	b.Pass(time.Second)
	// it ran out, and nobody took it
	must(t, second(s.AppendEvents(ctx, old, []runstore.RunEvent{{Type: "still.mine"}})))
	lease, err := s.AcquireRun(ctx, old.Run, "w2", ttl)
	if must(t, err); !lease.TakenOver || lease.Token != old.Token+1 {
		t.Errorf("the lease taken over is %+v", lease)
	}
	before := getRun(t, s, old.Run)
	forged := lease
	forged.Token = 99
	for _, stale := range []runstore.Lease{old, forged, {Run: old.Run}} {
		for what, err := range map[string]error{
			"append": second(s.AppendEvents(ctx, stale, []runstore.RunEvent{{Type: "late"}})),
			"begin":  second(BeginCall(ctx, s, stale, runstore.Call{Kind: runstore.CallModel})),
			"again":  second(BeginCall(ctx, s, stale, call)),
			"finish": FinishCall(ctx, s, stale, call, runstore.CallResult{}),
			"state":  s.ChangeState(ctx, stale, runstore.RunChange{State: runstore.RunWaiting}, nil),
			"take":   second(s.TakeMessages(ctx, stale)),
			"renew": second(s.RenewLease(ctx, runstore.Lease{Run: stale.Run, Token: stale.Token, Owner: "w",
				TTL: ttl})),
			"cancelQ": second(s.CancelRequested(ctx, stale)),
		} {
			if citewell.CodeOf(err) != citewell.CodeLeaseLost {
				t.Errorf("%s with token %d gives %v, want lease_lost", what, stale.Token, err)
			}
		}
		must(t, s.ReleaseLease(ctx, stale)) // of nothing
	}
	if after := getRun(t, s, old.Run); after.Seq != before.Seq || after.Executor != "w2" || after.Unread != 1 ||
		after.State != before.State {
		t.Errorf("an executor that lost its lease changed the run from %+v to %+v", before, after)
	}
	must(t, second(s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "mine"}})))
	must(t, s.ReleaseLease(ctx, lease))
	_, err = s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "late"}})
	wantCode(t, err, citewell.CodeLeaseLost)
}

func leaseRenewed(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	for range 5 {
		b.Pass(ttl / 2)
		renewed, err := s.RenewLease(ctx, lease)
		must(t, err)
		if renewed.Token != lease.Token || !renewed.Expires.After(lease.Expires) {
			t.Errorf("%+v was renewed to %+v", lease, renewed)
		}
		lease = renewed
		_, err = s.AcquireRun(ctx, lease.Run, "w2", ttl)
		wantCode(t, err, citewell.CodeRunLeased)
	}
	b.Pass(3 * ttl)
	must(t, second(s.RenewLease(ctx, lease))) // nobody took it
	_, err := s.AcquireRun(ctx, lease.Run, "w2", ttl)
	wantCode(t, err, citewell.CodeRunLeased)
}

func leaseNext(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	next := func(want string, takenOver bool) (lease runstore.Lease) {
		t.Helper()
		lease, ok, err := s.AcquireNext(ctx, "w", ttl)
		must(t, err)
		if ok != (want != "") || lease.Run != want || lease.TakenOver != takenOver {
			t.Fatalf("next is %+v, %v; want %q", lease, ok, want)
		}
		return lease
	}
	next("", false)
	var ids []string
	for range 4 {
		ids = append(ids, newRun(t, s).ID)
	}
	if _, ok, err := s.AcquireNext(ctx, "w", ttl, ids...); ok || err != nil {
		t.Errorf("one of those that are not wanted was taken up (%v)", err)
	}
	third, ok, err := s.AcquireNext(ctx, "w", ttl, ids[1], ids[0], "none")
	if err != nil || !ok || third.Run != ids[2] {
		t.Fatalf("without the first two, next is %+v, %v (%v)", third, ok, err)
	}
	must(t, s.ReleaseLease(ctx, third))
	first := next(ids[0], false)
	next(ids[1], false)
	must(t, s.ReleaseLease(ctx, first))
	first = next(ids[0], false)
	third = next(ids[2], false)
	fourth := next(ids[3], false)
	next("", false)
	must(t, s.ChangeState(ctx, third, runstore.RunChange{State: runstore.RunFailed, Outcome: runstore.RunModelFailed},
		nil))
	must(t, s.ChangeState(ctx, fourth, runstore.RunChange{State: runstore.RunResearching}, nil))
	must(t, s.ChangeState(ctx, fourth, runstore.RunChange{State: runstore.RunWaiting}, nil))
	b.Pass(ttl)
	must(t, second(s.RenewLease(ctx, first)))
	next(ids[1], true) // the third has ended, the fourth waits
	next("", false)
	must(t, s.SendMessage(ctx, ids[3], runstore.RunMessage{Kind: "answer"}))
	next(ids[3], true)
	next("", false)
}

// leaseNextMany has many executors ask for work at once: each run is given once.
func leaseNextMany(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	const runs = 60
	for range runs {
		newRun(t, s)
	}
	given := make(chan string, 10*runs)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for {
				lease, ok, err := s.AcquireNext(ctx, fmt.Sprint("w", i), ttl)
				if err != nil {
					t.Error(err)
				}
				if !ok {
					return
				}
				given <- lease.Run
			}
		})
	}
	group.Wait()
	close(given)
	seen := make(map[string]bool)
	for id := range given {
		if seen[id] {
			t.Errorf("run %s was given twice", id)
		}
		seen[id] = true
	}
	if len(seen) != runs {
		t.Errorf("%d runs were given, want %d", len(seen), runs)
	}
}

// leaseHeld tries HoldLease on a real store. How it keeps time is tried in package
// store.
func leaseHeld(t *testing.T, b RunBackend) {
	s := b.Tenant("a")
	lease := startRun(t, s)
	lease.TTL = runstore.MinLeaseTTL
	held, stop := runstore.HoldLease(t.Context(), s, lease)
	must(t, second(s.CancelRun(t.Context(), lease.Run)))
	<-held.Done()
	if cause := context.Cause(held); cause != runstore.ErrRunCancelled {
		t.Errorf("the context ended by %v, want ErrRunCancelled", cause)
	}
	must(t, s.ChangeState(t.Context(), lease, runstore.RunChange{
		State: runstore.RunCancelled, Outcome: runstore.RunOutcomeCancelled}, nil))
	stop()

	lost := startRun(t, s)
	held, stop = runstore.HoldLease(t.Context(), s, lost)
	defer stop()
	must(t, s.ReleaseLease(t.Context(), lost))
	<-held.Done()
	if cause := context.Cause(held); citewell.CodeOf(cause) != citewell.CodeLeaseLost {
		t.Errorf("the context ended by %v, want lease_lost", cause)
	}
}
