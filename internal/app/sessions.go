package app

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
)

// sessionTools are the agent's own tools for those who bring an agent of their own: over
// every configured provider, with reports in the folder of all reports.
func (a *App) sessionTools() []*tool.Tool {
	all := a.Config.Inherited()
	o := agent.Options{Name: "sgr", Searcher: everyProvider{a},
		Reader:  agent.Pages{Local: a.Store, Fetcher: a.Fetch, Extract: a.Extract.Extract},
		Archive: a.Store, Limits: agent.Limits{MaxSearches: agentplan.OrNone(all.Search.MaxSearches),
			MaxResults: all.Search.MaxResults, ContentLimit: all.Search.ContentLimit}}
	if a.Store == nil {
		o.Archive, o.Reader = nil, agent.Pages{Fetcher: a.Fetch, Extract: a.Extract.Extract}
	}
	if dir := all.Execution.ReportsDir; dir != "" {
		// With its record: the store does not keep the report of a session.
		o.SaveReport, o.Render = saveReport(a.ownFolder(dir)), report.WithRecord
	}
	return agent.NewSessions(o).Tools()
}

// everyProvider is an agent.Searcher over those that are configured. What keeps one of
// them from working is known when it is asked.
type everyProvider struct{ app *App }

// Search implements agent.Searcher.
func (p everyProvider) Search(ctx context.Context, q citewell.Query) ([]citewell.Result, error) {
	providers, err := p.app.providers(ctx, agentplan.Sources{})
	if err != nil {
		return nil, err
	}
	scope := search.Scope{Named: named(p.app.Config.Search, agentplan.Sources{})}
	return p.app.searcher(providers, scope).Search(ctx, q)
}

// searcher asks providers within a scope, as a brief does.
func (s settings) searcher(providers []search.Provider, scope search.Scope) agent.Providers {
	of := s.Config.Brief
	return agent.Providers{List: providers, Scope: scope, Timeout: of.Deadlines.Fanout, PerDomain: of.PerDomain}
}
