package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/briefrun"
	"github.com/citewell/citewell/internal/job"
)

// BriefAgent is the name of the agent that researches a topic without a model, as web_research does. It
// is always there, and the default where there is no model.
const BriefAgent = "brief"

func (a *App) briefDefinition(sources agentplan.Sources) (job.Definition, error) {
	parts, err := json.Marshal(agentplan.Parts{Brief: true, Sources: sources})
	if err != nil {
		return job.Definition{}, fmt.Errorf("agent %s as JSON: %w", BriefAgent, err)
	}
	budget, err := a.budget()
	if err != nil {
		return job.Definition{}, err
	}
	budget.Tokens, budget.USD = 0, 0 // which it does not spend
	return job.Definition{Name: BriefAgent, Description: "quotes what answers from the best pages of several " +
		"searches, without a model", Budget: budget, Parts: parts}, nil
}

// buildBrief makes the agent of a run that is a brief.
func (a *App) buildBrief(ctx context.Context, name string, sources agentplan.Sources, t job.Ties) (job.Agent, error) {
	sources, scope, err := a.chosen(a.Config.Search, sources, t.Choices)
	if err != nil {
		return nil, err
	}
	parts, err := a.briefOptions(ctx, sources)
	if err != nil {
		return nil, err
	}
	parts.Standing = registers(parts.Providers, scope.Kinds)
	return briefrun.New(briefrun.Options{Name: name, Brief: parts, Scope: scope, Journal: t.Journal,
		Budget: t.Budget.Agent(), Tell: t.Tell}), nil
}
