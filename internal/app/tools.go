package app

import (
	"context"
	"slices"

	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/citewell/citewell/internal/tool/compat/cogtrix"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/internal/workdir"
	"github.com/citewell/citewell/search/provider"
)

// Tools returns the tools as they are configured, by toolset. An MCP server that
// cannot be reached is left out; doctor says why.
func (a *App) Tools(ctx context.Context) (*builtin.Registry, error) {
	extra, err := a.extraTools(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := a.toolParts()
	if err != nil {
		return nil, err
	}
	if a.Store != nil {
		runs, err := a.Runs(ctx)
		if err != nil {
			return nil, err
		}
		parts.Runs = builtin.Runs{Desk: forCallers(runs), Executed: runs.Executor.Serving}
	}
	parts.Agent = a.sessionTools()
	return builtin.New(parts, a.Config.Toolsets, extra), nil
}

// toolParts are what Citewell's own tools are made of, but for runs.
func (a *App) toolParts() (builtin.Parts, error) {
	services, err := a.services()
	if err != nil {
		return builtin.Parts{}, err
	}
	models, err := a.manifold()
	if err != nil {
		return builtin.Parts{}, err
	}
	parts := builtin.Parts{
		Briefs:     func(ctx context.Context) (*brief.Writer, error) { return a.Brief(ctx, agentplan.Sources{}) },
		Pages:      builtin.Pages{Fetcher: a.Fetch, Extract: a.Extract.Extract, Whole: services.Extract},
		Judge:      a.toolJudge(),
		References: a.References,
		Searxng:    searxng.Deps{Providers: a.Providers, Gates: &a.gates},
		Knowledge:  builtin.Knowledge{Embedder: a.embedder()},
		Cogtrix:    services, Manifold: models, Confirm: a.confirm(),
	}
	if a.Store != nil {
		parts.Pages.Archive, parts.Kept = a.Store, kept{a.Store}
		parts.Knowledge.Texts, parts.Knowledge.Vectors, parts.Knowledge.Graph = a.Store, a.Store, a.Store
	}
	return parts, nil
}

// manifold are the models, programs and files of Manifold's tools.
func (a *App) manifold() (d manifold.Deps, err error) {
	folder, err := workdir.New(a.ownFolder(a.Config.Workdir))
	if err != nil {
		return d, err
	}
	d.Programs, d.Workdir = a.programs, &folder
	if len(a.Models) > 0 {
		d.Chat = a.chat
	}
	d.Specialists, err = specialists(a.Config, a.network, a.endpoints)
	return d, err
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
	o := mcpserver.Options{Version: a.version, Log: a.log, Calling: a.telemetry.CallingMCP}
	if a.Store != nil {
		o.Kept = kept{a.Store}
		if runs, err := a.Runs(ctx); err == nil { // what keeps runs from being begun keeps no report from being read
			o.Runs = forCallers(runs)
		}
	}
	return o
}

// services are those of others beside searching that have their keys.
func (a *App) services() (d cogtrix.Deps, err error) {
	d.Caller, d.Extract = fetch.NewCaller(a.Guard, a.userAgent), a.whole.Extract
	providers := a.providerSettings(a.Config.Search)
	configured := providers.Configured()
	if slices.Contains(configured, "tavily") {
		tavily, err := provider.NewTavilyExtract(providers)
		if err != nil {
			return d, err
		}
		if d.Tavily, err = a.keptPages("tavily", tavily); err != nil {
			return d, err
		}
	}
	if slices.Contains(configured, "exa") {
		contents, err := provider.NewExaContents(providers)
		if err != nil {
			return d, err
		}
		if d.Exa, err = a.keptPages("exa", contents); err != nil {
			return d, err
		}
		if d.Similar, err = provider.NewExaSimilar(providers); err != nil {
			return d, err
		}
	}
	if key := a.Config.Weather.APIKey; !key.Empty() {
		d.Weather, err = cogtrix.NewOpenWeather(a.Guard, key, a.Config.Weather.BaseURL, a.userAgent)
	}
	return d, err
}

// keptPages is the service, which is not paid twice for a page within the time for which pages are kept.
func (a *App) keptPages(name string, service cogtrix.PageReader) (cogtrix.PageReader, error) {
	ttl := a.Config.Fetch.CacheTTL
	if a.Cache == nil || ttl <= 0 {
		return service, nil
	}
	space, err := newCacheSpace(a.Cache, a.Config.Search.Providers[name])
	return cogtrix.KeepPages(name, service, space, ttl), err
}
