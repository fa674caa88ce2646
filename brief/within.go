package brief

import (
	"context"
	"fmt"
	"time"

	"github.com/citewell/citewell"
)

// lastWords is how long a part whose time is over may take to say what happened.
const lastWords = 100 * time.Millisecond

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
