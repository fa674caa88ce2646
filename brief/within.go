package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/citewell/citewell"
)

// lastWords is how long a part whose time is over may take to say what happened.
const lastWords = 100 * time.Millisecond

// stillWriting is how long a model may be silent whose time is over and that was writing.
const stillWriting = 3 * time.Second

// whileWriting calls f as within does, but with a deadline that moves as long as f calls
// writing: then the end of ctx is the limit.
func whileWriting[T any](ctx context.Context, limit time.Duration,
	f func(ctx context.Context, writing func()) (T, error)) (T, error) {
	began, most := time.Now(), limit
	if end, ok := ctx.Deadline(); ok {
		most = max(limit, time.Until(end))
	}
	walled, over := context.WithCancel(ctx)
	defer over()
	wall := time.AfterFunc(limit, over)
	defer wall.Stop()
	found, err := within(walled, most, func(ctx context.Context) (T, error) {
		return f(ctx, func() { wall.Reset(max(limit-time.Since(began), stillWriting)) })
	})
	if err != nil && walled.Err() != nil && !errors.Is(ctx.Err(), context.Canceled) {
		err = context.DeadlineExceeded
	}
	return found, err
}

// finishing is the time that is kept for what comes after a model.
const finishing = time.Second

// untilEnd is the time that models have at most: all that ctx has, less finishing, or of less than
// that three quarters. Without a deadline it is otherwise.
func untilEnd(ctx context.Context, otherwise time.Duration) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return otherwise
	}
	left := time.Until(end)
	return left - min(finishing, left/4)
}

// patience is how long the model at i may be silent. The last one is waited for to the end where it
// is on this machine and no time is set: it costs nobody else anything.
func (w *Writer) patience(ctx context.Context, i int) time.Duration {
	limit := cmp.Or(w.o.Deadlines.Synthesis, defaultSynthesis)
	if i > 0 {
		limit /= 2
	}
	local, ok := w.o.Models[i].(interface{ OnLoopback() bool })
	if ok && local.OnLoopback() && w.o.Deadlines.Synthesis <= 0 && i == len(w.o.Models)-1 {
		return max(limit, untilEnd(ctx, limit))
	}
	return limit
}

// within calls f with a deadline that holds even when f does not heed it: then f is
// left behind, and what it brings later is dropped. A panic in f is its error.
func within[T any](ctx context.Context, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var none T
	if ctx.Err() != nil {
		return none, ctx.Err()
	}
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.err = &citewell.Error{Code: citewell.CodeInternal, Op: "brief",
					Message: "reading it went wrong; please report it", Err: fmt.Errorf("panic: %v", v)}
			}
			done <- a
		}()
		a.value, a.err = f(ctx)
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
	}
	late := time.NewTimer(lastWords)
	defer late.Stop()
	select {
	case a := <-done:
		return a.value, a.err
	case <-late.C:
		return none, ctx.Err()
	}
}
