package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("research_answer", newResearchAnswer, ofRuns) }

type researchAnswerInput struct {
	ID     string `json:"id" bounds:"1..200"`
	Answer string `json:"answer" bounds:"1..15000"`
}

type researchAnswerOutput struct {
	ID    string            `json:"id"`
	State runstore.RunState `json:"state"`
	Next  string            `json:"next" jsonschema:"what to call now"`
}

// Text is the output as a model reads it.
func (o researchAnswerOutput) Text() string {
	return fmt.Sprintf("The answer was taken. Run %s: %s\nNext: %s", o.ID, o.State, o.Next)
}

func newResearchAnswer(runs Runs) *tool.Tool {
	return tool.New(tool.Spec{Name: "research_answer", Title: "Answer a research run's question",
		Description: tool.Description(descriptions, "research_answer"),
		Hints:       tool.Hints{Idempotent: true}, Hidden: runs.withoutRuns()},
		func(ctx context.Context, in researchAnswerInput) (researchAnswerOutput, error) {
			id := strings.TrimSpace(in.ID)
			if err := runs.Desk.Answer(ctx, id, in.Answer); err != nil {
				if v := citewell.View(err); v.Code == citewell.CodeInvalidArgument {
					return researchAnswerOutput{}, &citewell.Error{Code: v.Code, Op: "research_answer",
						Message: v.Message,
						Hint: "call research_status with this id and wait_seconds 50: it says when the run waits for " +
							"an answer", Err: err}
				}
				return researchAnswerOutput{}, runs.ofRun(ctx, id, err)
			}
			s, err := runs.Desk.Status(ctx, id)
			if err != nil {
				return researchAnswerOutput{}, err
			}
			return researchAnswerOutput{s.ID, s.State, runs.next(s)}, nil
		})
}
