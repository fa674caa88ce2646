package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

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
			return r.finish(ctx, reasonSteps, runstore.RunPartial)
		}
		if err := r.watch(ctx); err != nil {
			return err
		}
		if r.closing != "" {
			if r.closed {
				return r.finish(ctx, r.closing, r.closingOutcome())
			}
			r.closed = true
			r.say(RoleUser, "Stop researching now: "+r.closing+". Write the report or the final answer from "+
				"what you have.")
			r.tell("closing", "", "", r.closing)
		}
		err := r.step(ctx)
		if err == nil || isMisfit(err) {
			r.tellSpent()
		}
		failed, isModelError := errors.AsType[*modelError](err)
		switch {
		case err == nil:
		case errors.Is(err, errWall):
			if r.closed {
				return r.finish(ctx, r.usedUp(err), runstore.RunOverBudget)
			}
			r.closing = closingBudget
			r.iteration--
			continue
		case isOverQuota(err):
			return r.finish(ctx, withHint(err), runstore.RunOverBudget)
		case isMisfit(err):
			if r.misfits++; r.misfits >= maxMisfits {
				return r.finish(ctx, "the model's answers had no usable form: "+err.Error(), runstore.RunModelFailed)
			}
			continue
		case isModelError:
			r.retryAt = failed.retryAt
			r.tell("model_failed", "", r.o.Model.Name(), withHint(err))
			if limit := r.o.Budget.WallTime; limit > 0 && r.clock.active() >= limit {
				return r.finish(ctx, reasonTime, runstore.RunOverBudget)
			}
			return r.finish(ctx, withHint(err), runstore.RunModelFailed)
		default:
			return err
		}
		r.turned()
	}
	return nil
}

// usedUp says what the budget had no room for.
func (r *run) usedUp(wall error) string {
	over, ok := errors.AsType[*overBudget](wall)
	if b := r.o.Budget; ok && r.usage.InputTokens+r.usage.OutputTokens == 0 {
		limit := fmt.Sprintf("%d tokens", b.Tokens)
		if b.Tokens <= 0 || over.tokens <= b.Tokens {
			limit = fmt.Sprintf("%g dollars", b.USD)
		}
		return fmt.Sprintf("the budget of %s has no room for one call of the model, which may take %d tokens", limit,
			over.tokens)
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
		if r.wallTurn, err = outside(ctx, r, wall, func(context.Context) (int, error) {
			return r.turn, nil
		}); err != nil {
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

// shape is how a turn asks the model: as the agent is made, or in one object where the endpoint takes no tools for it.
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
	arguments := tool.MustMarshal(finalAnswerInput{Reasoning: "answered in words, without a call",
		CompletedSteps: []string{"answered in words"}, Answer: text, Status: statusCompleted})
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
