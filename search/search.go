// Package search asks many providers one query at once and makes one ranked list of their answers.
//
// Flow: Query → [Provider] → Answer per provider → Merge by canonical URL → Score. A provider that fails is a typed
// outcome in its Answer, never an error of the whole; the caller decides what to do if all failed.
package search

import (
	"context"

	"github.com/citewell/citewell"
)

// A Provider answers a query from one index. Search returns results best first; none and a nil error means that there
// is nothing to find. One that was refused, limited or not understood returns a *citewell.Error; other remarks go by
// Note. Providers do no waiting, retrying or caching: Guarded wraps them with it. Many goroutines may call Search.
type Provider interface {
	Name() string
	Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error)
}
