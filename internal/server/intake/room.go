package intake

import (
	"context"
	"io"
	"time"

	"github.com/citewell/citewell"
	"golang.org/x/sync/semaphore"
)

// roomPatience is how long a body waits for room.
const roomPatience = 10 * time.Second

// A Room is memory that bodies share. What counts are the bytes that have come, not those
// that a client announces. When it is full one body may go beyond it to its end, so that
// bodies which are half read do not wait for each other.
type Room struct {
	free   *semaphore.Weighted
	beyond chan struct{} // full while a body goes beyond
}

// NewRoom returns a Room of so many bytes.
func NewRoom(all int64) *Room { return &Room{semaphore.NewWeighted(all), make(chan struct{}, 1)} }

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

func (c *charged) release() {
	c.room.free.Release(c.held)
	if c.beyond {
		<-c.room.beyond
	}
}

// piece bounds what is read before there is room for it.
const piece = 64 << 10

func (c *charged) Read(p []byte) (int, error) {
	n, err := c.from.Read(p[:min(len(p), piece)])
	if n == 0 || c.beyond {
		return n, err
	}
	if !c.room.free.TryAcquire(int64(n)) {
		select {
		case c.room.beyond <- struct{}{}:
			c.beyond = true
			return n, err
		default:
		}
		waits, cancel := context.WithTimeout(c.ctx, roomPatience)
		defer cancel()
		if c.room.free.Acquire(waits, int64(n)) != nil {
			return 0, &citewell.Error{Code: citewell.CodeRateLimited, RetryAfter: roomPatience, Message: "too many large requests are being read at once", Hint: "send it again in a moment"}
		}
	}
	c.held += int64(n)
	return n, err
}
