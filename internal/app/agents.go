package app

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/job"
)

// agents are the definitions, the default first, to search these sources. What cannot
// be used is there too, with the reason.
func (a *App) agents(sources agentplan.Sources) ([]job.Definition, error) {
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	var all []job.Definition
	var warnings []string
	for _, p := range agentplan.All(a.Config, a.agentNames) {
		p.Parts.Sources = sources
		if p.Err == nil {
			_, p.Err = a.modelFor(p.Parts.Model, p.From)
		}
		if _, configured := a.Config.Agents[p.Name]; !configured && p.Err != nil {
			continue // a shape, and there is no model
		}
		parts, err := json.Marshal(p.Parts)
		if err != nil {
			return nil, fmt.Errorf("agent %s as JSON: %w", p.Name, err)
		}
		d := job.Definition{Name: p.Name, Description: p.Description, Model: p.Parts.Model.Name, Budget: budget,
			Parts: parts}
		if p.Err != nil {
			d.Hidden = citewell.View(p.Err).Line()
			a.log.Warn("an agent cannot be used", "agent", p.Name, "why", d.Hidden)
		}
		warnings = append(warnings, p.Warnings...)
		all = append(all, d)
	}
	if !slices.Contains(a.agentNames, BriefAgent) {
		d, err := a.briefDefinition(sources)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	for _, warning := range agentplan.Once(warnings) { // config check and doctor say them aloud
		a.log.Info(warning)
	}
	return all, nil
}

// budget is the configured one.
func (a *App) budget() (job.Budget, error) {
	b := a.Config.Budget
	budget := job.Budget{Tokens: agentplan.OrNone(b.Tokens), WallMS: b.WallTime.Milliseconds(),
		Searches: agentplan.OrNone(b.Searches), Fetches: agentplan.OrNone(b.Fetches)}
	if b.WallTime == 0 {
		budget.WallMS = -1
	}
	if b.USD != "" && b.USD != "none" {
		usd, err := strconv.ParseFloat(b.USD, 64)
		if err != nil || usd <= 0 || math.IsInf(usd, 0) {
			return budget, &citewell.Error{Code: citewell.CodeInvalidConfig,
				Message: fmt.Sprintf("budget.usd is %.40q", b.USD), Hint: "none, or an amount as in 0.50"}
		}
		budget.USD = usd
	}
	return budget, nil
}
