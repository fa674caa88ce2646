package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/llm"
)

// agentProbes lists the configured agents: what each is made of, and what it does
// without. Its model and servers are tried by themselves.
func (a *App) agentProbes() []doctor.Probe {
	var probes []doctor.Probe
	for _, p := range agentplan.All(a.Config, a.agentNames) {
		if _, configured := a.Config.Agents[p.Name]; !configured {
			continue
		}
		probe := doctor.Probe{Part: "agent", Name: p.Name}
		if p.Err != nil && (agentplan.IsPath(p.From.BaseClass) ||
			citewell.CodeOf(p.Err) == citewell.CodeModelNotConfigured) {
			probe.Off = citewell.View(p.Err).Line()
		} else {
			probe.Try = func(ctx context.Context) (doctor.Answer, error) { return a.tryAgent(ctx, p) }
		}
		probes = append(probes, probe)
	}
	return probes
}

func (a *App) tryAgent(ctx context.Context, p agentplan.Plan) (doctor.Answer, error) {
	if p.Err != nil {
		return doctor.Answer{}, p.Err
	}
	model, err := a.modelFor(p.Parts.Model, p.From)
	if err != nil {
		return doctor.Answer{}, err
	}
	kit, err := a.kitOf(ctx, p.Parts, p.From)
	if err != nil {
		return doctor.Answer{}, err
	}
	tools := toolkit(p.Parts, kit)
	answer := doctor.Answer{Detail: fmt.Sprintf("%s, %s, %s: %s", p.Parts.Shape, p.Parts.Model.Name,
		text.Count(len(tools), "tool"), strings.Join(tools, ", "))}
	var doubts []string
	for _, warning := range p.Warnings {
		doubts = append(doubts, strings.TrimPrefix(warning, "agents."+p.Name+": "))
	}
	for _, left := range kit.left {
		doubts = append(doubts, "it does without "+strings.TrimSuffix(left, "; citewell doctor tests it"))
	}
	if shape := p.Parts.Shape; shape != agent.ShapeSGR && shape != agent.ShapeIron {
		// What keeps the model from being asked at all is its own probe's to say.
		if can, err := model.Capabilities(ctx); err == nil && can.Tools == llm.Cannot {
			doubts = append(doubts, "its model does not call tools: it has to write its calls out, or is asked for "+
				"JSON in their place")
			answer.Hint = "sgr_agent and iron_agent need no calls: research --agent sgr_agent, or base_class: SGRAgent"
		}
	}
	answer.Doubt = strings.Join(doubts, "; ")
	return answer, nil
}

// warnings says what speaks against relying on runs of an agent: its model's failing at a
// small question, and what it does without.
func (a *App) warnings(ctx context.Context, d job.Definition) []string {
	parts, err := partsOf(d)
	if err != nil || parts.Brief {
		return nil
	}
	var all []string
	if doubt := a.doubt(ctx, d.Name, parts); doubt != "" {
		all = append(all, doubt)
	}
	kit, err := a.kitOf(ctx, parts, a.agentSettings(d.Name))
	if err != nil { // the run says so
		return all
	}
	for _, left := range kit.left {
		all = append(all, fmt.Sprintf("%s does without %s", d.Name, left))
	}
	return all
}
