package sqlite

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/citewell/citewell/store/internal/follow"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// followPoll is how long it may take until what another process wrote is seen.
const followPoll = 100 * time.Millisecond

// followers wakes those who follow runs. While there are any, one goroutine asks for all of them which runs have new
// events: at once after a write of this process, and every followPoll for those of others.
type followers struct {
	*follow.Hub
	reads   *sql.DB
	written chan struct{} // holds one: something was written here
	looking sync.WaitGroup
	active  bool // the goroutine runs; the Hub's to guard
}

func (f *followers) start(reads *sql.DB) {
	f.reads = reads
	f.written = make(chan struct{}, 1)
	f.Hub = follow.NewHub(func() {
		if !f.active {
			f.active = true
			f.looking.Go(f.run)
		}
	})
}

// Close ends the goroutine and wakes everybody, who then find the store closed.
func (f *followers) Close() {
	if f.Hub != nil {
		f.Hub.Close()
		f.looking.Wait()
	}
}

// wroteSome is called after a write.
func (f *followers) wroteSome() { follow.Signal(f.written) }

// run looks until nobody follows any more.
func (f *followers) run() {
	tick := time.NewTicker(followPoll)
	defer tick.Stop()
	newest := int64(-1)
	for {
		newest = f.wake(newest)
		if f.Idle(func() { f.active = false }) {
			return
		}
		select {
		case <-tick.C:
		case <-f.written:
		case <-f.Closed():
			return
		}
	}
}

// wake wakes who follows a run with events after the one that was newest, and returns the newest. The first time, and
// when it cannot tell, it wakes everybody.
func (f *followers) wake(newest int64) int64 {
	ctx := context.Background() // it asks for many
	if newest < 0 {
		if err := f.reads.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM run_event`).Scan(&newest); err != nil {
			newest = -1
		}
		f.WakeAll()
		return newest
	}
	err := sqlstore.Each(ctx, conn{f.reads}, `SELECT run, max(id) FROM run_event WHERE id > ? GROUP BY run`,
		func(scan func(...any) error) error {
			var run, id int64
			if err := scan(&run, &id); err != nil {
				return err
			}
			newest = max(newest, id)
			f.Wake(run)
			return nil
		}, newest)
	if err != nil {
		f.WakeAll()
		return -1
	}
	return newest
}
