package intake

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/turns"
)

// roomPatience is how long a body waits for room.
const roomPatience = 10 * time.Second

// A Room is memory that bodies share. What counts are the bytes that have come, not those that a client announces. A
// caller holds at most as much as is left free. When there is none one body may go beyond it to its end, so that bodies
// which are half read do not wait for each other.
type Room struct {
	mu     sync.Mutex
	free   int64
	by     map[string]int64 // what callers hold
	beyond bool             // a body goes beyond
	change chan struct{}    // closed when there may be room again
}

// NewRoom returns a Room of so many bytes.
func NewRoom(all int64) *Room {
	return &Room{free: all, by: map[string]int64{}, change: make(chan struct{})}
}

// take takes n bytes, or leave to go beyond the room; else it gives what tells of a change.
func (r *Room) take(caller string, n int64) (taken, beyond bool, change <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case turns.Fits(caller, r.by[caller], n, r.free):
		r.free -= n
		r.by[caller] += n
		return true, false, nil
	case !r.beyond:
		r.beyond = true
		return true, true, nil
	}
	return false, false, r.change
}

// giveBack ends what a body held.
func (r *Room) giveBack(caller string, held int64, beyond bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += held
	if r.by[caller] -= held; r.by[caller] == 0 {
		delete(r.by, caller)
	}
	r.beyond = r.beyond && !beyond
	close(r.change)
	r.change = make(chan struct{})
}

// Read reads from to its end. What it read counts until release is called, which it must be
// where there is no error. rate_limited where there was no room in time.
func (r *Room) Read(ctx context.Context, from io.Reader) (body []byte, release func(), err error) {
	c := &charged{ctx: ctx, from: from, room: r}
	if body, err = io.ReadAll(c); err != nil {
		c.release()
		return nil, nil, err
	}
	return body, c.release, nil
}

// A charged reader takes room for what it has read.
type charged struct {
	ctx    context.Context // of the one Read that it serves
	from   io.Reader
	room   *Room
	held   int64
	beyond bool
}

func (c *charged) release() { c.room.giveBack(turns.Caller(c.ctx), c.held, c.beyond) }

// piece bounds what is read before there is room for it.
const piece = 64 << 10

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.from.Read(p[:min(len(p), piece)])
	if n == 0 || c.beyond {
		return n, err
	}
	if c.waitFor(int64(n)) != nil {
		return 0, &citewell.Error{Code: citewell.CodeRateLimited, RetryAfter: roomPatience,
			Message: "too many large requests are being read at once", Hint: "send it again in a moment"}
	}
	return n, err
}

// waitFor waits for room for n bytes, or for the leave to go beyond it.
func (c *charged) waitFor(n int64) error {
	waits, cancel := context.WithTimeout(c.ctx, roomPatience)
	defer cancel()
	for {
		taken, beyond, change := c.room.take(turns.Caller(c.ctx), n)
		switch {
		case beyond:
			c.beyond = true
			return nil
		case taken:
			c.held += n
			return nil
		}
		select {
		case <-change:
		case <-waits.Done():
			return waits.Err()
		}
	}
}
