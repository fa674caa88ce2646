// Package briefrun plays a run that is a brief: research on a topic without a model, with a log, a journal and a report
// like an agent's run.
//
// Flow: Task → brief.Writer.Research, its searches through the journal → the brief, in the journal as a whole → ledger,
// report → agent.Result.
// Durability: a finished search is not repeated, and neither is anything once the brief is in the journal. Pages
// fetched before a crash come from the fetcher's cache while it has them. A crash leaves nothing else behind: the
// ledger is written from the journal.
// Limits: those of brief.Research, and Options.Budget.
// Errors: Result says how a run ended. Run's own error is a store or journal that failed, a bad Task, or the end of
// ctx.
// Concurrency: an Agent serves one run.
package briefrun

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
)

// Options are what an Agent is made of. All but Scope and Tell are required.
type Options struct {
	Name    string        // of the definition
	Brief   brief.Options // the parts of the writer
	Scope   search.Scope  // where it looks; its zero value is what the topic calls for
	Journal agent.Journal
	Budget  agent.Budget // of which searches, fetches and time count; 0 is no wall
	Tell    func(agent.Event)
}

// An Agent researches one task.
type Agent struct {
	o Options

	mu        sync.Mutex
	usage     agent.Usage
	began     time.Time       // its research, in this process
	cutOff    func() bool     // whether that was ended from outside
	begun     map[string]bool // calls of this process, by key
	broken    error           // what the journal said when it failed
	calls     map[string]int  // that were told, by their ids
	spentTold time.Time       // when usage was told last
}

// New returns an Agent.
func New(o Options) *Agent {
	if o.Tell == nil {
		o.Tell = func(agent.Event) {}
	}
	return &Agent{o: o, begun: map[string]bool{}, calls: map[string]int{}}
}

// made is what the journal keeps of a brief that was made.
type made struct {
	Brief   citewell.Brief      `json:"brief"`
	Entries []entry             `json:"entries"` // of the ledger, by source
	Failed  *citewell.ErrorView `json:"failed,omitempty"`
	Usage   agent.Usage         `json:"usage"`
	Known   int                 `json:"known,omitempty"` // sources that the run had from its beginning, the first
}

type entry struct {
	Source   citewell.Source    `json:"source"`
	Passages []citewell.Passage `json:"passages"`
}

// Run researches the task to its end. What the sources that it has from its beginning answer
// is not searched for; the words of the conversation before it are not looked at.
func (a *Agent) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	result := agent.Result{ID: t.ID, State: runstore.RunError, Sources: []citewell.Source{}}
	b, err := journalled(ctx, a, agent.Call{Key: "brief", Kind: agent.CallTool, Name: "research"},
		func(ctx context.Context) (made, error) { return a.research(ctx, t) })
	if err == nil {
		err = a.enter(ctx, b)
	}
	if ctx.Err() != nil {
		result.State, result.Outcome, result.Reason = runstore.RunCancelled, runstore.RunOutcomeCancelled,
			"it was cancelled"
		return result, fmt.Errorf("briefrun: %w", ctx.Err())
	}
	if err != nil {
		result.Reason = citewell.View(err).Message
		return result, err
	}
	a.told(b)
	a.o.Tell(agent.Event{Kind: "spent", Iteration: 1, Spent: &b.Usage})
	result.Usage, result.Iteration = b.Usage, 1
	result.Sources = append(result.Sources, b.Brief.Sources...)
	if b.Failed != nil {
		result.State, result.Outcome, result.Reason = runstore.RunFailed, runstore.RunNoSources, b.Failed.Message
		result.Answer = "No answer: " + b.Failed.Message
		return result, nil
	}
	r := report.OfBrief(b.Brief, a.o.Name)
	r.Lens = t.Lens
	if err := a.o.Brief.Archive.PutBrief(ctx, r.Brief()); err != nil {
		return result, fmt.Errorf("briefrun: report: %w", err)
	}
	result.State, result.Outcome, result.Report, result.Answer = runstore.RunCompleted, runstore.RunOutcome(r.Outcome),
		&r, r.Content
	switch b.Brief.Outcome {
	case citewell.BriefPartial:
		result.Reason = "a part of the question has no finding"
	case citewell.BriefUnanswered:
		result.Reason = "nothing that was read answers the question"
		if searchcall.DocumentsAlone(b.Brief.Coverage.Providers) {
			result.Reason += "; only your documents were looked at, since no other provider answered"
		}
	}
	return result, nil
}

