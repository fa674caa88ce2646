package app

import (
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/bibliography"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

// References are the parts that hold lists of references against the registers of publications
// that are switched on; links says whether the addresses in them are asked for, too.
func (a *App) References(links bool) (bibliography.Options, error) {
	var o bibliography.Options
	if err := checkProviders(a.Config.Search); err != nil {
		return o, err
	}
	deps := a.providerSettings(a.Config.Search)
	kept, err := a.keptAnswers(a.Config.Search)
	if err != nil {
		return o, err
	}
	for _, name := range deps.Configured() {
		if d, _ := provider.Describe(name); !knowsWorks(d) {
			continue
		}
		p, err := a.provider(name, deps, kept)
		if err != nil {
			return o, err
		}
		o.Providers = append(o.Providers, p)
	}
	if links {
		o.Fetcher, o.Resolver = a.Fetch, !isClosedOff(a.Config.Search)
	}
	return o, nil
}

// registers say at the end of a run whether the works that it cites still stand: those among the providers that it
// asks, within the kinds of sources that it keeps to. Nil where none of them knows works.
func registers(providers []search.Provider, kinds []search.Kind) retraction.Register {
	var o bibliography.Options
	for _, p := range known(slices.Clone(providers), kinds) {
		if d, _ := provider.Describe(p.Name()); knowsWorks(d) {
			o.Providers = append(o.Providers, p)
		}
	}
	if len(o.Providers) == 0 {
		return nil
	}
	return o.Standing
}

// knowsWorks says whether a provider is a register of publications.
func knowsWorks(d provider.Description) bool {
	return slices.ContainsFunc(d.Kinds, func(k search.Kind) bool {
		return k == search.KindScholarly || k == search.KindBooks
	}) &&
		slices.ContainsFunc(d.Lookups, func(scheme string) bool {
			return slices.Contains([]string{citewell.SchemeDOI, citewell.SchemeArXiv, citewell.SchemePMID,
				citewell.SchemeISBN}, scheme)
		})
}
