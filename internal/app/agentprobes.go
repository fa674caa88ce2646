package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/text"
)

// agentProbes lists the configured agents: what each is made of, and what it does
// without. Its model and servers are tried by themselves.
func (a *App) agentProbes() []doctor.Probe {
	var probes []doctor.Probe
	for _, p := range plans(a.Config, a.agentNames) {
		if _, configured := a.Config.Agents[p.name]; !configured {
			continue
		}
		probe := doctor.Probe{Part: "agent", Name: p.name}
		if p.err != nil && (isPath(p.from.BaseClass) || citewell.CodeOf(p.err) == citewell.CodeModelNotConfigured) {
			probe.Off = said(p.err)
		} else {
			probe.Try = func(ctx context.Context) (doctor.Answer, error) { return a.tryAgent(ctx, p) }
		}
		probes = append(probes, probe)
	}
	return probes
}

func (a *App) tryAgent(ctx context.Context, p plan) (doctor.Answer, error) {
	if p.err != nil {
		return doctor.Answer{}, p.err
	}
	model, err := a.modelFor(p.parts.Model, p.from)
	if err != nil {
		return doctor.Answer{}, err
	}
	kit, err := a.kitOf(ctx, p.parts, p.from)
	if err != nil {
		return doctor.Answer{}, err
	}
	tools := toolkit(p.parts, kit)
	answer := doctor.Answer{Detail: fmt.Sprintf("%s, %s, %s: %s", p.parts.Shape, p.parts.Model.Name, text.Count(len(tools), "tool"), strings.Join(tools, ", "))}
	var doubts []string
	for _, warning := range p.warnings {
		doubts = append(doubts, strings.TrimPrefix(warning, "agents."+p.name+": "))
	}
	for _, left := range kit.left {
		doubts = append(doubts, "it does without "+strings.TrimSuffix(left, "; citewell doctor tries it"))
	}
	if shape := p.parts.Shape; shape != agent.ShapeSGR && shape != agent.ShapeIron {
		// What keeps the model from being asked at all is its own probe's to say.
		if can, err := model.Capabilities(ctx); err == nil && can.Tools == llm.Cannot {
			doubts = append(doubts, "its model does not call tools: it has to write its calls out, or is asked for JSON in their place")
			answer.Hint = "sgr_agent and iron_agent need no calls: research --agent sgr_agent, or base_class: SGRAgent"
		}
	}
	answer.Doubt = strings.Join(doubts, "; ")
	return answer, nil
}
