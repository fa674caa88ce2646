// Package follow wakes those who follow the logs of runs when something is new.
//
// Flow: Hub.Join → a channel that Hub.Wake signals → Log reads on.
// Concurrency: a Hub is safe for many goroutines.
package follow

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/runstore"
)

const (
	// Look is how long it may take until it is seen that a run was deleted.
	Look = 5 * time.Second
	page = 256 // events read at once
)

// A Hub knows who follows which run, by the number of its row.
type Hub struct {
	mu      sync.Mutex
	waiting map[int64]map[chan struct{}]bool // a channel holds one
	first   func()
	closed  chan struct{}
}

// NewHub returns a Hub. It calls first, one call at a time, when somebody begins to follow a run; first must not call
// the Hub.
func NewHub(first func()) *Hub {
	return &Hub{waiting: make(map[int64]map[chan struct{}]bool), first: first, closed: make(chan struct{})}
}

// Close ends every Log with the error that its source has for a store that is closed. It may be called again.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
	default:
		close(h.closed)
	}
}

// Closed is closed by Close.
func (h *Hub) Closed() <-chan struct{} { return h.closed }

// Join has wake signalled on new events of run, perhaps once too often, until leave.
func (h *Hub) Join(run int64) (wake chan struct{}, leave func()) {
	wake = make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting[run] == nil {
		h.waiting[run] = make(map[chan struct{}]bool)
	}
	h.waiting[run][wake] = true
	select {
	case <-h.closed:
	default:
		h.first()
	}
	return wake, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if delete(h.waiting[run], wake); len(h.waiting[run]) == 0 {
			delete(h.waiting, run)
		}
	}
}

// Followed are the runs that somebody follows.
func (h *Hub) Followed() (runs []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for run := range h.waiting {
		runs = append(runs, run)
	}
	return runs
}

// Idle calls do with no Join under way, and returns true, where nobody follows a run.
func (h *Hub) Idle(do func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) > 0 {
		return false
	}
	do()
	return true
}

// Wake wakes who follows run.
func (h *Hub) Wake(run int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for wake := range h.waiting[run] {
		Signal(wake)
	}
}

// WakeAll wakes everybody.
func (h *Hub) WakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, list := range h.waiting {
		for wake := range list {
			Signal(wake)
		}
	}
}

// Signal puts something into a channel that holds one, unless it is there.
func Signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// A Source is where a log is read from.
type Source struct {
	// Find gives the number of the run's row.
	Find func(ctx context.Context) (run int64, err error)
	// Head gives whether the run has ended and the number of its newest event.
	Head func(ctx context.Context, run int64) (ended bool, seq int64, err error)
	// Page gives events after the one of number after.
	Page func(ctx context.Context, run, after int64, limit int) ([]runstore.RunEvent, error)
	// Fail gives the error that the reader is told.
	Fail   func(error) error
	Closed error // of a store that is closed
}

// Log yields the events of a run after number after and waits for more, as runstore.Runs.FollowEvents promises.
func (h *Hub) Log(ctx context.Context, after int64, from Source) iter.Seq2[runstore.RunEvent, error] {
	return func(yield func(runstore.RunEvent, error) bool) {
		fail := func(err error) {
			select {
			case <-h.closed: // whatever reading made of it
				err = from.Closed
			default:
			}
			yield(runstore.RunEvent{}, from.Fail(err))
		}
		run, err := from.Find(ctx)
		if err != nil {
			fail(err)
			return
		}
		wake, leave := h.Join(run)
		defer leave()
		look := time.NewTicker(Look)
		defer look.Stop()
		for {
			ended, seq, err := from.Head(ctx, run) // read before the events: what it says is then among those
			if err != nil {
				fail(err)
				return
			}
			for after < seq {
				events, err := from.Page(ctx, run, after, page)
				if err != nil {
					fail(err)
					return
				}
				for _, e := range events {
					if after = e.Seq; !yield(e, nil) {
						return
					}
				}
				if len(events) == 0 {
					break // deleted meanwhile
				}
			}
			if ended && after >= seq {
				return
			}
			select {
			case <-wake:
			case <-look.C:
			case <-h.closed:
				fail(from.Closed)
				return
			case <-ctx.Done():
				fail(ctx.Err())
				return
			}
		}
	}
}
