package app

import (
	"context"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runlog"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/watch"
)

// Runs are where research runs are begun and told of, and what executes them in this
// process once it is set to work (Executor.Serve, Executor.Execute).
type Runs struct {
	*job.Desk
	Executor *job.Executor
	Watches  *watch.Desk
}

// RunsOptions say how runs are begun and executed.
type RunsOptions struct {
	Sources     agentplan.Sources  // of runs that are begun here
	Taken, Left func(runstore.Run) // as job.ExecutorOptions
}

// Runs returns the runs of this App's store, the same each time.
func (a *App) Runs(ctx context.Context) (*Runs, error) {
	return a.runs.get("", func() (*Runs, error) { return a.NewRuns(ctx, RunsOptions{}) })
}

// NewRuns returns the runs of this App's store with an executor of its own.
func (a *App) NewRuns(ctx context.Context, o RunsOptions) (*Runs, error) {
	if a.Store == nil {
		return nil, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "runs",
			Message: "there is no store to keep runs in"}
	}
	if _, err := a.providers(ctx, o.Sources); err != nil {
		return nil, err
	}
	agents, err := a.agents(o.Sources)
	if err != nil {
		return nil, err
	}
	taken := func(run runstore.Run) {
		a.telemetry.CountTaken()
		if o.Taken != nil {
			o.Taken(run)
		}
	}
	executor := job.NewExecutor(job.ExecutorOptions{Runs: a.Store, Kept: a.Store, Build: a.buildAgent,
		Warnings: a.warnings, Places: a.places, LeaseTTL: a.DB.LeaseTTL(), Taken: taken, Left: o.Left, Within: a.within,
		Ended: a.ended, Log: a.log})
	desk := job.NewDesk(a.telemetry.Counting(a.Store), agents, executor.Wake)
	desk.Origin, desk.MayBegin, desk.Offers = a.telemetry.Parent, a.quota().MayBegin, a.offer
	watches := watch.New(desk, a.Store, a.log)
	watches.Stands = a.quota().HasToken
	return &Runs{desk, executor, watches}, nil
}

// ended hears of each run that is over; a job.ExecutorOptions.Ended.
func (a *App) ended(ctx context.Context, run runstore.Run, told []agent.Event, result agent.Result) {
	a.telemetry.HearEnd(run, result)
	if err := a.keepRunLog(ctx, run, told); err != nil {
		a.log.Warn("the log of a run was not kept", "run", run.ID, "error", err)
	}
}

// keepRunLog keeps SGR's log of a run that is over, where its agent has a folder for it.
func (a *App) keepRunLog(ctx context.Context, run runstore.Run, told []agent.Event) error {
	d, err := job.AgentOf(run)
	if err != nil {
		return err
	}
	parts, err := partsOf(d)
	if err != nil || parts.LogDir == "" {
		return err
	}
	kit, err := a.kitOf(ctx, parts, a.agentSettings(d.Name))
	if err != nil {
		return err
	}
	events, err := job.AllEvents(ctx, a.Store, run.ID)
	if err != nil {
		return err
	}
	m := parts.Model
	return runlog.Keep(a.ownFolder(parts.LogDir), run, runlog.Model{BaseURL: m.BaseURL, Model: m.Name,
		MaxTokens: m.MaxTokens, Temperature: m.Temperature}, toolkit(parts, kit), told, events)
}

// HasModel says what keeps agents that need a model from being executed here.
func (a *App) HasModel() error {
	if len(a.Models) > 0 || slices.ContainsFunc(a.agentNames, func(name string) bool {
		return a.Config.Agents[name].LLM.Model != ""
	}) {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "runs",
		Message: "executing runs needs a chat model", Hint: "set llm.base_url and llm.model"}
}
