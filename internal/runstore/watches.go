package runstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/turns"
)

// Bounds of watches, held by every backend.
const (
	MinWatchEvery = time.Minute
	MaxWatchEvery = 366 * 24 * time.Hour
	MaxWatches    = 1000 // of a tenant
)

// A Watch is a question that is asked again and again. Each time is a round; the row says when
// the next one is due, and nothing else does.
type Watch struct {
	ID        string
	Caller    string          // whose it is, as of a run
	Request   json.RawMessage // that the store does not read; at most MaxRunRequest bytes
	Every     time.Duration   // whole milliseconds
	Rounds    int64           // that were begun
	CreatedAt time.Time       // by the store, as NextAt
	NextAt    time.Time       // when the next round is due
}

// Watches keeps watches. Who begins a round first does what it takes under a name made of the
// watch and the round, so that it can be done twice, then says so by RoundBegun: between the two
// any process may die, and another does the same again.
type Watches interface {
	// PutWatch keeps a new watch, whose first round is due at once. run_exists where it
	// is there already, quota_exceeded where WatchFits says so.
	PutWatch(ctx context.Context, w Watch) (Watch, error)
	// Watch returns a watch; not_found where there is none.
	Watch(ctx context.Context, id string) (Watch, error)
	// ListWatches returns the watches of a caller, of all where it is empty, the oldest first.
	ListWatches(ctx context.Context, caller string) ([]Watch, error)
	// DueWatches returns those whose next round is due by the store's clock, the longest due first.
	DueWatches(ctx context.Context) ([]Watch, error)
	// RoundBegun says that the round after `rounds` was begun: the next is due after Every from
	// now, however many were missed. Where somebody has said so before, nothing changes.
	RoundBegun(ctx context.Context, id string, rounds int64) (Watch, error)
	// HurryWatch makes the round after `rounds` due now. Where that was begun before, nothing changes.
	HurryWatch(ctx context.Context, id string, rounds int64) (Watch, error)
	// DeleteWatch removes a watch; its runs stay. not_found where there is none.
	DeleteWatch(ctx context.Context, id string) error
}

// Check says what of a new watch cannot be.
func (w *Watch) Check(op string) error {
	if w.ID == "" || len(w.ID) > MaxCallName {
		return fault.Invalid(op, "id must be 1 to %d bytes", MaxCallName)
	}
	if len(w.Caller) > MaxRunCaller {
		return fault.Invalid(op, "caller has %d bytes and may have %d", len(w.Caller), MaxRunCaller)
	}
	if w.Every < MinWatchEvery || w.Every > MaxWatchEvery || w.Every%time.Millisecond != 0 {
		return fault.Invalid(op, "every is %v and must be %v to %v, in whole milliseconds",
			w.Every, MinWatchEvery, MaxWatchEvery)
	}
	return checkJSON(op, "request", &w.Request, MaxRunRequest)
}

// WatchExists is the error of keeping a watch whose id another has.
func WatchExists(op string) error {
	return &citewell.Error{Code: citewell.CodeRunExists, Op: op,
		Message: "a watch with that id was added already, with another question, interval or agent",
		Hint:    "leave the id out, or choose another"}
}

// WatchFits says whether a caller who has own watches may keep one more, where its tenant has all of them: no more than
// are left free for others, but for the operator, whose caller is empty. quota_exceeded where not.
func WatchFits(op, caller string, own, all int) error {
	switch free := MaxWatches - all; {
	case free < 1:
		return TooManyWatches(op)
	case !turns.Fits(caller, int64(own), 1, int64(free)):
		return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: op,
			Message: fmt.Sprintf("this caller has %d watches, and the %d still free are for others", own, free),
			Hint:    "remove a watch that nobody reads"}
	}
	return nil
}

// TooManyWatches is the error of keeping one watch more than a tenant may have.
func TooManyWatches(op string) error {
	return &citewell.Error{Code: citewell.CodeQuotaExceeded, Op: op,
		Message: "the tenant has as many watches as it may have", Hint: "remove a watch that nobody reads"}
}
