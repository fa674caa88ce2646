package app

import (
	"cmp"
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/llm"
)

// Other than the rest of bench, questions are put to what the user has configured: the
// figures are of an agent, a model and search providers together.

// NoJudge names no model: answers are graded by words.
const NoJudge = "none"

// BenchJudge is the model that grades: the configured one, or another at the same endpoint. nil without a model.
func (a *App) BenchJudge(name string) (bench.Judge, error) {
	switch {
	case name == NoJudge, name == "" && len(a.Models) == 0:
		return nil, nil
	case len(a.Models) == 0:
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "bench",
			Message: "there is no endpoint to ask " + name + " at", Hint: "set llm.base_url and llm.model"}
	case name == "" || name == a.Models[0].Name():
		return a.Models[0], nil
	}
	o := a.Models[0].Options()
	o.Model, o.ContextWindow, o.Price = name, llm.AutoWindow, priceOf(a.Config, name)
	return a.clientOf(o, a.Config.LLM.Proxy)
}

// BenchAgent is an agent that answers questions, each by a run of its own.
func (a *App) BenchAgent(ctx context.Context, name string) (bench.Contestant, error) {
	runs, err := a.NewRuns(ctx, RunsOptions{})
	if err != nil {
		return bench.Contestant{}, err
	}
	d, err := runs.Agent(name)
	if err != nil {
		return bench.Contestant{}, err
	}
	parts, err := partsOf(d)
	if err != nil {
		return bench.Contestant{}, err
	}
	model, err := a.modelFor(parts.Model, a.agentSettings(d.Name))
	if err != nil {
		return bench.Contestant{}, err
	}
	asker := benchAsker{a, runs, d.Name}
	return bench.Contestant{Name: d.Name, Model: d.Model, Priced: model.Price().Known(), Ask: asker.ask,
		Archive: a.Archive()}, nil
}

// A benchAsker puts questions to an agent.
type benchAsker struct {
	*App
	runs *Runs
	name string
}

// What a run that asks is told: a bench has nobody who could answer, and no agent may ask forever.
const (
	nobodyAnswers = "Nobody can be asked here. Take the question in its most likely meaning, and give the answer."
	maxAnswered   = 10
)

// ask begins the run of an id, or finds it, and brings it to its end.
func (b benchAsker) ask(ctx context.Context, id, question string) (bench.Attempt, error) {
	id = job.IDOf(b.name, "bench qa", id)
	run, err := b.Store.Run(ctx, id) // which goes on as it was begun, whatever is configured by now
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		run, err = b.runs.Start(ctx, job.Start{ID: id, Agent: b.name, Task: question})
	}
	for answered := 0; err == nil && !run.State.Ended(); {
		if run, err = b.runs.Executor.Execute(ctx, id); err != nil || run.State != runstore.RunWaiting {
			continue
		}
		if answered++; answered > maxAnswered {
			_, err = b.runs.Cancel(ctx, id)
		} else if err = b.runs.Answer(ctx, id, nobodyAnswers); citewell.CodeOf(err) == citewell.CodeInvalidArgument {
			err = nil // somebody else did
		}
	}
	if err != nil {
		return bench.Attempt{}, err
	}
	r, err := b.runs.Result(ctx, id)
	if err != nil {
		return bench.Attempt{}, err
	}
	attempt := bench.Attempt{Run: id, Outcome: string(r.Outcome), Answer: r.Answer, Usage: r.Usage,
		Texts: []bench.CitedText{{Text: r.Answer, Sources: r.Sources}}}
	if r.Report != nil {
		kept := r.Report.Brief()
		attempt.Brief = &kept
		if r.Report.Content != r.Answer {
			attempt.Texts = append(attempt.Texts, bench.CitedText{Text: r.Report.Content, Sources: r.Report.Sources})
		}
		attempt.Answer = cmp.Or(attempt.Answer, r.Report.Content)
	}
	failed := func(code citewell.Code) { attempt.Failed = &citewell.ErrorView{Code: code, Message: r.Reason} }
	switch {
	case r.Outcome == runstore.RunModelFailed:
		failed(citewell.CodeModelFailed)
	case r.State == runstore.RunCancelled:
		failed(citewell.CodeCanceled)
	case r.State == runstore.RunError:
		failed(citewell.CodeInternal)
	case len(r.Sources) == 0:
		attempt.Failed, err = b.searchesFailed(ctx, id)
	}
	return attempt, err
}

// searchesFailed says what kept every search of a run from giving anything; nil where
// one was answered, or none was made.
func (b benchAsker) searchesFailed(ctx context.Context, id string) (*citewell.ErrorView, error) {
	calls, err := b.Store.Calls(ctx, id)
	if err != nil {
		return nil, err
	}
	var last string
	for _, c := range calls {
		switch {
		case c.Kind != runstore.CallProvider:
		case c.State == runstore.CallFailed:
			last = c.Key
		default:
			return nil, nil
		}
	}
	if last == "" {
		return nil, nil
	}
	record, err := b.Store.LookupCall(ctx, id, last)
	return record.Err, err
}

// BenchResearch answers questions without a model, as web_research does.
func (a *App) BenchResearch(ctx context.Context) (bench.Contestant, error) {
	writer, err := a.Brief(ctx, agentplan.Sources{})
	if err != nil {
		return bench.Contestant{}, err
	}
	ask := func(ctx context.Context, _, question string) (bench.Attempt, error) {
		b, err := writer.Research(ctx, brief.ResearchRequest{Topic: question})
		attempt := bench.Attempt{Run: b.ID, Brief: &b}
		if citewell.CodeOf(err) == citewell.CodeAllProvidersFailed {
			view := citewell.View(err)
			attempt.Failed, err = &view, nil
		}
		var said []string
		for _, f := range b.Findings {
			said = append(said, f.Text)
		}
		attempt.Answer = strings.Join(said, "\n")
		attempt.Usage.Searches, attempt.Usage.Fetches, attempt.Usage.ActiveMS = len(b.Queries), len(b.Coverage.Fetches),
			b.Coverage.WallMS
		return attempt, err
	}
	return bench.Contestant{Name: "web_research, no model", Ask: ask, Archive: a.Archive()}, nil
}
