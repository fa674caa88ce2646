package app

import (
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
)

// offer is what runs of an agent can choose from; a job.Desk.Offers. Who keeps the agent, or
// all questions, to some providers offers no others.
func (a *App) offer(ctx context.Context, d job.Definition) (job.Offer, error) {
	offer := job.Offer{Sources: []string{}, Lenses: []string{}, Providers: []job.Offered{}}
	parts, err := partsOf(d)
	if err != nil {
		return offer, err
	}
	of := a.searchOf(d.Name, parts)
	if !parts.Brief && !slices.Contains(parts.OwnTools(), agent.WebSearchTool) || parts.Sources.Docs != "" {
		return offer, nil
	}
	all, err := lenses(of)
	if err != nil {
		return offer, err
	}
	offer.Lenses, offer.Scopes = slices.Sorted(maps.Keys(all)), all
	deps, err := a.providerDeps(ctx, of)
	if err != nil {
		return offer, err
	}
	// that they may be searched is said also where there are none
	if offer.Documents = deps.Texts != nil; !offer.Documents {
		deps.Texts = a.Store
	}
	usual := parts.Sources.Providers
	if len(usual) == 0 {
		usual = standing(of, deps)
	}
	known := map[search.Kind]bool{}
	for _, name := range deps.Configured() {
		kept := len(parts.Sources.Providers) > 0 || of.Engine != ""
		if asked := slices.Contains(usual, name); kept && !asked && name != localProvider {
			continue
		}
		d, _ := provider.Describe(name)
		o := job.Offered{Name: name, About: d.About, Standing: slices.Contains(usual, name)}
		for _, kind := range kindsOf(name) {
			known[kind] = known[kind] || d.Sample.Value == "" // what only looks up answers no words
			o.Sources = append(o.Sources, string(kind))
		}
		offer.Providers = append(offer.Providers, o)
	}
	for _, kind := range search.Kinds {
		if known[kind] {
			offer.Sources = append(offer.Sources, string(kind))
		}
	}
	return offer, nil
}

// searchOf are the settings by which an agent searches.
func (a *App) searchOf(name string, parts agentplan.Parts) config.Search {
	if parts.Brief {
		return a.Config.Search
	}
	return a.agentSettings(name).Search
}

// kindsOf are the kinds of sources that a provider knows.
func kindsOf(name string) []search.Kind {
	if d, _ := provider.Describe(name); len(d.Kinds) > 0 {
		return d.Kinds
	}
	return []search.Kind{search.KindWeb}
}

// chosen are the sources of a run whose agent has these, and where each of its searches looks.
// Providers that were named are all asked, whatever a question calls for.
func (a *App) chosen(of config.Search, s agentplan.Sources, c job.Choices) (agentplan.Sources, search.Scope, error) {
	all, err := lenses(of)
	if err != nil {
		return s, search.Scope{}, err
	}
	scope, err := search.ParseScope(c.Sources, all)
	if err != nil || c.IsZero() {
		return s, search.Scope{Named: named(of, s)}, err
	}
	kinds := slices.Clone(scope.Kinds)
	if s.Documents = c.Documents; slices.Contains(kinds, search.KindLocal) {
		s.Documents = new(true)
	}
	if len(c.Providers) > 0 {
		s.Providers = c.Providers
	}
	scope.Named = named(of, s)
	if s.Documents != nil && *s.Documents && len(kinds) > 0 {
		kinds = append(kinds, search.KindLocal)
	}
	slices.Sort(kinds)
	scope.Kinds = slices.Compact(kinds)
	return s, scope, nil
}

// named says whether somebody named the providers to ask.
func named(of config.Search, s agentplan.Sources) bool {
	return len(s.Providers) > 0 || of.Engine != ""
}

// asksLocal says whether the user's own documents are asked.
func asksLocal(providers []search.Provider) bool {
	return slices.ContainsFunc(providers, func(p search.Provider) bool { return p.Name() == localProvider })
}

// onlyLocal says whether nobody but the user's own documents is asked.
func onlyLocal(providers []search.Provider) bool {
	return !slices.ContainsFunc(providers, func(p search.Provider) bool { return p.Name() != localProvider })
}

// known keeps the providers that know one of the kinds; all where there are none.
func known(providers []search.Provider, kinds []search.Kind) []search.Provider {
	if len(kinds) == 0 {
		return providers
	}
	return slices.DeleteFunc(providers, func(p search.Provider) bool {
		return !slices.ContainsFunc(kindsOf(p.Name()), func(k search.Kind) bool { return slices.Contains(kinds, k) })
	})
}
