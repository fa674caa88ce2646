package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

// Tries of one model call, and the pause before another where the endpoint does not say: it doubles, up to mostPause.
// Where the endpoint is away for the moment there are awayTries, with pauses of two minutes in all. It is waited for as
// long as the endpoint asks, within the wall of time and longestPause; what is shorter than worthTelling goes without a
// word.
const (
	modelTries   = 3
	awayTries    = 8
	firstPause   = time.Second
	mostPause    = time.Minute
	longestPause = time.Hour
	worthTelling = 3 * time.Second
)

// leastAnswer is what an answer is given at least where the window has little room, in tokens.
const leastAnswer = 512

// ask asks the model, within the budget and the window. more are messages that are not kept. A call that fails is tried
// again where that may help, with less of the older steps, since the window may be smaller than it is said to be; where
// the endpoint says so, at once and for a shorter answer. One that is away is waited for.
func (r *run) ask(ctx context.Context, phase string, q Request, more ...Message) (Reply, error) {
	q.MaxTokens = r.o.Limits.MaxTokens
	var failed error
	var reply Reply // of the try before, with what is to be known of its failure
	failures := 0   // other than of an endpoint that is away
	for try := 1; try <= awayTries && failures < modelTries; try++ {
		if reply.Failed == failedTooLong {
			q.MaxTokens = max(q.MaxTokens/4, min(q.MaxTokens, leastAnswer))
		}
		r.fit(ctx, q, more, failures+1)
		q.Messages = append(r.messages(q.weighs), more...)
		if s := r.shape(); s == ShapeIron || s == ShapeSGR {
			q.Messages = inPlainTurns(q.Messages)
		}
		q.Heard = func(d Delta) {
			r.o.Tell(Event{Kind: "delta", Iteration: r.iteration, CallID: phase, Name: d.Call, Text: d.Text})
		}
		q.Waits = r.paused
		need := max(r.size(q), r.lastInput)
		full := q.MaxTokens
		if q.MaxTokens = r.affordable(r.callsLeft(), need, full); q.MaxTokens == 0 || reply.Failed == failedCut {
			return Reply{}, &overBudget{need + min(full, enoughAnswer)}
		}
		lowered := q.MaxTokens < full
		q.Room = r.room(r.callsLeft(), need+q.MaxTokens)
		last := reply.Failed
		call := Call{Key: fmt.Sprintf("t%d/%s/%d", r.turn, phase, try), Kind: CallModel, Name: r.o.Model.Name()}
		var err error
		reply, err = outside(ctx, r, call, func(ctx context.Context) (Reply, error) {
			ctx, cancel := r.within(ctx)
			defer cancel()
			if failed != nil && last != failedTooLong {
				if err := r.pause(ctx, failed, try); err != nil {
					return Reply{}, err
				}
			}
			reply, err := r.o.Model.Chat(ctx, q)
			if citewell.CodeOf(err) == citewell.CodeQuotaExceeded { // the model was not asked
				return Reply{}, err
			}
			if err != nil {
				reply = reply.bill(need)
				if reply.Failed = r.failureOf(err); reply.Failed == failedCut && !lowered {
					reply.Failed = ""
				}
				final := try == awayTries || reply.Failed != failedAway && failures+1 == modelTries
				reply.RetryAt, err = tooLate(ctx, err, final)
				return reply, err
			}
			markUnreadable(reply.Calls)
			return reply, nil
		})
		if err == nil {
			r.spend(reply, need)
			r.learn(reply, q)
			return reply, nil
		}
		r.pay(reply)
		if isBroken(err) || ctx.Err() != nil {
			return Reply{}, err
		}
		if citewell.CodeOf(err) == citewell.CodeQuotaExceeded {
			return Reply{}, &overQuota{err}
		}
		failed = err
		if reply.Failed != failedAway {
			failures++
		}
		if !reply.RetryAt.IsZero() || reply.Failed == failedNoTools {
			break
		}
		switch citewell.CodeOf(err) {
		case citewell.CodeAuth, citewell.CodeQuotaExhausted, citewell.CodeInvalidConfig, citewell.CodeNotRecorded:
			return Reply{}, &modelError{failed, reply.Failed, reply.RetryAt}
		}
	}
	return Reply{}, &modelError{failed, reply.Failed, reply.RetryAt}
}

