package search

import (
	"context"
	"slices"

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

// NobodyAnswered reports whether no provider answered. That documents have nothing is no answer
// where others were asked and failed: what these know stays open.
func NobodyAnswered(reports []citewell.ProviderReport) bool {
	return !slices.ContainsFunc(reports, func(p citewell.ProviderReport) bool {
		return p.Outcome.Answered() && (p.Results > 0 || p.Name != LocalProvider || len(reports) == 1)
	})
}

// DocumentsAlone reports whether the user's own documents answered, and others were asked and failed.
func DocumentsAlone(reports []citewell.ProviderReport) bool {
	answered := func(p citewell.ProviderReport) bool { return p.Outcome.Answered() }
	i := slices.IndexFunc(reports, answered)
	return i >= 0 && reports[i].Name == LocalProvider && len(reports) > 1 && !slices.ContainsFunc(reports[i+1:], answered)
}

func report(ctx context.Context, a Answer) {
	if take, ok := ctx.Value(takeReports{}).(func(citewell.ProviderReport)); ok {
		take(a.Report())
	}
}
