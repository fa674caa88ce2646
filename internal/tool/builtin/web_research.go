package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("web_research", newWebResearch, ofBriefs) }

type webResearchInput struct {
	Topic      string   `json:"topic" jsonschema:"topic or question" bounds:"1..2000"`
	Depth      int      `json:"depth,omitempty" jsonschema:"1: the topic, or each side of A vs B; 2: also each part of an \"and\"; 3: more results" default:"2" bounds:"1..3"`
	Sources    []string `json:"sources,omitempty" jsonschema:"kinds, as in web_search" bounds:"0..9"`
	MaxSources int      `json:"max_sources,omitempty" jsonschema:"one a domain; 8 to 10 for broad coverage" default:"5" bounds:"1..10"`
}

func newWebResearch(briefs Briefs) *tool.Tool {
	return tool.New(tool.Spec{
		Name: "web_research", Title: "Research a topic", Description: tool.Description(descriptions, "web_research"),
		Hints: tool.Hints{ReadOnly: true, OpenWorld: true},
	}, func(ctx context.Context, in webResearchInput) (webSearchOutput, error) {
		writer, err := briefs(ctx)
		if err != nil {
			return webSearchOutput{}, err
		}
		scope, err := writer.Scope(in.Sources)
		if err != nil {
			return webSearchOutput{}, err
		}
		b, err := writer.Research(ctx, brief.ResearchRequest{Topic: in.Topic, Sources: scope, Depth: in.Depth,
			MaxSources: in.MaxSources, Progress: briefProgress(ctx)})
		if err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
			return webSearchOutput{}, err
		}
		out := webSearchOutput{Brief: b, text: report.Research(b), failed: err}
		out.Passages = nil
		return out, nil
	})
}