// research makes the brief, under the run's own id, and keeps what the ledger is to have.
func (a *Agent) research(ctx context.Context, t agent.Task) (made, error) {
	former, err := a.goOn(ctx, t)
	if err != nil || len(former.Brief.Findings) > 0 {
		return former, err
	}
	a.began, a.cutOff = time.Now(), func() bool { return ctx.Err() != nil }
	a.spentTold = a.began
	o := a.o.Brief
	o.Cache = nil // a run is made for its task
	shelf := &shelf{Archive: o.Archive}
	o.Archive, o.Fetcher = shelf, pages{o.Fetcher, a}
	o.Providers = a.searching(o.Providers)
	if o.Standing != nil {
		o.Standing = a.settling(o.Standing)
	}
	b, err := brief.New(o).Research(a.waiting(ctx), brief.ResearchRequest{ID: t.ID, Topic: t.Text, Sources: a.o.Scope})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.ActiveMS = time.Since(a.began).Milliseconds()
	m := made{Brief: b, Entries: shelf.entries, Usage: a.usage}
	for i, e := range m.Entries { // what registers say of it came after it was entered
		if e.Source.N <= len(b.Sources) {
			m.Entries[i].Source = b.Sources[e.Source.N-1]
		}
	}
	switch citewell.CodeOf(err) {
	// the same whenever it is tried again
	case citewell.CodeAllProvidersFailed, citewell.CodeProviderNotConfigured, citewell.CodeInvalidArgument:
		view := citewell.View(err)
		m.Failed, err = &view, nil
	}
	if a.broken != nil {
		err = a.broken
	}
	if m.Known = former.Known; m.Known > 0 {
		m.behind(former.Brief.Sources)
	}
	return m, err
}

// enter writes the ledger of the run. It may be written again.
func (a *Agent) enter(ctx context.Context, b made) error {
	if err := a.o.Journal.Sync(ctx); err != nil {
		return fmt.Errorf("briefrun: journal: %w", err)
	}
	for _, e := range b.Entries {
		if err := a.o.Brief.Archive.AddSource(ctx, b.Brief.ID, e.Source, e.Passages); err != nil {
			return fmt.Errorf("briefrun: source %d: %w", e.Source.N, err)
		}
	}
	return nil
}

// told tells of the sources, and which of them were read.
func (a *Agent) told(b made) {
	for _, s := range b.Brief.Sources {
		a.o.Tell(agent.Event{Kind: "source", Iteration: 1, Name: s.URL, Text: s.Title, Number: s.N})
		kind := "read"
		switch {
		case s.N <= b.Known:
			kind = "kept"
		case !s.Outcome.Readable():
			kind = "unread"
		}
		a.o.Tell(agent.Event{Kind: kind, Iteration: 1, Name: s.URL, Text: s.Title, Number: s.N})
	}
}

// A shelf is an archive that keeps pages and waits with the ledger: a brief that is made
// again after a crash has other passages.
type shelf struct {
	brief.Archive
	mu      sync.Mutex
	entries []entry
}

func (s *shelf) AddSource(_ context.Context, _ string, source citewell.Source, passages []citewell.Passage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entries = append(s.entries, entry{source, passages})
	return nil
}

func (s *shelf) PutBrief(context.Context, citewell.Brief) error { return nil }

// journalled makes a call once, over all processes of the run. What the end of ctx cut off
// is made again.
func journalled[T any](ctx context.Context, a *Agent, c agent.Call, f func(context.Context) (T, error)) (T, error) {
	var value T
	failed := func(err error) (T, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.broken = fmt.Errorf("briefrun: journal: %w", err)
		return value, a.broken
	}
	kept, found, err := a.o.Journal.Lookup(ctx, c)
	switch {
	case err != nil:
		return failed(err)
	case found && kept.Error != nil:
		if len(kept.Result) > 0 {
			if err := json.Unmarshal(kept.Result, &value); err != nil {
				return failed(err)
			}
		}
		return value, &citewell.Error{Code: kept.Error.Code, Message: kept.Error.Message, Hint: kept.Error.Hint}
	case found:
		if err := json.Unmarshal(kept.Result, &value); err != nil {
			return failed(err)
		}
		return value, nil
	}
	a.mu.Lock()
	again := a.begun[c.Key]
	a.begun[c.Key] = true
	a.mu.Unlock()
	if again { // beside one that is under way, or was cut off
		return f(ctx)
	}
	if err := a.o.Journal.Begin(ctx, c); err != nil {
		return failed(err)
	}
	value, err = f(ctx)
	if ctx.Err() != nil || a.isBroken() {
		return value, err
	}
	var done agent.Entry
	if err != nil {
		view := citewell.View(err)
		done.Error = &view
	}
	var unwritten error
	if done.Result, unwritten = json.Marshal(value); unwritten != nil {
		return failed(unwritten)
	}
	if finished := a.o.Journal.Finish(ctx, c, done); finished != nil {
		return failed(finished)
	}
	return value, err
}

func (a *Agent) isBroken() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.broken != nil
}