// markUnreadable keeps arguments that are no JSON so that they can be told, and not run.
func markUnreadable(calls []ToolCall) {
	for i, c := range calls {
		if !json.Valid(c.Arguments) {
			said := tool.Shorten(strings.ToValidUTF8(string(c.Arguments), ""), 400)
			calls[i].Arguments = tool.MustMarshal(map[string]string{"unreadable": said})
			calls[i].Fault = "they are no JSON"
		}
	}
}

// tooLate gives the time at which the endpoint may be asked again where it said so and
// no further try can wait for that, and the error that names it.
func tooLate(ctx context.Context, failed error, final bool) (time.Time, error) {
	e, ok := errors.AsType[*citewell.Error](failed)
	if !ok || e.RetryAfter <= 0 {
		return time.Time{}, failed
	}
	left := longestPause
	if deadline, ok := ctx.Deadline(); ok {
		left = min(left, time.Until(deadline))
	}
	if !final && e.RetryAfter < left {
		return time.Time{}, failed
	}
	at := time.Now().Add(e.RetryAfter).UTC().Truncate(time.Second)
	return at, &citewell.Error{Code: e.Code, Op: "agent", RetryAfter: e.RetryAfter, Err: failed,
		Message: fmt.Sprintf("%s; it may be asked again at %s, %v from now", citewell.View(failed).Message,
			at.Format("2006-01-02 15:04:05 UTC"), e.RetryAfter.Round(time.Second))}
}

// paused tells a pause before the model is asked again, and a wait in our own queue.
func (r *run) paused(pause time.Duration, why error) {
	switch {
	case errors.Is(why, llm.ErrQueued):
		r.tell("queued", "", r.o.Model.Name(), citewell.View(why).Message)
	case pause >= worthTelling:
		r.tell("paused", "", r.o.Model.Name(), fmt.Sprintf("%s; asked again in %v", citewell.View(why).Message,
			pause.Round(time.Second)))
	}
}

// pause waits before the given try.
func (r *run) pause(ctx context.Context, failed error, try int) error {
	wait := min(firstPause<<(try-2), mostPause)
	if e, ok := errors.AsType[*citewell.Error](failed); ok &&
		(e.RetryAfter > wait || e.RetryAfter > 0 && try <= modelTries) {
		wait = e.RetryAfter
	}
	r.paused(wait, failed)
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// within bounds a call by the wall of time.
func (r *run) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.Budget.WallTime <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, max(r.o.Budget.WallTime-r.clock.active(), time.Millisecond))
}

// waiting has the searches of a call wait for their turn at a provider as the run waits for its model,
// and tells of it. A session's caller waits itself.
func (r *run) waiting(ctx context.Context) context.Context {
	if r.outside {
		return ctx
	}
	until, _ := ctx.Deadline()
	return searchcall.WithWait(ctx, searchcall.Wait{Until: until, Told: func(provider string, wait time.Duration) {
		r.told.say(Waits(r.iteration, provider, wait))
	}})
}

// Waits tells of a search that waits in our own queue before a provider.
func Waits(iteration int, provider string, wait time.Duration) Event {
	return Event{Kind: "queued", Iteration: iteration, Name: provider,
		Text: fmt.Sprintf("a search waits for its turn at %s, which comes in about %v", provider,
			wait.Round(time.Second))}
}

// bill is what an answer cost, and nothing else of it. An endpoint that does not say
// its tokens has them estimated, but for an answer that never came.
func (reply Reply) bill(estimated int) Reply {
	in, out := reply.InputTokens, reply.OutputTokens
	if out == 0 {
		out = tokens(reply.Text) + tokens(reply.Thinking)
		for _, c := range reply.Calls {
			out += tokens(string(c.Arguments))
		}
	}
	if in == 0 && out > 0 {
		in = estimated
	}
	return Reply{InputTokens: in, CachedTokens: reply.CachedTokens, OutputTokens: out}
}

// inPlainTurns gives a conversation without calls, for endpoints that know none.
func inPlainTurns(messages []Message) []Message {
	plain := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.Role == RoleTool:
			m = Message{Role: RoleUser, Content: "Result of the call " + m.CallID + ":\n" + m.Content}
		case len(m.Calls) > 0:
			for _, c := range m.Calls {
				m.Content += fmt.Sprintf("\nI call %s (%s) with %s", c.Name, c.ID, c.Arguments)
			}
			m.Calls = nil
		}
		plain = append(plain, m)
	}
	return plain
}
