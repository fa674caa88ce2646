package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/tool"
)

// pending is the output of a tool that brings something from outside: admitted in the order of the calls, fetched
// beside others, settled in the order of the calls again, so that numbers do not depend on which answer came first.
type pending interface {
	fetch(ctx context.Context, r *run)
	settle(ctx context.Context, r *run) (door.Text, error)
	failed(r *run, err error) door.Text // what the model is told of an error of settle
	shown() any                         // the settled output as data
}

// fetchedAtOnce bounds how many calls are made at once.
const fetchedAtOnce = 4

// act makes the calls of a decision and puts them and their results into the conversation.
func (r *run) act(ctx context.Context, d decision, available []*tool.Tool, calling callHook) error {
	calls := r.apart(ctx, d.calls)
	for i, c := range calls {
		c.ID = r.callID(r.iteration, "action", i)
		calls[i] = c
	}
	says := d.says
	if says == "" && r.reasoning != nil && len(r.reasoning.RemainingSteps) > 0 {
		says = r.reasoning.RemainingSteps[0]
	} else if says == "" {
		says = "Completing"
	}
	r.conversation = append(r.conversation, Message{Role: RoleAssistant, Content: says, Calls: calls})
	results := make([]door.Text, len(calls))
	var said []string // words of the user's, which follow the results
	var group []int
	waits := make([]waited, len(calls))
	for i, c := range calls {
		r.key = fmt.Sprintf("t%d/c%d", r.turn, i)
		if i >= maxCalls {
			results[i] = door.Ours("Error (%s): at most %s calls are made at once",
				door.Name(citewell.CodeInvalidArgument), door.Number(maxCalls))
			continue
		}
		if r.state.Ended() {
			results[i] = door.Ours("Not called: the run is over.")
			continue
		}
		t, err := r.find(c.Name, available)
		if err == nil && c.Fault != "" {
			err = &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: "the arguments could not be read: " + c.Fault, Hint: "make the call again"}
		}
		if err != nil {
			results[i] = r.resultOf(c, door.OwnError(err), nil)
			continue
		}
		c.Name, calls[i].Name = t.Name, t.Name
		if at, again := r.made[fingerprint(c)]; again && r.searches(t.Name) {
			results[i] = r.resultOf(c, door.OwnError(door.Refuse(citewell.CodeInvalidArgument,
				door.Ours("this was called with the same arguments in step %s, and its result stands above",
					door.Number(at)), door.Ours("go another way"))), nil)
			continue
		}
		r.tell("call", c.ID, t.Name, string(c.Arguments))
		if !r.atOnce(t.Name) {
			if err := r.settleCalls(ctx, group, calls, waits, results); err != nil {
				return err
			}
			group = nil
			r.key = fmt.Sprintf("t%d/c%d", r.turn, i)
		}
		within, ended := calling(ctx, c)
		done, err := r.invoke(within, t, c.Arguments)
		if waiting(err) || isBroken(err) || ctx.Err() != nil {
			return orDone(ctx, err)
		}
		if done.wait != nil {
			waits[i], group = waited{done.wait, func() { done.wait.fetch(within, r) }, ended}, append(group, i)
			continue
		}
		ended(done.failed)
		said = append(said, done.words...)
		results[i] = r.resultOf(c, done.text, done.output)
	}
	if err := r.settleCalls(ctx, group, calls, waits, results); err != nil {
		return err
	}
	for i, c := range calls {
		r.respond(c.ID, results[i])
	}
	for _, words := range said {
		r.say(RoleUser, words)
	}
	return nil
}

// settleCalls fetches what a group of calls waits for and puts the results in their places.
func (r *run) settleCalls(ctx context.Context, group []int, calls []ToolCall, waits []waited,
	results []door.Text) error {
	together(group, waits)
	for _, i := range group {
		text, err := waits[i].settle(ctx, r)
		if isBroken(err) || ctx.Err() != nil {
			return orDone(ctx, err)
		}
		waits[i].ended(err)
		if err != nil {
			text = waits[i].failed(r, err)
		}
		results[i] = r.resultOf(calls[i], text, waits[i].pending)
		if err == nil && !r.incomplete {
			r.made[fingerprint(calls[i])] = r.iteration
		}
		r.incomplete = false
	}
	return nil
}

// userWords is an output that came with words of the user's.
type userWords interface{ words() []string }

func orDone(ctx context.Context, err error) error {
	if err == nil {
		err = fmt.Errorf("agent: %w", ctx.Err())
	}
	return err
}

// A callHook is Options.Calling.
type callHook func(context.Context, ToolCall) (context.Context, func(error))

// calling is Options.Calling for one turn: it hears of the end of a call only where
// something of the turn was done by this process until then.
func (r *run) calling() callHook {
	before := r.live.Load()
	return func(ctx context.Context, c ToolCall) (context.Context, func(error)) {
		ctx, ended := r.o.Calling(ctx, c)
		return ctx, func(err error) {
			if r.live.Load() != before {
				ended(err)
			}
		}
	}
}

// A waited is a call on its way: what begins it, and what hears of its end.
type waited struct {
	pending
	begin func()
	ended func(error)
}

// together fetches what a group of calls waits for.
func together(group []int, waits []waited) {
	var all sync.WaitGroup
	places := make(chan struct{}, fetchedAtOnce)
	for _, i := range group {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			waits[i].begin()
		})
	}
	all.Wait()
}

