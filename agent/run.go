package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent/internal/door"
	"github.com/citewell/citewell/internal/retraction"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/tool"
)

// A run is one task on its way. Its fields belong to the goroutine of Run; calls that
// are made at once only touch what they bring back, the clock and the journal.
type run struct {
	*Agent
	id, task string
	lens     string // as of its Task
	wishes   Wishes
	began    time.Time
	door     *door.Door
	outside  bool         // no run: a session, whose caller makes the calls
	tools    []*tool.Tool // all that it has, in a fixed order
	offers   map[*tool.Tool]Function
	noTools  bool // the endpoint takes none for the model
	clock    clock
	told     outbox
	live     atomic.Int64 // outside calls that were made, and not played from the journal

	state     store.RunState
	iteration int // as the model's steps are counted
	turn      int // passes of the loop, for the keys of the journal
	key       string
	reasoning *Reasoning

	talk
	spending
	ending
	shelf
	conclusion

	clarifications int
	question       *Question
	planned        bool
	approved       bool // the user has answered to the plan

	made       map[string]int // searching calls that succeeded, and in which iteration
	incomplete bool           // what was settled last may be called again
	rejections map[string]int
	nudged     bool              // words were sent back
	bars       map[string]string // settings by which a call was refused, with the tool
}

// A shelf are the sources of a run, and what may become one.
type shelf struct {
	sources *sources
	seen    map[string]bool    // canonical URLs that may be fetched without asking
	named   map[string]bool    // hosts of the URLs in the user's words
	said    []string           // strings that the model gave to tools that are not its own
	checks  map[string]checked // of statements, by their words and what they cite
	works   retraction.Desk    // what registers say of those that are cited
	judged  standing
}

// A conclusion is what a run came to.
type conclusion struct {
	report   *citewell.Report
	reported bool // a report was accepted, in a session also one that is kept by now
	path     string
	answer   string
	outcome  store.RunOutcome
	reason   string
}

// Bounds of the loop.
const (
	overtime = 4  // at MaxIterations and so many code writes the answer
	maxCalls = 16 // of one answer
)

// ErrWaiting is what Options.Ask returns when the answer comes later.
var ErrWaiting = errors.New("the user is being asked")

func waiting(err error) bool { return errors.Is(err, ErrWaiting) }

func isOverQuota(err error) bool {
	_, ok := errors.AsType[*overQuota](err)
	return ok
}

// A brokenError is a journal or an archive that failed: the run cannot go on, since
// what it does next would not be kept.
type brokenError struct{ error }

func (e *brokenError) Unwrap() error { return e.error }

func isBroken(err error) bool {
	_, ok := errors.AsType[*brokenError](err)
	return ok
}

func (r *run) tell(kind, id, name, text string) {
	r.told.say(Event{Kind: kind, Iteration: r.iteration, CallID: id, Name: name, Text: text})
}

// tellSpent tells what the run has spent until now.
func (r *run) tellSpent() {
	spent := r.usage
	spent.ActiveMS = r.clock.active().Milliseconds()
	r.told.say(Event{Kind: "spent", Iteration: r.iteration, Spent: &spent})
}

// sync returns when every call that was finished is on disk: nothing leaves the
// process that leans on one that is not.
func (r *run) sync(ctx context.Context) error {
	if err := r.o.Journal.Sync(ctx); err != nil {
		return &brokenError{fmt.Errorf("agent: journal: %w", err)}
	}
	r.told.release()
	return nil
}

func (r *run) become(s store.RunState) {
	if r.state != s {
		r.state = s
		r.tell("state", "", string(s), r.reason)
	}
}

// loop makes turns until the run is over.
func (r *run) loop(ctx context.Context) error {
	for !r.state.Ended() {
		if ctx.Err() != nil {
			return fmt.Errorf("agent: %w", ctx.Err())
		}
		r.turn++
		if !r.rejected {
			r.iteration++
		}
		r.rejected, r.news = false, false
		if r.iteration >= r.o.Limits.MaxIterations+overtime {
			return r.finish(ctx, reasonSteps, store.RunPartial)
		}
		if err := r.watch(ctx); err != nil {
			return err
		}
		if r.closing != "" {
			if r.closed {
				return r.finish(ctx, r.closing, r.closingOutcome())
			}
			r.closed = true
			r.say(RoleUser, "Stop researching now: "+r.closing+". Write the report or the final answer from what you have.")
			r.tell("closing", "", "", r.closing)
		}
		err := r.step(ctx)
		if err == nil || isMisfit(err) {
			r.tellSpent()
		}
		switch {
		case err == nil:
		case errors.Is(err, errWall):
			if r.closed {
				return r.finish(ctx, r.usedUp(err), store.RunOverBudget)
			}
			r.closing = closingBudget
			r.iteration--
			continue
		case isOverQuota(err):
			return r.finish(ctx, withHint(err), store.RunOverBudget)
		case isMisfit(err):
			if r.misfits++; r.misfits >= maxMisfits {
				return r.finish(ctx, "the model's answers had no usable form: "+err.Error(), store.RunModelFailed)
			}
			continue
		case isModelError(err):
			r.retryAt = retryAt(err)
			r.tell("model_failed", "", r.o.Model.Name(), withHint(err))
			if limit := r.o.Budget.WallTime; limit > 0 && r.clock.active() >= limit {
				return r.finish(ctx, reasonTime, store.RunOverBudget)
			}
			return r.finish(ctx, withHint(err), store.RunModelFailed)
		default:
			return err
		}
		r.turned()
	}
	return nil
}

