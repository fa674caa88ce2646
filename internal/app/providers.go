package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store"
)

// localProvider searches the user's own documents.
const localProvider = searchcall.LocalProvider

// CheckProviders says whether every provider that is configured exists, every lens can be
// looked through, and a reranker that is named can be asked.
func CheckProviders(c config.Config) error {
	_, err := lenses(c.Search)
	return cmp.Or(checkProviders(c.Search), err, checkRerank(c.Rerank), services.CheckContact(c.Contact))
}

func checkProviders(s config.Search) error {
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		if _, known := provider.Describe(name); !known {
			return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
				Message: fmt.Sprintf("search.providers.%s: there is no such provider; there are %s", name,
					strings.Join(provider.Names(), ", "))}
		}
	}
	return nil
}

// lenses are those that are there and those of the configuration.
func lenses(of config.Search) (map[string]search.Scope, error) {
	all := maps.Clone(search.Lenses)
	for _, name := range slices.Sorted(maps.Keys(of.Lenses)) {
		lens := of.Lenses[name]
		kinds, err := search.ParseKinds(lens.Sources)
		scope := search.Scope{Kinds: kinds, Sites: lens.Sites, Since: lens.Since, Until: lens.Until}
		if err == nil {
			err = scope.Check(name)
		} else {
			err = errors.New(citewell.View(err).Message)
		}
		if err != nil {
			return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
				Message: fmt.Sprintf("search.lenses.%s: %v", name, err)}
		}
		all[name] = scope
	}
	return all, nil
}

// providerDeps gives the providers what they are built from, by settings that may be an agent's
// own. Without indexed documents there is no local provider.
func (a *App) providerDeps(ctx context.Context, of config.Search) (provider.Deps, error) {
	deps := a.providerSettings(of)
	if err := checkProviders(of); err != nil {
		return deps, err
	}
	indexes, err := a.Store.ListIndexes(ctx) // which keeps their sizes: no document is counted
	if err != nil {
		return deps, err
	}
	if slices.ContainsFunc(indexes, func(i store.TextIndex) bool { return i.Name == store.Library }) {
		deps.Texts = a.Store
	}
	if a.Embedding != nil {
		deps.Meanings = a.meanings()
	}
	return deps, nil
}

// providerSettings are the parts and settings of providers that search no store.
func (a *App) providerSettings(of config.Search) provider.Deps {
	deps := settingsInForce(a.Config, of)
	deps.Guard, deps.UserAgent, deps.Pages = a.Guard, a.userAgent, a.Fetch
	return deps
}

// settingsInForce are what a configuration says of providers, by settings that may be an agent's own.
func settingsInForce(c config.Config, of config.Search) provider.Deps {
	return provider.Deps{Settings: settingsOf(of), Own: c.Fetch.AllowNetworks, Contact: c.Contact,
		Closed: isClosedOff(of)}
}

// isClosedOff says whether nothing is asked on the open web that is not configured: who keeps questions to one
// provider, or from the one that has always been asked without a key, has not asked for others.
func isClosedOff(of config.Search) bool {
	duckduckgo := of.Providers["duckduckgo"]
	switch of.Open {
	case "on":
		return false
	case "off":
		return true
	}
	return of.Engine != "" || duckduckgo.BaseURL != "" || duckduckgo.Enabled == "false"
}

func settingsOf(of config.Search) map[string]provider.Settings {
	settings := map[string]provider.Settings{}
	for name, p := range of.Providers {
		settings[name] = provider.Settings{Disabled: p.Enabled == "false", Enabled: p.Enabled == "true",
			APIKey: p.APIKey, BaseURL: p.BaseURL, CSEID: p.CSEID, Rate: p.Rate, URLs: p.URLs, OPML: p.OPML}
	}
	return settings
}

// providers builds the providers to ask, each once and with its limits.
func (a *App) providers(ctx context.Context, s agentplan.Sources) ([]search.Provider, error) {
	return a.providersOf(ctx, a.Config.Search, s)
}

// providersOf builds them by settings that may be an agent's own.
func (a *App) providersOf(ctx context.Context, of config.Search, s agentplan.Sources) ([]search.Provider, error) {
	deps, err := a.providerDeps(ctx, of)
	if err != nil {
		return nil, err
	}
	names := s.Providers
	switch {
	case s.Docs != "":
		folder, err := folderURL(s.Docs)
		if err != nil {
			return nil, err
		}
		deps.Texts = below{a.Store, folder}
		if deps.Meanings != nil {
			deps.Meanings = below{deps.Meanings, folder}
		}
		deps.Settings[localProvider] = provider.Settings{} // asked for by name, switched off or not
		names = []string{localProvider}
	case len(names) == 0:
		names = standing(of, deps)
	}
	if s.Documents != nil && s.Docs == "" {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == localProvider })
		if *s.Documents {
			names = append(names, localProvider)
		}
	}
	kept, err := a.keptAnswers(of)
	if err != nil {
		return nil, err
	}
	var providers []search.Provider
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		p, err := a.provider(name, deps, kept)
		if err != nil {
			return nil, err
		}
		providers = append(providers, p)
	}
	return providers, nil
}

// provider builds one of a name, with its limits.
func (p *parts) provider(name string, deps provider.Deps, kept search.Cache) (search.Provider, error) {
	built, err := provider.New(name, deps)
	if citewell.CodeOf(err) == citewell.CodeUnknownProvider {
		there := deps.Configured()
		return nil, &citewell.Error{Code: citewell.CodeUnknownProvider, Op: "search",
			Message: fmt.Sprintf("there is no provider %.60q; configured are: %s%s", name, strings.Join(there, ", "),
				text.DidYouMean(name, there)), Err: err}
	} else if err != nil {
		return nil, err
	}
	return p.gates.Of(name, deps.Limits(name)).GuardKept(built, kept), nil
}

// folderURL is what the addresses of the documents below a folder begin with.
func folderURL(folder string) (string, error) {
	address, err := library.FileURL(folder)
	return strings.TrimSuffix(address, "/") + "/", err
}

// keptAnswers is where answers of providers with these settings are kept for the tenant alone:
// that an answer is there says that somebody asked. Nil keeps none.
func (a *App) keptAnswers(of config.Search) (search.Cache, error) {
	if a.Cache == nil {
		return nil, nil
	}
	return newCacheSpace(a.Cache, "answers", a.tenant, of.Providers)
}

// standing are the names of those that are asked where nobody says whom to ask. The user's own documents are among them
// as soon as there are any, also beside the one engine that others are kept to.
func standing(of config.Search, deps provider.Deps) []string {
	names := deps.Configured()
	if of.Engine == "" {
		return names
	}
	if of.Engine != localProvider && slices.Contains(names, localProvider) {
		return []string{of.Engine, localProvider}
	}
	return []string{of.Engine}
}

// Providers gives tools that search in a way of their own what providers are built
// from, and the names of those that are asked where nobody says whom to ask.
func (a *App) Providers(ctx context.Context) (provider.Deps, []string, error) {
	deps, err := a.providerDeps(ctx, a.Config.Search)
	return deps, standing(a.Config.Search, deps), err
}

// below searches only documents under a URL prefix.
type below struct {
	texts  provider.TextSearcher
	prefix string
}

func (b below) SearchText(ctx context.Context, q store.TextQuery) ([]store.TextHit, error) {
	q.URLPrefix = b.prefix
	return b.texts.SearchText(ctx, q)
}
