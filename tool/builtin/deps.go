package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
)

// Deps are the parts that tools work with. A tool says which it lacks by being
// hidden; only Briefs, Fetcher and Extract are always there.
type Deps struct {
	// Briefs returns a writer of briefs over the providers of these names, over all
	// that are configured where none is named.
	Briefs  func(ctx context.Context, providers []string) (*brief.Writer, error)
	Fetcher Fetcher
	Extract func(context.Context, citewell.Page) (citewell.Document, error)
	// Confirm is the operator's word on tools that act: ask, allow or deny by name.
	Confirm map[string]string
}

// A Fetcher gets a page; fetch.Client is one.
type Fetcher interface {
	Get(ctx context.Context, r fetch.Request) (citewell.Page, error)
}