// callsLeft is for how many calls of the model the budget must have room: the one that is
// made, and one in which the run comes to its end.
func (r *run) callsLeft() int {
	if r.closed {
		return 1
	}
	return 2
}

// usedUp says what the budget had no room for.
func (r *run) usedUp(wall error) string {
	over, ok := errors.AsType[*overBudget](wall)
	if b := r.o.Budget; ok && r.usage.InputTokens+r.usage.OutputTokens == 0 {
		limit := fmt.Sprintf("%d tokens", b.Tokens)
		if b.Tokens <= 0 || over.tokens <= b.Tokens {
			limit = fmt.Sprintf("%g dollars", b.USD)
		}
		return fmt.Sprintf("the budget of %s has no room for one call of the model, which may take %d tokens", limit, over.tokens)
	}
	return errWall.Error()
}

// wall is the call by which the journal knows when the wall of time was reached.
var wall = Call{Key: "wall", Kind: CallLocal, Name: "clock"}

// watch looks whether the run has to come to an end. The wall of time is journalled:
// it must stand in the same place when the run is replayed.
func (r *run) watch(ctx context.Context) error {
	if r.closing != "" {
		return nil
	}
	if r.stale >= maxStale {
		r.closing = closingStale
		return nil
	}
	if r.wallTurn == 0 {
		entry, ok, err := r.o.Journal.Lookup(ctx, wall)
		if err != nil {
			return &brokenError{fmt.Errorf("agent: journal: %w", err)}
		}
		r.wallTurn = -1
		if ok {
			if _, err := fmt.Sscan(string(entry.Result), &r.wallTurn); err != nil {
				return &brokenError{fmt.Errorf("agent: journal entry wall: %w", err)}
			}
		}
	}
	limit := r.o.Budget.WallTime
	late := limit > 0 && r.clock.active() >= limit-limit/10
	if r.wallTurn < 0 && late {
		var err error
		if r.wallTurn, err = outside(ctx, r, wall, func(context.Context) (int, error) { return r.turn, nil }); err != nil {
			return err
		}
	}
	if r.wallTurn > 0 && r.turn >= r.wallTurn {
		r.closing = closingTime
	}
	return nil
}

// step asks the model what to do and does it.
func (r *run) step(ctx context.Context) error {
	available, calling := r.available(), r.calling()
	d, err := r.decide(ctx, available)
	if refusedTools(err) && !r.noTools && r.shape() != ShapeSGR && r.shape() != ShapeIron {
		r.noTools = true
		r.tell("without_tools", "", r.o.Model.Name(), citewell.View(err).Message)
		d, err = r.decide(ctx, available)
	}
	if err != nil {
		return err
	}
	if len(d.calls) == 0 {
		d.calls, d.says = written(ctx, d.text, r.tools)
	}
	if len(d.calls) == 0 {
		if r.sentBack(d.text, available) {
			return nil
		}
		d.calls, d.says = []ToolCall{inWords(d.text)}, d.text
	}
	return r.act(ctx, d, available, calling)
}

// shape is how a turn asks the model: as the agent is made, or in one object where the
// endpoint takes no tools for it.
func (r *run) shape() Shape {
	if r.noTools {
		return ShapeSGR
	}
	return r.o.Shape
}

func (r *run) decide(ctx context.Context, available []*tool.Tool) (decision, error) {
	switch r.shape() {
	case ShapeSGR:
		return r.turnSGR(ctx, available)
	case ShapeIron:
		return r.turnIron(ctx, available)
	case ShapeToolCalling:
		return r.turnCalling(ctx, available)
	}
	return r.turnHybrid(ctx, available)
}

// inWords makes a final answer of an answer in words.
func inWords(text string) ToolCall {
	arguments := tool.MustMarshal(finalAnswerInput{Reasoning: "answered in words, without a call", CompletedSteps: []string{"answered in words"},
		Answer: text, Status: statusCompleted})
	return ToolCall{Name: finalAnswerTool, Arguments: arguments}
}

// messages are what the model is shown. A reasoning is shown in short which tools there are
// and what the one before it has weighed; the call that follows sees all.
func (r *run) messages(weighs bool) []Message {
	system := r.system
	if weighs {
		system = r.briefly()
	}
	// Once a report is accepted, only the answer is left to write.
	conversation := r.inShort(r.conversation, r.weighed(), weighs || r.reported, !weighs)
	all := []Message{{Role: RoleSystem, Content: system}}
	all = append(all, r.history...)
	all = append(all, Message{Role: RoleUser, Content: r.o.Prompts.task(r.task, r.began), Images: r.images})
	return append(all, conversation...)
}

// briefly is the system prompt with a sentence for each tool.
func (r *run) briefly() string {
	return r.o.Prompts.system(r.tools, r.door.Rules(), true) + r.wanted()
}

// withHint is what an error says, and what helps against it, as the reason of a run's end.
func withHint(err error) string {
	return citewell.View(err).Line()
}
