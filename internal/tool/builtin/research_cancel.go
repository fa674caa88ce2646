package builtin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

func init() { register("research_cancel", newResearchCancel, ofRuns) }

// runID is the argument of a tool that wants a run and nothing else.
type runID struct {
	ID string `json:"id" bounds:"1..200"`
}

type researchCancelOutput struct {
	ID    string            `json:"id"`
	State runstore.RunState `json:"state" jsonschema:"cancelled, or how it had ended before"`
	Ended bool              `json:"ended" jsonschema:"whether it is over; false where the process that executes it has not let it go yet"`
	Next  string            `json:"next" jsonschema:"what to call now"`
}

// Text is the output as a model reads it.
func (o researchCancelOutput) Text() string {
	return fmt.Sprintf("Run %s: %s\nNext: %s", o.ID, o.State, o.Next)
}

// cancelWait is how long cancelling waits for who executes the run: twice what it may take.
const cancelWait = 4 * time.Second

func newResearchCancel(runs Runs) *tool.Tool {
	return tool.New(tool.Spec{Name: "research_cancel", Title: "End a research run",
		Description: tool.Description(descriptions, "research_cancel"),
		Hints:       tool.Hints{Destructive: true, Idempotent: true}, Hidden: runs.withoutRuns()},
		func(ctx context.Context, in runID) (researchCancelOutput, error) {
			id := strings.TrimSpace(in.ID)
			run, err := runs.Desk.Cancel(ctx, id)
			if err != nil {
				return researchCancelOutput{}, runs.ofRun(ctx, id, err)
			}
			s := job.Status{Run: run}
			if !run.State.Ended() {
				quiet := tool.WithCaller(ctx, tool.Caller{Name: tool.CallerOf(ctx).Name})
				if s, err = runs.awaitRun(quiet, id, cancelWait); err != nil {
					return researchCancelOutput{}, err
				}
			}
			return researchCancelOutput{s.ID, s.State, s.State.Ended(), runs.next(s)}, nil
		})
}
