// Package deadline limits the reading of a page by the work that it takes and by the time that its caller has.
//
// Units: a limit is processor time if the system reports it, otherwise elapsed time; a parser gets 1 KiB at a time, a
// walk looks at its context every 256 nodes.
// Errors: ErrCut, which extract turns into extraction_timeout or canceled.
// Concurrency: BoundWork belongs to one goroutine, a Watch to one walk.
package deadline

import (
	"context"
	"errors"
	"io"
)

// ErrCut is what the readers end with when the deadline is over while they work.
var ErrCut = errors.New("cut by the deadline")

// LongerHint says what helps against the deadline of a page.
func LongerHint(own bool) string {
	if own {
		return "split it into smaller files"
	}
	return "raise brief.deadlines.extract"
}

// Reader reads r until ctx is over.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &stoppable{ctx, r} }

// stoppable ends a parse when ctx is over. It gives little at a time, for a parser asks for more after a long tag.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

// Step is how many bytes a Reader gives at a time.
const Step = 1 << 10

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p[:min(len(p), Step)])
}

// A Watch tells one long walk over a page's tree when its time is over; what the walk leaves undone does not matter
// then.
type Watch struct {
	Ctx   context.Context
	steps int
	over  bool
}

// WatchSteps is how many nodes are visited between two looks at the context.
const WatchSteps = 256

// Ended says, at one step of the walk, whether its time is over.
func (w *Watch) Ended() bool {
	if w.steps++; w.steps%WatchSteps == 0 && !w.over {
		w.over = w.Ctx.Err() != nil
	}
	return w.over
}
