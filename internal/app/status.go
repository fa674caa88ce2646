package app

import (
	"context"
	"slices"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/status"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/search/provider"
)

// status is the API of how the server is, as the tenant has it. Its examiner is that of the
// API beside it; nil has its own, of this App's parts.
func (a *App) status(runs job.Service, beside *status.API) *status.API {
	o := status.Options{Room: func(ctx context.Context) (status.Room, error) {
		return a.room(ctx, runs)
	}, Parts: a.statusParts, Log: a.log}
	if beside != nil {
		o.Examiner = beside.Examiner()
	} else {
		o.Examiner = status.NewExaminer(a.Probes, a.StoreUsage, config.NewRedactor(a.Config).String)
	}
	return status.New(o)
}

// room is what the tenant has.
func (a *App) room(ctx context.Context, runs job.Service) (r status.Room, err error) {
	r = status.Room{Version: a.version, Agents: []status.Agent{}, ByMeaning: a.Embedding != nil}
	for _, d := range runs.Agents() {
		r.Agents = append(r.Agents, status.Agent{Name: d.Name, Model: d.Model})
	}
	if r.Documents, err = a.Store.CountDocuments(ctx, ""); err == nil {
		r.Nodes, r.Edges, err = a.Store.CountGraph(ctx)
	}
	if err == nil {
		r.Quotas, err = a.quota().Bounds(ctx, callerOf(ctx).Owner)
	}
	return r, err
}

// statusParts are the models and providers, without a call of any.
func (a *App) statusParts(ctx context.Context) (status.Parts, error) {
	p := status.Parts{Models: []status.Model{}, Providers: []status.Provider{}}
	for _, m := range a.Models {
		p.Models = append(p.Models, status.Model{Kind: llm.KindChat, Name: m.Name()})
	}
	if a.Embedding != nil {
		p.Models = append(p.Models, status.Model{Kind: llm.KindEmbedding, Name: a.Embedding.Name()})
	}
	if a.Reranker != nil {
		p.Models = append(p.Models, status.Model{Kind: llm.KindRerank, Name: a.Reranker.Name()})
	}
	deps, standing, err := a.Providers(ctx)
	if err != nil {
		return p, err
	}
	configured, alone := deps.Configured(), a.gates.LeftAlone()
	for _, name := range provider.Names() {
		one := status.Provider{Name: name, Configured: slices.Contains(configured, name),
			Standing: slices.Contains(standing, name), LeftAlone: alone[name], Last: a.lastCalls.Of(name)}
		if d, _ := provider.Describe(name); slices.Contains(d.Needs, "api_key") {
			if one.Key = "set"; deps.Settings[name].APIKey.Empty() {
				one.Key = "missing"
			}
		}
		p.Providers = append(p.Providers, one)
	}
	return p, nil
}
