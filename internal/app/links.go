package app

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/links"
)

// Links are the parts that ask what has become of cited pages; told hears of each.
func (a *App) Links(told func(links.Link)) links.Options {
	o := links.Options{Fetcher: a.Fetch, Told: told,
		Extract: []func(context.Context, citewell.Page) (citewell.Document, error){a.Extract.Extract, a.whole.Extract}}
	if a.Store != nil {
		o.Kept = a.Store
	}
	return o
}
