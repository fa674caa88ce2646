package app

import (
	"context"
	"slices"

	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/workdir"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/tool/builtin"
	"github.com/citewell/citewell/tool/compat/cogtrix"
)

// Tools returns the tools as they are configured, by toolset. An MCP server that
// cannot be reached is left out; doctor says why.
func (a *App) Tools(ctx context.Context) (*builtin.Registry, error) {
	extra, err := a.extraTools(ctx)
	if err != nil {
		return nil, err
	}
	deps, err := a.toolDeps()
	if err != nil {
		return nil, err
	}
	if a.Store != nil {
		runs, err := a.Runs(ctx)
		if err != nil {
			return nil, err
		}
		deps.Runs, deps.Executed = forCallers(runs), runs.Executor.Serving
	}
	deps.Agent = a.sessionTools()
	return builtin.New(deps, a.Config.Toolsets, extra), nil
}

// toolDeps are what Citewell's own tools are made of, but for runs.
func (a *App) toolDeps() (builtin.Deps, error) {
	deps := builtin.Deps{
		Briefs: func(ctx context.Context, providers []string) (*brief.Writer, error) {
			return a.Brief(ctx, agentplan.Sources{Providers: providers})
		},
		Providers: a.Providers, Gates: &a.gates, References: a.References,
		Fetcher: a.Fetch, Extract: a.Extract.Extract, ExtractWhole: a.whole().Extract, Confirm: a.confirm(), Programs: a.programs,
	}
	folder, err := workdir.New(a.ownFolder(a.Config.Workdir))
	if err != nil {
		return deps, err
	}
	deps.Workdir = &folder
	deps.Services.Caller = fetch.NewCaller(a.Guard, a.userAgent)
	if err := a.services(&deps); err != nil {
		return deps, err
	}
	if a.Store != nil {
		deps.Archive, deps.Kept, deps.Texts, deps.Vectors, deps.Graph = a.Store, kept{a.Store}, a.Store, a.Store, a.Store
	}
	if len(a.Models) > 0 {
		deps.Chat = a.chat
	}
	if deps.Specialists, err = specialists(a.Config, a.Guard, a.endpoints); err != nil {
		return deps, err
	}
	if a.Embedding != nil {
		deps.Embedder = a.Embedding
	}
	deps.Judge = a.toolJudge()
	return deps, nil
}

// confirm is what the operator says of tools that act, by name.
func (a *App) confirm() map[string]string {
	words := map[string]string{}
	for name, word := range a.Config.Confirm {
		words[name] = string(word)
	}
	return words
}

// MCP is what MCP servers of this App are made of.
func (a *App) MCP(ctx context.Context) mcpserver.Options {
	o := mcpserver.Options{Version: a.version, Log: a.log, Calling: a.spans.callingMCP}
	if a.Store != nil {
		o.Kept = kept{a.Store}
		if runs, err := a.Runs(ctx); err == nil { // what keeps runs from being begun keeps no report from being read
			o.Runs = forCallers(runs)
		}
	}
	return o
}

// services puts in those services beside searching that have their keys.
func (a *App) services(deps *builtin.Deps) error {
	providers := a.providerSettings(a.Config.Search)
	configured := providers.Configured()
	if slices.Contains(configured, "tavily") {
		tavily, err := provider.NewTavilyExtract(providers)
		if err != nil {
			return err
		}
		if deps.Services.Tavily, err = a.keptPages("tavily", tavily); err != nil {
			return err
		}
	}
	if slices.Contains(configured, "exa") {
		contents, err := provider.NewExaContents(providers)
		if err != nil {
			return err
		}
		similar, err := provider.NewExaSimilar(providers)
		if err != nil {
			return err
		}
		if deps.Services.Exa, err = a.keptPages("exa", contents); err != nil {
			return err
		}
		deps.Services.Similar = similar
	}
	if key := a.Config.Weather.APIKey; !key.Empty() {
		weather, err := cogtrix.NewOpenWeather(a.Guard, key, a.Config.Weather.BaseURL, a.userAgent)
		if err != nil {
			return err
		}
		deps.Services.Weather = weather
	}
	return nil
}

// keptPages is the service, which is not paid twice for a page within the time for
// which pages are kept.
func (a *App) keptPages(name string, service cogtrix.PageReader) (cogtrix.PageReader, error) {
	ttl := a.Config.Fetch.CacheTTL
	if a.Cache == nil || ttl <= 0 {
		return service, nil
	}
	space, err := newCacheSpace(a.Cache, a.Config.Search.Providers[name])
	return cogtrix.KeepPages(name, service, space, ttl), err
}
