package runstore_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// fakeLeases keeps one lease and the times at which it was renewed.
type fakeLeases struct {
	runstore.RunLeases
	mu      sync.Mutex
	began   time.Time
	renewed []time.Duration
	cancel  bool
	err     error // of every call
}

func (f *fakeLeases) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// times are those of the renewals until now.
func (f *fakeLeases) times() []time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.renewed)
}

func (f *fakeLeases) CancelRequested(context.Context, runstore.Lease) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cancel, f.err
}

func (f *fakeLeases) RenewLease(_ context.Context, lease runstore.Lease) (runstore.Lease, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.renewed = append(f.renewed, time.Since(f.began))
	}
	return lease, f.err
}

var lease = runstore.Lease{Run: "r", Token: 1, Owner: "w", TTL: 30 * time.Second}

// hold runs do with a lease that is held, in a bubble.
func hold(t *testing.T, do func(ctx context.Context, leases *fakeLeases, held context.Context, stop func())) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		leases := &fakeLeases{began: time.Now()}
		held, stop := runstore.HoldLease(ctx, leases, lease)
		do(ctx, leases, held, stop)
		stop()
		if held.Err() == nil {
			t.Error("the context goes on after stop")
		}
		count := len(leases.times())
		if time.Sleep(time.Hour); len(leases.times()) != count {
			t.Error("the lease is renewed after stop")
		}
	})
}

func TestHoldLeaseRenews(t *testing.T) {
	hold(t, func(_ context.Context, leases *fakeLeases, held context.Context, _ func()) {
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		last := time.Duration(0)
		for _, at := range leases.times() {
			if at-last > lease.TTL/2 {
				t.Errorf("renewed at %v and then at %v", last, at)
			}
			last = at
		}
		if held.Err() != nil || len(leases.times()) < 20 || len(leases.times()) > 70 {
			t.Errorf("renewed %d times in 10 minutes; the context: %v", len(leases.times()), held.Err())
		}
	})
}

// TestHoldLeaseCancels is told within 2 s, and keeps the lease for writing the end.
func TestHoldLeaseCancels(t *testing.T) {
	hold(t, func(_ context.Context, leases *fakeLeases, held context.Context, _ func()) {
		time.Sleep(12345 * time.Millisecond)
		leases.set(func() { leases.cancel = true })
		asked := time.Now()
		<-held.Done()
		if took := time.Since(asked); took > 2*time.Second || context.Cause(held) != runstore.ErrRunCancelled {
			t.Errorf("cancelled after %v with %v", took, context.Cause(held))
		}
		before := len(leases.times())
		time.Sleep(time.Minute)
		if len(leases.times()) < before+2 {
			t.Error("the lease is not renewed while the run winds down")
		}
	})
}

func TestHoldLeaseLost(t *testing.T) {
	for _, code := range []citewell.Code{citewell.CodeLeaseLost, citewell.CodeRunFinished, citewell.CodeNotFound} {
		hold(t, func(_ context.Context, leases *fakeLeases, held context.Context, _ func()) {
			leases.set(func() { leases.err = &citewell.Error{Code: code} })
			began := time.Now()
			<-held.Done()
			if took := time.Since(began); took > 2*time.Second || citewell.CodeOf(context.Cause(held)) != code {
				t.Errorf("%s: ended after %v with %v", code, took, context.Cause(held))
			}
		})
	}
}

// TestHoldLeaseStoreFails has a store fail for a while, and then for longer than the
// lease lasts.
func TestHoldLeaseStoreFails(t *testing.T) {
	hold(t, func(_ context.Context, leases *fakeLeases, held context.Context, _ func()) {
		fail := func(err error) { leases.set(func() { leases.err = err }) }
		fail(&citewell.Error{Code: citewell.CodeStoreFailed})
		time.Sleep(20 * time.Second)
		fail(nil)
		time.Sleep(time.Minute)
		if held.Err() != nil {
			t.Fatalf("20 s without a store cost a lease of 30 s: %v", context.Cause(held))
		}
		fail(&citewell.Error{Code: citewell.CodeStoreFailed})
		began := time.Now()
		<-held.Done()
		if took := time.Since(began); took > lease.TTL+2*time.Second ||
			citewell.CodeOf(context.Cause(held)) != citewell.CodeLeaseLost {
			t.Errorf("ended after %v with %v", took, context.Cause(held))
		}
	})
}

// TestHoldLeaseOutlivesCaller keeps the lease when the caller's context ends, until
// stop: what the run is at has to be written down.
func TestHoldLeaseOutlivesCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		leases := &fakeLeases{began: time.Now()}
		held, stop := runstore.HoldLease(ctx, leases, lease)
		defer stop()
		cancel()
		<-held.Done()
		time.Sleep(time.Minute)
		if synctest.Wait(); len(leases.times()) < 3 {
			t.Errorf("renewed %d times in the minute after", len(leases.times()))
		}
	})
}
