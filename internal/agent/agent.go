// Package agent lets a model do research: it plans, searches, reads pages and writes a report, whose citations are all
// checked before it is accepted.
//
// Flow: Task → turns (the model chooses calls, code makes them) → report or final answer, verified → Result with a
// citewell.Report.
// Code decides which tools the model may call now, how much it may spend, which addresses it may fetch, and whether its
// report is accepted. A tool's error is a message to the model and never ends the run.
//
// Durability: each outside call is in the Journal before and after it is made. A run that is played again over its
// journal, with the same options, reaches the same source numbers and repeats no finished call.
// Untrusted words, also those of an error and of a tool's description, reach the model only through a door.Door: within
// an envelope. From then on a person decides about calls that act.
// Limits: Options.Limits and Options.Budget. At Limits.MaxIterations + 4, and if the model fails, code writes the
// answer from what was read. The size of the prompt is estimated at three bytes a token, and after the first answer by
// the endpoint's count.
// Errors: Result says how a run ended. Run's own error is a store or journal that failed, a bad Task, or the end of
// ctx.
// Concurrency: an Agent runs many runs at once; the parts it is given must allow that.
package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

// New returns an Agent. invalid_config where something is missing or unknown.
func New(o Options) (*Agent, error) {
	invalid := func(format string, args ...any) error {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "agent", Message: fmt.Sprintf(format, args...)}
	}
	o = o.withDefaults()
	switch o.Shape {
	case ShapeSGR, ShapeToolCalling, ShapeSGRToolCalling, ShapeIron, ShapeDialog:
	default:
		return nil, invalid("there is no agent shape %.60q; it must be %s, %s, %s, %s or %s", o.Shape, ShapeSGR,
			ShapeToolCalling, ShapeSGRToolCalling, ShapeIron, ShapeDialog)
	}
	switch {
	case o.Model == nil:
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "agent",
			Message: "an agent needs a chat model", Hint: "set llm.base_url and llm.model, or use " +
				"web_research, which " +
				"needs none"}
	case o.Journal == nil:
		return nil, invalid("an agent needs a journal")
	case o.SaveReport != nil && o.Render == nil:
		return nil, invalid("an agent that keeps report files needs to know how they are rendered")
	}
	known := &tool.Toolset{Name: "agent", Tools: Tools()}
	for _, name := range o.Own {
		if _, err := known.Find(name); err != nil {
			return nil, err
		}
	}
	o.Prompts = o.Prompts.withDefaults()
	return &Agent{o}, nil
}

// Run runs a task to its end, or to a question to the user that is not answered yet. Run it again with the same id to
// go on. The error is that of a journal or an archive that failed (state error), or the end of ctx (state cancelled).
func (a *Agent) Run(ctx context.Context, t Task) (Result, error) {
	if strings.TrimSpace(t.Text) == "" {
		return Result{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "agent", Message: "the task is empty",
			Hint: "say what to find out"}
	}
	if t.ID == "" {
		t.ID = runstore.NewRunID(a.o.Name)
	}
	r := &run{Agent: a, id: t.ID, task: t.Text, lens: t.Lens, wishes: t.Wishes, door: door.New(),
		state: runstore.RunInited, offers: map[*tool.Tool]Function{}, made: map[string]int{},
		rejections: map[string]int{}, talk: talk{images: t.Images, history: t.History, ids: map[string]bool{}},
		spending: spending{budget: a.o.Budget, price: a.o.Price},
		shelf: shelf{sources: newSources(), seen: map[string]bool{}, named: map[string]bool{},
			checks: map[string]checked{}}}
	r.allowFrom(t.Text)
	for _, m := range t.History {
		if t.Private && m.Role == RoleAssistant {
			r.door.Note(door.Private, m.Content)
		}
		if m.Role == RoleUser {
			r.allowFrom(m.Content)
		}
	}
	if c, ok := a.o.Model.(Chat); ok {
		ctx = WithClient(ctx, c.Client) // tools that ask a model ask this one
	}
	r.told.tell = a.o.Tell
	r.clock.start()
	err := r.begin(ctx)
	if err == nil && t.From != nil {
		err = r.goOn(ctx, t.From)
	}
	if err == nil {
		err = r.loop(ctx)
	}
	return r.conclude(ctx, err)
}

// rules is the number of the loop's rules: it rises with each change under which a journal
// of before would be played to another end.
const rules = 5

// A beginning is when a run began, and under which rules.
type beginning struct {
	At    time.Time `json:"at"`
	Rules int       `json:"rules"`
}

// begin takes the time at which the run began, once for all its processes. A run of other
// rules is not played: it would come to another end than the one it was paid for.
func (r *run) begin(ctx context.Context) error {
	began, err := outside(ctx, r, Call{Key: "begin", Kind: CallLocal, Name: "clock"},
		func(context.Context) (beginning, error) {
			return beginning{time.Now().UTC().Truncate(time.Millisecond), rules}, nil
		})
	if err != nil {
		return err
	}
	if began.Rules != rules {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "agent.begin",
			Message: fmt.Sprintf("the run was begun by another version of citewell, under rules %d; this one plays by "+
				"rules %d", began.Rules, rules),
			Hint: "go on with the version that began it, or ask again"}
	}
	r.began = began.At
	r.door.Today(r.began)
	r.tools = r.offered()
	r.system = r.o.Prompts.system(r.tools, r.door.Rules(), false) + r.wanted()
	r.become(runstore.RunResearching)
	return nil
}

// conclude gives the result, whatever ended the run.
func (r *run) conclude(ctx context.Context, err error) (Result, error) {
	r.clock.stop()
	if broken := r.sync(context.WithoutCancel(ctx)); broken != nil { // what was paid for is kept, whoever cancels
		r.told.drop()
		if err == nil || waiting(err) {
			err = broken
		}
	}
	switch {
	case err == nil, waiting(err):
		err = nil
	case ctx.Err() != nil:
		if !isBroken(err) { // whatever else failed as it ended
			err = orDone(ctx, nil)
		}
		r.outcome, r.reason = runstore.RunOutcomeCancelled, "it was cancelled"
		r.become(runstore.RunCancelled)
	default:
		r.reason = citewell.View(err).Message
		r.become(runstore.RunError)
	}
	r.usage.ActiveMS = r.clock.active().Milliseconds()
	return Result{ID: r.id, State: r.state, Outcome: r.outcome, Reason: r.reason, RetryAt: r.retryAt, Answer: r.answer,
		Report: r.report, ReportPath: r.path,
		Question: r.question, Iteration: r.iteration, Clarifications: r.clarifications, Sources: r.sources.all(),
		Usage: r.usage, Reasoning: r.reasoning, Private: r.door.HasPrivate()}, err
}
