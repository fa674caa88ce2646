package app

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/server/mcpserver"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/store"
)

// reports are those of runs, as MCP's resources.
type reports struct{ desk job.Service }

// Report implements mcpserver.Reports.
func (r reports) Report(ctx context.Context, run string) (string, error) {
	result, err := r.desk.Result(ctx, run)
	if err != nil && citewell.CodeOf(err) != citewell.CodeInvalidArgument { // one that has not ended
		return "", err
	}
	if result.Report == nil {
		return "", &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: "the run has no report"}
	}
	return report.RunText(*result.Report), nil
}

// reportsListed is how many runs one page of the list has.
const reportsListed = 50

// Reported implements mcpserver.Reports. Those that ended otherwise than with an answer
// mostly have no report.
func (r reports) Reported(ctx context.Context, cursor string) ([]mcpserver.Reported, string, error) {
	runs, next, err := r.desk.List(ctx, store.RunQuery{States: []store.RunState{store.RunCompleted}, Limit: reportsListed, Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	list := make([]mcpserver.Reported, len(runs))
	for i, run := range runs {
		list[i] = mcpserver.Reported{ID: run.ID, Task: job.Task(run), EndedAt: run.EndedAt}
	}
	return list, next, nil
}
