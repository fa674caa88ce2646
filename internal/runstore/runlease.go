package runstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
)

// How long a lease may be made for.
const (
	MinLeaseTTL = time.Second
	MaxLeaseTTL = time.Hour
)

// cancelPoll is how often HoldLease looks whether the run is to be cancelled.
const cancelPoll = time.Second

// RunLeases says who executes a run.
//
// A lease runs out when it is not renewed for its ttl, or as soon as the store knows that the process that holds it is
// gone. Then another may take the run over. A lease that ran out and that nobody took is still good and can be renewed:
// the fence is the token, not the clock.
type RunLeases interface {
	// AcquireRun takes up a run by its id. run_leased while another executes it, run_finished when it has ended.
	AcquireRun(ctx context.Context, id, owner string, ttl time.Duration) (Lease, error)
	// AcquireNext takes up the run whose turn it is of those that want an executor: that were not begun, whose executor
	// is gone, or that wait for an answer that has come. It is the oldest, where each counts as begun
	// RunPriority.Behind later than it was. The runs named by not are passed over. ok is false when there is none.
	AcquireNext(ctx context.Context, owner string, ttl time.Duration, not ...string) (lease Lease, ok bool, err error)
	// RenewLease makes the lease last for its ttl from now.
	RenewLease(ctx context.Context, lease Lease) (Lease, error)
	// ReleaseLease lets others take the run up at once. A lease that was lost is none to release, which is no error.
	ReleaseLease(ctx context.Context, lease Lease) error
	// CancelRequested says whether the run is to be ended. lease_lost when the lease
	// is another's, run_finished when the run has ended.
	CancelRequested(ctx context.Context, lease Lease) (bool, error)
}

// A Lease is the right to execute a run.
type Lease struct {
	Run       string
	Token     int64 // rises by 1 with each lease of the run
	Owner     string
	TTL       time.Duration
	Expires   time.Time
	TakenOver bool // from an executor that did not release it
}

// CheckLease says what of a lease to be cannot be.
func CheckLease(op, owner string, ttl time.Duration) error {
	if owner == "" || len(owner) > MaxCallName {
		return fault.Invalid(op, "owner must be 1 to %d bytes", MaxCallName)
	}
	if ttl < MinLeaseTTL || ttl > MaxLeaseTTL {
		return fault.Invalid(op, "ttl is %v and must be %v to %v", ttl, MinLeaseTTL, MaxLeaseTTL)
	}
	return nil
}

// LeaseLost is the error of writing with a lease that is another's by now.
func LeaseLost(op string, lease Lease) error {
	return &citewell.Error{Code: citewell.CodeLeaseLost, Op: op,
		Message: fmt.Sprintf("lease %d of the run was taken over or released", lease.Token),
		Hint:    "stop: nothing was written, and another executor continues the run"}
}

// RunLeased is the error of taking up a run that another executes.
func RunLeased(op, owner string) error {
	return &citewell.Error{Code: citewell.CodeRunLeased, Op: op,
		Message: fmt.Sprintf("the run is being executed by %s", owner), Hint: "follow its events, or cancel it"}
}

// ErrRunCancelled is the cause of a context that HoldLease ended because somebody asked for the run to be cancelled.
var ErrRunCancelled error = &citewell.Error{Code: citewell.CodeCanceled, Message: "the run was cancelled"}

// HoldLease renews the lease until stop is called. The context it returns ends when the run is to be cancelled (cause
// ErrRunCancelled, within a second of the request) or the lease is lost (cause lease_lost). A store that fails for a
// while costs the lease only when it could not be renewed before it ran out. Stop waits for the last renewal; it does
// not release the lease, so that the executor can write how the run ended first.
func HoldLease(ctx context.Context, leases RunLeases, lease Lease) (held context.Context, stop func()) {
	held, end := context.WithCancelCause(ctx)
	beat, quit := context.WithCancel(context.WithoutCancel(ctx)) // the lease outlives ctx until stop
	var done sync.WaitGroup
	done.Go(func() { end(keepLease(beat, leases, lease, end)) })
	return held, func() {
		quit()
		done.Wait()
	}
}

// keepLease renews until ctx ends or the lease is lost, and returns why. A request
// to cancel ends the run's work alone: the lease is kept, for writing that down.
func keepLease(ctx context.Context, leases RunLeases, lease Lease, end context.CancelCauseFunc) error {
	look := time.NewTicker(min(cancelPoll, lease.TTL/3))
	defer look.Stop()
	for renewed := time.Now(); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		cancel, err := leases.CancelRequested(ctx, lease)
		if cancel && err == nil {
			end(ErrRunCancelled)
		}
		if began := time.Now(); err == nil && began.Sub(renewed) >= lease.TTL/3 {
			if _, err = leases.RenewLease(ctx, lease); err == nil {
				renewed = began
			}
		}
		switch code := citewell.CodeOf(err); {
		case ctx.Err() != nil:
			return ctx.Err()
		case code == citewell.CodeLeaseLost, code == citewell.CodeRunFinished, code == citewell.CodeNotFound:
			return err
		case err != nil && time.Since(renewed) >= lease.TTL:
			return errors.Join(LeaseLost("store.hold_lease", lease), err)
		}
	}
}
