package search

import (
	"context"

	"github.com/citewell/citewell"
)

// takeReports is the key under which a context carries who takes reports.
type takeReports struct{}

// WithReports returns a context in which Ask hands to take what became of each provider,
// before it yields that answer: for who stands above a search that gives its results alone.
// take may be called from several goroutines.
func WithReports(ctx context.Context, take func(citewell.ProviderReport)) context.Context {
	return context.WithValue(ctx, takeReports{}, take)
}

func report(ctx context.Context, a Answer) {
	if take, ok := ctx.Value(takeReports{}).(func(citewell.ProviderReport)); ok {
		take(a.Report())
	}
}
