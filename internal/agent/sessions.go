package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// Bounds of what sessions keep in memory.
const (
	maxSessions     = 64      // the one that was used longest ago is forgotten first
	maxSessionTexts = 4 << 20 // bytes of the sources that one has read; the oldest go first
	maxNumbers      = 999     // of one piece of work: a mark [n] has three figures at most
)

// Sessions have the agent's own tools for callers that are no run of ours: an agent of somebody else's, which makes the
// calls itself. What it searches and reads in a session (tool.Caller.Session) has stable numbers, and its report is
// checked against them as a run's is. What is searched or read after final_answer_tool is other work, whose numbers
// begin anew.
//
// No budget is counted: that is the caller's business. A toolset that keeps to SGR's contract (tool.Toolset.Original)
// has its limit of searches for each piece of work, and says where a report's file is. Sessions are of this process,
// and end with it; reports and what they cite are kept.
type Sessions struct {
	agent       *Agent
	maxSearches int

	mu    sync.Mutex
	open  map[string]*session
	order []string // by use, the latest last
}

// A session is the work of one caller.
type session struct {
	mu    sync.Mutex // of run, but not while it fetches
	run   *run
	calls int
	over  bool // it was answered finally
	// maxSearches bounds each piece of work, where the toolset keeps to that.
	maxSearches int
	// earlier are sources that the ledger has under an earlier report: each report has its own.
	earlier []*source
}

// NewSessions returns Sessions over the parts of o: Searcher, Reader, Archive,
// SaveReport and Render, and of its Limits MaxSearches, MaxResults and ContentLimit.
func NewSessions(o Options) *Sessions {
	o = o.withDefaults()
	maxSearches := o.Limits.MaxSearches
	o.Journal, o.Ask, o.Allow = unkept{}, nil, nil
	o.Budget = Budget{Searches: math.MaxInt, Fetches: math.MaxInt}
	o.Limits.MaxSearches = math.MaxInt
	return &Sessions{agent: &Agent{o}, maxSearches: maxSearches, open: map[string]*session{}}
}

// Tools returns the eight tools. They have the names, arguments and results of those of a run.
func (s *Sessions) Tools() []*tool.Tool {
	var all []*tool.Tool
	for _, t := range Tools() {
		spec := t.Spec
		switch {
		case t.Name == WebSearchTool && s.agent.o.Searcher == nil:
			spec.Hidden = "switch a search provider on"
		case t.Name == extractTool && s.agent.o.Reader == nil:
			spec.Hidden = "there is nothing to read pages with"
		}
		all = append(all, tool.Raw(spec, t.Input, t.Output, func(ctx context.Context,
			arguments json.RawMessage) (tool.Result, error) {
			return s.named(tool.CallerOf(ctx).Session).call(ctx, t, arguments)
		}))
	}
	return all
}

// named returns the session of a name.
func (s *Sessions) named(name string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.order, name); i >= 0 {
		s.order = append(slices.Delete(s.order, i, i+1), name)
		return s.open[name]
	}
	opened := &session{run: s.agent.outside(), maxSearches: s.maxSearches}
	s.open[name], s.order = opened, append(s.order, name)
	if len(s.order) > maxSessions {
		delete(s.open, s.order[0])
		s.order = s.order[1:]
	}
	return opened
}

// outside begins a piece of work that is no run.
func (a *Agent) outside() *run {
	id := runstore.NewRunID(a.o.Name)
	r := &run{Agent: a, id: id, outside: true, door: door.Bare(), state: runstore.RunResearching,
		made: map[string]int{}, rejections: map[string]int{}, talk: talk{ids: map[string]bool{}},
		spending: spending{budget: a.o.Budget, price: a.o.Price},
		shelf: shelf{sources: newSources(), seen: map[string]bool{}, named: map[string]bool{},
			checks: map[string]checked{}}}
	r.told.tell = func(Event) {}
	return r
}

// call makes one call. Several of a session are made at once only while they fetch.
func (s *session) call(ctx context.Context, t *tool.Tool, arguments json.RawMessage) (tool.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Name == WebSearchTool || t.Name == extractTool {
		if s.over {
			s.run, s.earlier, s.over = s.run.Agent.outside(), nil, false
		}
		if used := s.run.sources.gone + len(s.run.sources.list); used > maxNumbers-s.run.o.Limits.MaxResults {
			return tool.Result{}, &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: t.Name,
				Message: fmt.Sprintf("this work has %d sources, and no more can be cited by number", used),
				Hint:    "write what you have, and call final_answer_tool: numbers begin anew after it"}
		}
	}
	r := s.run
	if t.Name == WebSearchTool && toOriginal(ctx) && r.usage.Searches >= s.maxSearches {
		return tool.Result{}, &citewell.Error{Code: citewell.CodeBudgetExhausted, Op: t.Name,
			Message: usedUp(s.maxSearches, "search"),
			Hint: "write what you have, and call final_answer_tool: searches are counted anew after it; " +
				"search.max_searches says how many there are"}
	}
	s.calls++
	r.key = fmt.Sprintf("s%d", s.calls)
	if t.Name == createReportTool {
		for len(s.earlier) > 0 {
			if err := r.enter(ctx, s.earlier[0]); err != nil {
				return tool.Result{}, err
			}
			s.earlier = s.earlier[1:]
		}
	}
	result, err := t.Call(context.WithValue(ctx, runKey{}, r), arguments)
	if p, ok := result.Structured.(pending); ok && err == nil {
		s.mu.Unlock()
		p.fetch(ctx, r)
		s.mu.Lock()
		var text door.Text
		if text, err = p.settle(ctx, r); err == nil {
			result.Text, result.Structured = text.Shown(), p.shown()
		}
	}
	s.over = s.over || err == nil && t.Name == finalAnswerTool
	if err == nil && r.report != nil {
		err = s.keep(ctx)
	}
	for texts := r.sources.texts(); texts > maxSessionTexts && len(r.sources.list) > 1; texts = r.sources.texts() {
		r.sources.forget(1)
	}
	if err != nil {
		return tool.Result{}, err
	}
	return result, nil
}

// keep ends what belongs to one report: the next is another.
func (s *session) keep(ctx context.Context) error {
	r := s.run
	report := r.report
	r.id, s.earlier = runstore.NewRunID(r.o.Name), nil
	for _, known := range r.sources.list {
		if known.settled {
			s.earlier = append(s.earlier, known)
		}
	}
	r.report, r.path, r.task, r.checks = nil, "", "", map[string]checked{}
	clear(r.rejections)
	if r.o.Archive == nil {
		return nil
	}
	if err := r.o.Archive.PutBrief(ctx, report.Brief()); err != nil {
		return fmt.Errorf("agent: report: %w", err)
	}
	return nil
}

// unkept is the journal of who keeps none.
type unkept struct{}

func (unkept) Lookup(context.Context, Call) (Entry, bool, error) { return Entry{}, false, nil }
func (unkept) Begin(context.Context, Call) error                 { return nil }
func (unkept) Finish(context.Context, Call, Entry) error         { return nil }
func (unkept) Sync(context.Context) error                        { return nil }
