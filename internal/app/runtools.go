package app

import (
	"context"
	"iter"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/llm"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool/builtin"
)

// runTools are runs as tools want them: what a model wrote in them without what only a
// machine or a terminal would obey.
type runTools struct {
	job.Service
	executor *job.Executor
}

// Agents implements builtin.Runs.
func (r runTools) Agents() []string {
	var names []string
	for _, d := range r.Service.Agents() {
		names = append(names, d.Name)
	}
	return names
}

// Executed implements builtin.Runs.
func (r runTools) Executed() bool { return r.executor.Serving() }

// IDOf implements builtin.Runs.
func (r runTools) IDOf(agent, caller, key string) string { return job.IDOf(agent, caller, key) }

// Start implements builtin.Runs.
func (r runTools) Start(ctx context.Context, s builtin.RunStart) (store.Run, error) {
	return r.Service.Start(ctx, job.Start{ID: s.ID, Agent: s.Agent, Task: s.Task, From: s.From, Budget: job.Budget(s.Budget)})
}

// Status implements builtin.Runs.
func (r runTools) Status(ctx context.Context, id string) (builtin.RunStatus, error) {
	s, err := r.Service.Status(ctx, id)
	if err != nil {
		return builtin.RunStatus{}, err
	}
	s.Detail = llm.Neutralize(s.Detail)
	status := builtin.RunStatus{Run: s.Run, Task: s.Task, Iteration: s.Iteration, Searches: s.Searches, Clarifications: s.Clarifications, Sources: s.Sources}
	if q := s.Question; q != nil {
		status.Question = &builtin.RunQuestion{Key: q.Key, Text: llm.Neutralize(q.Text), Questions: []string{}}
		for _, each := range q.Questions {
			status.Question.Questions = append(status.Question.Questions, llm.Neutralize(each))
		}
	}
	return status, nil
}

func runEvent(e store.RunEvent) builtin.RunEvent {
	return builtin.RunEvent{Seq: e.Seq, Time: e.Time, Text: job.Line(e), Turns: e.Type == store.EventState}
}

// Events implements builtin.Runs.
func (r runTools) Events(ctx context.Context, id string, after int64, limit int) ([]builtin.RunEvent, error) {
	events, err := r.Service.Events(ctx, id, after, limit)
	if err != nil {
		return nil, err
	}
	list := make([]builtin.RunEvent, len(events))
	for i, e := range events {
		list[i] = runEvent(e)
	}
	return list, nil
}

// Follow implements builtin.Runs.
func (r runTools) Follow(ctx context.Context, id string, after int64) iter.Seq2[builtin.RunEvent, error] {
	return func(yield func(builtin.RunEvent, error) bool) {
		for e, err := range r.Service.Follow(ctx, id, after) {
			if !yield(runEvent(e), err) {
				return
			}
		}
	}
}

// Result implements builtin.Runs.
func (r runTools) Result(ctx context.Context, id string) (builtin.RunResult, error) {
	result, err := r.Service.Result(ctx, id)
	if err != nil {
		return builtin.RunResult{}, err
	}
	s, err := r.Service.Status(ctx, id)
	if err != nil {
		return builtin.RunResult{}, err
	}
	s.Detail = llm.Neutralize(s.Detail)
	return builtin.RunResult{Run: s.Run, Answer: llm.Neutralize(result.Answer), Report: result.Report, Warnings: result.Warnings, Usage: builtin.RunUsage(result.Usage)}, nil
}

// Newest implements builtin.Runs.
func (r runTools) Newest(ctx context.Context, limit int) ([]builtin.RunStatus, error) {
	runs, _, err := r.List(ctx, store.RunQuery{Limit: limit})
	if err != nil {
		return nil, err
	}
	list := make([]builtin.RunStatus, len(runs))
	for i, run := range runs {
		list[i] = builtin.RunStatus{Run: run, Task: job.Task(run)}
	}
	return list, nil
}
