package search

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
)

func report(ctx context.Context, a Answer) {
	if take, ok := ctx.Value(searchcall.TakeReports{}).(func(citewell.ProviderReport)); ok {
		take(a.Report())
	}
}
