package brief

import (
	"context"
	"fmt"
	"time"

	"github.com/citewell/citewell"
)

// lastWords is how long a part whose time is over may take to say what happened.
const lastWords = 100 * time.Millisecond

// stillWriting is how long a model may be silent whose time is over and that was writing.
const stillWriting = 3 * time.Second

// whileWriting calls f as within does, but with a deadline that moves as long as f calls
// writing: then the end of ctx less finishing is the limit.
func whileWriting[T any](ctx context.Context, limit time.Duration, f func(ctx context.Context, writing func()) (T, error)) (T, error) {
	began, most := time.Now(), limit
	if end, ok := ctx.Deadline(); ok {
		most = max(limit, time.Until(end)-finishing)
	}
	walled, over := context.WithCancel(ctx)
	defer over()
	wall := time.AfterFunc(limit, over)
	defer wall.Stop()
	found, err := within(walled, most, func(ctx context.Context) (T, error) {
		return f(ctx, func() { wall.Reset(max(limit-time.Since(began), stillWriting)) })
	})
	if err != nil && walled.Err() != nil && ctx.Err() == nil {
		err = context.DeadlineExceeded
	}
	return found, err
}

// finishing is the time that is kept for what comes after a model.
const finishing = time.Second

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
				a.err = &citewell.Error{Code: citewell.CodeInternal, Op: "brief", Message: "reading it went wrong; please report it",
					Err: fmt.Errorf("panic: %v", v)}
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
