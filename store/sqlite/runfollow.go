package sqlite

import (
	"context"
	"database/sql"
	"iter"
	"sync"
	"time"

	"github.com/citewell/citewell/store"
)

const (
	followPoll = 100 * time.Millisecond // until what another process wrote is seen
	followLook = 5 * time.Second        // until it is seen that a run was deleted
	followPage = 256                    // events read at once
)

// followers wakes those who follow runs. While there are any, one goroutine asks for
// all of them which runs have new events: at once after a write of this process, and
// every followPoll for those of others. The question is one step in a tree when
// nothing is new.
type followers struct {
	reads   *sql.DB
	written chan struct{} // holds one: something was written here
	closing chan struct{}
	looking sync.WaitGroup

	mu      sync.Mutex
	waiting map[int64]map[chan struct{}]bool // by row of run; a channel holds one
	active  bool                             // the goroutine runs
	closed  bool
}

func (f *followers) start(reads *sql.DB) {
	f.reads = reads
	f.written, f.closing = make(chan struct{}, 1), make(chan struct{})
	f.waiting = make(map[int64]map[chan struct{}]bool)
}

// Close ends the goroutine and wakes everybody, who then find the store closed.
func (f *followers) Close() {
	f.mu.Lock()
	if f.closing == nil || f.closed {
		f.mu.Unlock()
		return
	}
	f.closed = true
	close(f.closing)
	f.mu.Unlock()
	f.looking.Wait()
}

// look is called after a write.
func (f *followers) look() {
	select {
	case f.written <- struct{}{}:
	default:
	}
}

// join has wake called on new events of run, perhaps once too often, until leave.
func (f *followers) join(run int64) (wake chan struct{}, leave func()) {
	wake = make(chan struct{}, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting[run] == nil {
		f.waiting[run] = make(map[chan struct{}]bool)
	}
	f.waiting[run][wake] = true
	if !f.active && !f.closed {
		f.active = true
		f.looking.Go(f.run)
	}
	return wake, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if delete(f.waiting[run], wake); len(f.waiting[run]) == 0 {
			delete(f.waiting, run)
		}
	}
}

// run looks until nobody follows any more.
func (f *followers) run() {
	tick := time.NewTicker(followPoll)
	defer tick.Stop()
	newest := int64(-1)
	for {
		newest = f.wake(newest)
		f.mu.Lock()
		if len(f.waiting) == 0 || f.closed {
			f.active = false
			f.mu.Unlock()
			return
		}
		f.mu.Unlock()
		select {
		case <-tick.C:
		case <-f.written:
		case <-f.closing:
		}
	}
}

// wake wakes who follows a run with events after the one that was newest, and
// returns the newest. The first time, and when it cannot tell, it wakes everybody.
func (f *followers) wake(newest int64) int64 {
	ctx := context.Background() // it asks for many
	if newest < 0 {
		if err := f.reads.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM run_event`).Scan(&newest); err != nil {
			newest = -1
		}
		f.wakeAll()
		return newest
	}
	err := each(ctx, f.reads, `SELECT run, max(id) FROM run_event WHERE id > ? GROUP BY run`, func(scan func(...any) error) error {
		var run, id int64
		if err := scan(&run, &id); err != nil {
			return err
		}
		newest = max(newest, id)
		f.mu.Lock()
		defer f.mu.Unlock()
		for wake := range f.waiting[run] {
			signal(wake)
		}
		return nil
	}, newest)
	if err != nil {
		f.wakeAll()
		return -1
	}
	return newest
}

func (f *followers) wakeAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, list := range f.waiting {
		for wake := range list {
			signal(wake)
		}
	}
}

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// FollowEvents implements store.Runs.
func (s *Store) FollowEvents(ctx context.Context, id string, after int64) iter.Seq2[store.RunEvent, error] {
	const op = "store.follow_events"
	return func(yield func(store.RunEvent, error) bool) {
		fail := func(err error) {
			select {
			case <-s.db.followers.closing: // whatever reading made of it
				err = errClosed
			default:
			}
			yield(store.RunEvent{}, storeError(op, err))
		}
		if _, err := store.CheckEventPage(op, after, 0); err != nil {
			fail(err)
			return
		}
		run, err := s.runID(ctx, s.db.reads, op, id)
		if err != nil {
			fail(err)
			return
		}
		wake, leave := s.db.followers.join(run)
		defer leave()
		look := time.NewTicker(followLook)
		defer look.Stop()
		for {
			var ended, seq int64 // read before the events: what they say is then among those
			err := s.db.reads.QueryRowContext(ctx, `SELECT ended_at, seq FROM run WHERE id = ?`, run).Scan(&ended, &seq)
			if err == sql.ErrNoRows {
				err = unknownRun(op)
			}
			if err != nil {
				fail(err)
				return
			}
			for after < seq {
				events, err := s.readEvents(ctx, op, run, id, after, followPage)
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
			if ended != 0 && after >= seq {
				return
			}
			select {
			case <-wake:
			case <-look.C:
			case <-s.db.followers.closing:
				fail(errClosed)
				return
			case <-ctx.Done():
				fail(ctx.Err())
				return
			}
		}
	}
}
