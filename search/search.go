// Package search asks many providers one query at once and makes one ranked list of their answers.
//
// Flow: Query → [Provider] → Answer per provider → Merge by canonical URL → Score. A provider that fails is a typed
// outcome in its Answer, never an error of the whole; the caller decides what to do if all failed.
package search

import (
	"context"

	"github.com/citewell/citewell"
)

// A Provider answers a query from one index. Search returns results best first;
// none and a nil error means that there is nothing to find. A provider that was
// refused, limited or could not be understood returns a *citewell.Error that says
// which; what else a reader should know of an answer goes by Note. Providers do no
// waiting, retrying or caching of their own: Guarded wraps them with it. Search may
// be called from many goroutines.
type Provider interface {
	Name() string
	Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error)
}