// resultOf tells the result of a call, and gives what the model is shown of it. output is
// what the tool gave; nil where it was not called.
func (r *run) resultOf(c ToolCall, text door.Text, output any) door.Text {
	e := Event{Kind: "result", Iteration: r.iteration, CallID: c.ID, Name: c.Name, Text: text.Told()}
	if t, ok := output.(telling); ok {
		t.tells(&e)
	}
	r.told.say(e)
	if a, ok := output.(acknowledging); ok {
		return a.acknowledged(r.door)
	}
	return text
}

// respond puts the result of a call into the conversation: the only way by which a tool's message comes there.
func (r *run) respond(call string, text door.Text) {
	r.conversation = append(r.conversation, Message{Role: RoleTool, Content: text.Shown(), CallID: call})
}

// fingerprint is a call without the reason that is given for it.
func fingerprint(c ToolCall) string {
	return citewell.SHA256([]byte(c.Name + string(without(c.Arguments, "reasoning"))))
}

// A called is what became of a call: its text, or what it waits for.
type called struct {
	text   door.Text
	failed error // what text tells of
	wait   pending
	words  []string // of the user's, which came with it
	output any      // of the tool; nil where it failed, and of one that is not the agent's own
}

// invoke calls a tool: its own by their code, the others under the rules for what a run
// may do that has read foreign words. The error is one that ends or stops the run.
func (r *run) invoke(ctx context.Context, t *tool.Tool, arguments json.RawMessage) (called, error) {
	confirmed, err := r.permitted(ctx, t, arguments)
	if err != nil {
		return refused(err)
	}
	if isOwn(t) {
		result, err := t.Call(context.WithValue(ctx, runKey{}, r), arguments)
		if err != nil {
			return refused(err)
		}
		if p, ok := result.Structured.(pending); ok {
			return called{wait: p}, nil
		}
		done := called{text: door.Echo(result.Text), output: result.Structured}
		if u, ok := result.Structured.(userWords); ok {
			done.words = u.words()
		}
		return done, nil
	}
	if r.searches(t.Name) {
		r.usage.Searches++
	}
	r.remember(arguments)
	p := &foreignCall{tool: t, arguments: arguments, key: r.key + "/tool", confirmed: confirmed}
	if r.atOnce(t.Name) {
		return called{wait: p}, nil
	}
	p.fetch(ctx, r)
	text, err := p.settle(ctx, r)
	if err != nil && !isBroken(err) && !waiting(err) {
		return called{text: p.failed(r, err), failed: err}, nil
	}
	return called{text: text}, err
}

// refused is a call that was not made, as our own code says; other errors go on.
func refused(err error) (called, error) {
	if waiting(err) || isBroken(err) {
		return called{}, err
	}
	return called{text: door.OwnError(err), failed: err}, nil
}

// A foreignCall is a call of a tool that is not the agent's own.
type foreignCall struct {
	tool      *tool.Tool
	arguments json.RawMessage
	key       string
	confirmed bool // by the user
	got       toolResult
	err       error
}

// extra are the tools that are not the agent's own.
func (r *run) extra() *tool.Toolset {
	return &tool.Toolset{Name: r.o.Name, Tools: r.o.Extra, Confirm: r.o.Confirm}
}

func (p *foreignCall) fetch(ctx context.Context, r *run) {
	call := Call{Key: p.key, Kind: CallTool, Name: p.tool.Name, Request: p.arguments}
	p.got, p.err = outside(ctx, r, call, func(ctx context.Context) (toolResult, error) {
		ctx, cancel := r.within(ctx)
		defer cancel()
		set, allow := r.extra(), r.o.Allow
		if p.confirmed {
			allow = func(context.Context, tool.Question) (bool, error) { return true, nil }
		}
		ctx = r.naming(r.waiting(ctx), append(stringsOf(p.arguments, "url"), stringsOf(p.arguments, "urls")...)...)
		result, err := set.Call(tool.WithCaller(ctx, tool.Caller{Toolset: set, Confirm: allow}), p.tool.Name,
			p.arguments)
		if err != nil {
			return toolResult{}, err
		}
		return r.taken(ctx, p.tool, p.arguments, result)
	})
}

func (p *foreignCall) shown() any { return p.got.Text }

func (p *foreignCall) settle(ctx context.Context, r *run) (door.Text, error) {
	if p.err != nil {
		return door.Text{}, p.err
	}
	if key := citewell.SHA256([]byte(p.got.Text)); r.made[key] == 0 {
		r.made[key], r.news = r.iteration, true
	}
	r.door.Note(p.source(), p.got.Text)
	text, err := r.sourced(ctx, p)
	if err != nil {
		return door.Text{}, err
	}
	return r.door.Foreign(door.Noted, door.Ours("result of %s", door.Name(p.tool.Name)), text), nil
}

func (p *foreignCall) failed(r *run, err error) door.Text {
	return r.door.Error(p.source(), door.Ours("error of %s", door.Name(p.tool.Name)), err)
}

// source is whose words the tool says. What searches the web may search the user's documents beside it.
func (p *foreignCall) source() door.Source {
	if p.tool.SaysPrivate() || strings.Contains(p.got.Text, localScheme) {
		return door.Private
	}
	return door.Public
}
