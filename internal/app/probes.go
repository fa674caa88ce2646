package app

import (
	"context"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/trials"
)

// Probes lists what doctor tries.
func (a *App) Probes(ctx context.Context) ([]doctor.Probe, error) {
	deps, err := a.providerDeps(ctx, a.Config.Search)
	if err != nil {
		return nil, err
	}
	place := strings.TrimPrefix(a.StorePlace(), "sqlite:")
	probes := slices.Concat([]doctor.Probe{trials.Store(backend.Kind(a.Config.Store.URL), place, a.Store)},
		trials.Walls(a.Guard), trials.Providers(deps),
		[]doctor.Probe{trials.Archive(a.Fetch, a.Config.Fetch.Archive.Use == archiveOff)}, trials.Models(a.Models),
		[]doctor.Probe{trials.Judge(a.Judge, a.Config.Judge.Use != "never"), trials.Embedding(a.Embedding),
			trials.Reranker(a.Reranker)})
	for _, server := range mcpServers(a.Config.MCP) {
		probes = append(probes, doctor.Probe{Part: "mcp", Name: server.Name,
			Try: func(ctx context.Context) (doctor.Answer, error) { return a.tryServer(ctx, server) }})
	}
	if a.telemetry.Tells() {
		probes = append(probes, doctor.Probe{Part: "traces", Name: "collector", Try: a.tryTraces})
	}
	return append(probes, a.agentProbes()...), nil
}

// MissingWalls says which walls are missing, a line each, and logs them: what serves
// strangers says at its start what does not stand between them and this machine.
func (a *App) MissingWalls(ctx context.Context) (missing []string) {
	for _, finding := range doctor.Examine(ctx, trials.Walls(a.Guard)) {
		if ctx.Err() == nil && (finding.State == doctor.Warning || finding.State == doctor.Failed) {
			a.log.Warn("a wall is missing", "part", finding.Part+" "+finding.Name, "detail", finding.Detail, "hint",
				finding.Hint)
			missing = append(missing, finding.Detail+" ("+finding.Hint+")")
		}
	}
	return missing
}

// tryTraces sends the collector a request without spans.
func (a *App) tryTraces(ctx context.Context) (doctor.Answer, error) {
	if err := a.telemetry.Try(ctx); err != nil {
		return doctor.Answer{}, err
	}
	return doctor.Answer{Detail: "the collector took a request without spans"}, nil
}

// doubt says what speaks against a long run with an agent's model; nothing where traffic is recorded or replayed.
func (a *App) doubt(ctx context.Context, name string, parts agentplan.Parts) string {
	if a.taped() {
		return ""
	}
	model, err := a.modelFor(parts.Model, a.agentSettings(name))
	if err != nil {
		return ""
	}
	return trials.Doubt(ctx, model)
}
