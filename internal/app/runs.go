package app

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
)

// Runs are where research runs are begun and told of, and what executes them in this
// process once it is set to work (Executor.Serve, Executor.Execute).
type Runs struct {
	*job.Desk
	Executor *job.Executor
}

// Runs returns the runs of this App's store.
func (a *App) Runs(context.Context) (*Runs, error) {
	if a.Store == nil {
		return nil, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs", Message: "there is no store to keep runs in"}
	}
	agents, err := a.agents()
	if err != nil {
		return nil, err
	}
	executor := job.NewExecutor(job.ExecutorOptions{Runs: a.Store, Build: a.buildAgent, Log: a.log})
	return &Runs{job.NewDesk(a.Store, agents, executor.Wake), executor}, nil
}
