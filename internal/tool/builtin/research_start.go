package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("research_start", newResearchStart, ofRuns) }

type researchStartInput struct {
	Task           string    `json:"task" jsonschema:"for when and where, in the language of the report" bounds:"1..200000"`
	Agent          string    `json:"agent,omitempty" jsonschema:"which agent; absent: that of from, else the first named above" bounds:"1..64"`
	From           string    `json:"from,omitempty" jsonschema:"id of an ended run on whose report and sources the task goes on" bounds:"1..200"`
	Budget         runBudget `json:"budget,omitzero" jsonschema:"at most the agent's own; when it is spent, the run answers from what it has"`
	IdempotencyKey string    `json:"idempotency_key,omitempty" jsonschema:"of your own; the same again gives the same run" bounds:"1..200"`
}

type researchStartOutput struct {
	ID    string            `json:"id" jsonschema:"what the other research tools want"`
	Agent string            `json:"agent"`
	State runstore.RunState `json:"state" jsonschema:"inited, researching, waiting_for_clarification, completed, failed, error or cancelled"`
	Next  string            `json:"next" jsonschema:"what to call now"`
}

// Text is the output as a model reads it.
func (o researchStartOutput) Text() string {
	return fmt.Sprintf("Run %s (%s): %s\nNext: %s", o.ID, o.Agent, o.State, o.Next)
}

func newResearchStart(runs Runs) *tool.Tool {
	spec := tool.Spec{Name: "research_start", Title: "Start a research run",
		Description: tool.Description(descriptions, "research_start"),
		Hints:       tool.Hints{OpenWorld: true}, Hidden: runs.withoutRuns()}
	if runs.Desk != nil {
		spec.Description += "\n\nAgents: " + tool.Shorten(strings.Join(runs.agents(), ", "), 200)
	}
	return tool.New(spec, func(ctx context.Context, in researchStartInput) (researchStartOutput, error) {
		start := job.Start{Task: in.Task, From: strings.TrimSpace(in.From), Budget: job.Budget(in.Budget)}
		if err := runs.choose(ctx, &start, strings.TrimSpace(in.Agent)); err != nil {
			return researchStartOutput{}, err
		}
		if in.IdempotencyKey != "" {
			start.ID = job.IDOf(start.Agent, tool.CallerOf(ctx).Name, in.IdempotencyKey)
		}
		run, err := runs.Desk.Start(ctx, start)
		if citewell.CodeOf(err) == citewell.CodeRunExists {
			return researchStartOutput{}, &citewell.Error{Code: citewell.CodeRunExists, Op: "research_start",
				Message: "idempotency_key already belongs to another task or budget: run " + start.ID,
				Hint:    "take another key, or call research_status with that id", Err: err}
		}
		if err != nil && start.From != "" {
			return researchStartOutput{}, runs.ofRun(ctx, start.From, err)
		}
		if err != nil {
			return researchStartOutput{}, err
		}
		return researchStartOutput{run.ID, run.Agent, run.State, runs.next(job.Status{Run: run})}, nil
	})
}

// choose sets the agent that a run is begun with.
func (runs Runs) choose(ctx context.Context, start *job.Start, name string) error {
	if known := runs.agents(); name != "" && !slices.Contains(known, name) {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "research_start",
			Message: fmt.Sprintf("there is no agent %.64q", name) + text.DidYouMean(name, known),
			Hint:    "agents: " + strings.Join(known, ", ")}
	}
	var err error
	start.Agent, err = runs.Desk.AgentFor(ctx, name, start.From)
	return runs.ofRun(ctx, start.From, err)
}

// agents are the names that runs can be begun with, the default first.
func (runs Runs) agents() (names []string) {
	for _, a := range runs.Desk.Agents() {
		names = append(names, a.Name)
	}
	return names
}
