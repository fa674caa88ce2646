package agent

import (
	"context"
	"embed"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
)

//go:embed prompts/tools/*.md
var descriptions embed.FS

// The agent's own tools. answer_tool is the dialog agent's.
const (
	reasoningTool     = "reasoning_tool"
	generatePlanTool  = "generate_plan_tool"
	adaptPlanTool     = "adapt_plan_tool"
	clarificationTool = "clarification_tool"
	WebSearchTool     = "web_search_tool"
	extractTool       = "extract_page_content_tool"
	createReportTool  = "create_report_tool"
	finalAnswerTool   = "final_answer_tool"
	answerTool        = "answer_tool"
)

// runKey is that of the run in the context of a call of one of these tools.
type runKey struct{}

// own makes a tool of a function of a run.
func own[In, Out any](name, title string, hints tool.Hints, f func(context.Context, *run, In) (Out, error)) *tool.Tool {
	s := tool.Spec{Name: name, Title: title, Description: tool.Description(descriptions, "prompts/tools/"+name),
		Hints: hints}
	return tool.New(s, func(ctx context.Context, in In) (Out, error) {
		r, _ := ctx.Value(runKey{}).(*run)
		if r == nil {
			var none Out
			return none, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: name,
				Message: name + " works inside an agent's run only", Hint: "start a run instead"}
		}
		return f(ctx, r, in)
	})
}

// A Reasoning is where the model says it stands.
type Reasoning struct {
	ReasoningSteps   []string `json:"reasoning_steps"`
	CurrentSituation string   `json:"current_situation"`
	PlanStatus       string   `json:"plan_status"`
	EnoughData       bool     `json:"enough_data"`
	RemainingSteps   []string `json:"remaining_steps"`
	TaskCompleted    bool     `json:"task_completed"`
}

// reasoningInput is a Reasoning as it is asked for.
type reasoningInput struct {
	ReasoningSteps   []string `json:"reasoning_steps" jsonschema:"short steps" bounds:"2..3"`
	CurrentSituation string   `json:"current_situation" jsonschema:"what is known and what is missing now" bounds:"..300"`
	PlanStatus       string   `json:"plan_status" jsonschema:"how far the plan is" bounds:"..150"`
	EnoughData       bool     `json:"enough_data,omitempty" jsonschema:"whether enough was collected to answer" default:"false"`
	RemainingSteps   []string `json:"remaining_steps" jsonschema:"the next one first" bounds:"1..3"`
	TaskCompleted    bool     `json:"task_completed" jsonschema:"whether the task is finished"`
}

// reasoning needs no run: what it is given is its result.
var reasoning = tool.New(tool.Spec{Name: reasoningTool, Title: "Think about the next step",
	Description: tool.Description(descriptions, "prompts/tools/"+reasoningTool),
	Hints:       tool.Hints{ReadOnly: true, Idempotent: true}},
	func(_ context.Context, in reasoningInput) (Reasoning, error) { return Reasoning(in), nil })

type generatePlanInput struct {
	Reasoning        string   `json:"reasoning" jsonschema:"why this approach"`
	ResearchGoal     string   `json:"research_goal" jsonschema:"what to find out"`
	PlannedSteps     []string `json:"planned_steps" jsonschema:"in order" bounds:"3..4"`
	SearchStrategies []string `json:"search_strategies" jsonschema:"ways to search" bounds:"2..3"`
}

type generatedPlan struct {
	ResearchGoal     string   `json:"research_goal"`
	PlannedSteps     []string `json:"planned_steps"`
	SearchStrategies []string `json:"search_strategies"`
	answer           string   // of the user, where it was asked for
}

func (p generatedPlan) words() []string {
	if p.answer == "" {
		return nil
	}
	return []string{p.answer}
}

func (p generatedPlan) tells(e *Event) { e.Plan = &Planned{p.ResearchGoal, p.PlannedSteps} }

func newGeneratePlan() *tool.Tool {
	return own(generatePlanTool, "Plan the research", tool.Hints{ReadOnly: true},
		func(ctx context.Context, r *run, in generatePlanInput) (generatedPlan, error) {
			r.news, r.planned = r.news || !r.planned, true
			plan := generatedPlan{ResearchGoal: in.ResearchGoal, PlannedSteps: in.PlannedSteps,
				SearchStrategies: in.SearchStrategies}
			err := r.approve(ctx, &plan)
			return plan, err
		})
}

type adaptPlanInput struct {
	Reasoning    string   `json:"reasoning" jsonschema:"what was found"`
	OriginalGoal string   `json:"original_goal" jsonschema:"the goal so far"`
	NewGoal      string   `json:"new_goal" jsonschema:"the goal from now on"`
	PlanChanges  []string `json:"plan_changes" jsonschema:"changes" bounds:"1..3"`
	NextSteps    []string `json:"next_steps" jsonschema:"remaining steps" bounds:"2..4"`
}

type adaptedPlan struct {
	OriginalGoal string   `json:"original_goal"`
	NewGoal      string   `json:"new_goal"`
	PlanChanges  []string `json:"plan_changes"`
	NextSteps    []string `json:"next_steps"`
}

func (p adaptedPlan) tells(e *Event) { e.Plan = &Planned{p.NewGoal, p.NextSteps} }

func newAdaptPlan() *tool.Tool {
	return own(adaptPlanTool, "Adapt the plan", tool.Hints{ReadOnly: true},
		func(_ context.Context, _ *run, in adaptPlanInput) (adaptedPlan, error) {
			return adaptedPlan{in.OriginalGoal, in.NewGoal, in.PlanChanges, in.NextSteps}, nil
		})
}
