package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/tool"
)

// pending is the output of a tool that brings something from outside: admitted in the
// order of the calls, fetched beside others, settled in the order of the calls again,
// so that numbers do not depend on which answer came first.
type pending interface {
	fetch(ctx context.Context, r *run)
	settle(ctx context.Context, r *run) (string, error)
	shown() any // the settled output as data
}

// fetchedAtOnce bounds how many calls are made at once.
const fetchedAtOnce = 4

// act makes the calls of a decision and puts them and their results into the
// conversation.
func (r *run) act(ctx context.Context, d decision, available []*tool.Tool) error {
	calls := r.apart(ctx, d.calls)
	for i, c := range calls {
		c.ID = r.callID("action", i)
		calls[i] = c
	}
	says := d.says
	if says == "" && r.reasoning != nil && len(r.reasoning.RemainingSteps) > 0 {
		says = r.reasoning.RemainingSteps[0]
	} else if says == "" {
		says = "Completing"
	}
	r.conversation = append(r.conversation, Message{Role: RoleAssistant, Content: says, Calls: calls})
	results := make([]string, len(calls))
	var said []string // words of the user's, which follow the results
	var group []int
	waits := make([]pending, len(calls))
	flush := func() error {
		r.together(ctx, group, waits)
		for _, i := range group {
			text, err := waits[i].settle(ctx, r)
			if isBroken(err) || ctx.Err() != nil {
				return orDone(ctx, err)
			}
			results[i] = r.resultText(calls[i], text, err)
			if err == nil && !r.incomplete {
				r.made[fingerprint(calls[i])] = r.iteration
			}
			r.incomplete = false
		}
		group = nil
		return nil
	}
	for i, c := range calls {
		r.key = fmt.Sprintf("t%d/c%d", r.turn, i)
		if i >= maxCalls {
			results[i] = errorText(&citewell.Error{Code: citewell.CodeInvalidArgument, Message: fmt.Sprintf("at most %d calls are made at once", maxCalls)})
			continue
		}
		if r.state.Ended() {
			results[i] = "Not called: the run is over."
			continue
		}
		t, err := r.find(c.Name, available)
		if err == nil && c.Fault != "" {
			err = &citewell.Error{Code: citewell.CodeInvalidArgument, Message: "the arguments could not be read: " + c.Fault, Hint: "make the call again"}
		}
		if err != nil {
			results[i] = r.resultText(c, "", err)
			continue
		}
		c.Name, calls[i].Name = t.Name, t.Name
		if at, again := r.made[fingerprint(c)]; again && r.atOnce(t.Name) {
			results[i] = r.resultText(c, "", &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("this was called with the same arguments in step %d, and its result stands above", at), Hint: "go another way"})
			continue
		}
		r.tell("call", c.ID, t.Name, string(c.Arguments))
		if !r.atOnce(t.Name) {
			if err := flush(); err != nil {
				return err
			}
			r.key = fmt.Sprintf("t%d/c%d", r.turn, i)
		}
		result, err := r.invoke(ctx, t, c.Arguments)
		if p, ok := result.Structured.(pending); ok && err == nil {
			waits[i], group = p, append(group, i)
			continue
		}
		if waiting(err) || isBroken(err) || ctx.Err() != nil {
			return orDone(ctx, err)
		}
		text := result.Text
		if u, ok := result.Structured.(userWords); ok && err == nil {
			said = append(said, u.words()...)
		}
		results[i] = r.resultText(c, text, err)
	}
	if err := flush(); err != nil {
		return err
	}
	for i, c := range calls {
		r.conversation = append(r.conversation, Message{Role: RoleTool, Content: results[i], CallID: c.ID})
	}
	for _, words := range said {
		r.say(RoleUser, words)
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

// together fetches what a group of calls waits for.
func (r *run) together(ctx context.Context, group []int, waits []pending) {
	var all sync.WaitGroup
	places := make(chan struct{}, fetchedAtOnce)
	for _, i := range group {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			waits[i].fetch(ctx, r)
		})
	}
	all.Wait()
}

// resultText is what the model is told of a call.
func (r *run) resultText(c ToolCall, text string, err error) string {
	if err != nil {
		text = errorText(err)
	}
	r.tell("result", c.ID, c.Name, text)
	return text
}

// fingerprint is a call without the reason that is given for it.
func fingerprint(c ToolCall) string {
	return citewell.SHA256([]byte(c.Name + string(without(c.Arguments, "reasoning"))))
}

// invoke calls a tool: its own by their code, the others under the rules for what a
// run may do that has read untrusted text.
func (r *run) invoke(ctx context.Context, t *tool.Tool, arguments json.RawMessage) (tool.Result, error) {
	if slices.Contains(ownTools(), t) { // an operator's own may have the name of one
		return t.Call(context.WithValue(ctx, runKey{}, r), arguments)
	}
	if err := r.untainted(ctx, t, arguments); err != nil {
		return tool.Result{}, err
	}
	if r.searches(t.Name) {
		r.usage.Searches++
	}
	r.remember(arguments)
	p := &foreignCall{tool: t, arguments: arguments, key: r.key + "/tool"}
	if r.atOnce(t.Name) {
		return tool.Result{Structured: p}, nil
	}
	p.fetch(ctx, r)
	text, err := p.settle(ctx, r)
	return tool.Result{Text: text}, err
}

// A foreignCall is a call of a tool that is not the agent's own.
type foreignCall struct {
	tool      *tool.Tool
	arguments json.RawMessage
	key       string
	got       toolResult
	err       error
}

func (p *foreignCall) fetch(ctx context.Context, r *run) {
	call := Call{Key: p.key, Kind: CallTool, Name: p.tool.Name, Request: p.arguments}
	p.got, p.err = outside(ctx, r, call, func(ctx context.Context) (toolResult, error) {
		ctx, cancel := r.within(ctx)
		defer cancel()
		set := &tool.Toolset{Name: r.o.Name, Tools: r.o.Extra, Confirm: r.o.Confirm}
		result, err := set.Call(tool.WithCaller(ctx, tool.Caller{Toolset: set, Confirm: r.o.Allow}), p.tool.Name, p.arguments)
		if err != nil {
			return toolResult{}, err
		}
		return r.taken(ctx, p.tool, p.arguments, result)
	})
}

func (p *foreignCall) shown() any { return p.got.Text }

func (p *foreignCall) settle(ctx context.Context, r *run) (string, error) {
	if p.err != nil {
		return "", p.err
	}
	if key := citewell.SHA256([]byte(p.got.Text)); r.made[key] == 0 {
		r.made[key], r.news = r.iteration, true
	}
	if p.tool.Hints.OpenWorld {
		r.tainted = true
	}
	text, err := r.sourced(ctx, p.tool, p.got)
	if err != nil {
		return "", err
	}
	return r.envelope.Wrap("result of "+p.tool.Name, text), nil
}

// errConfirm is what a tainted action gets where nobody allows it.
var errConfirm = errors.New("not allowed")

// untainted refuses what a page could have talked the model into: an address that is
// from nowhere, and after untrusted text was read, anything that changes something or
// chooses where a key or a header goes. A person may allow it.
func (r *run) untainted(ctx context.Context, t *tool.Tool, arguments json.RawMessage) error {
	why := ""
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) == nil {
		for name, value := range fields {
			switch name {
			case "url", "urls":
				for _, u := range stringsIn(value) {
					if !r.mayFetch(u) {
						why = "its address is in none of the user's words, search results and pages read"
					}
				}
			case "base_url", "headers":
				if r.tainted {
					why = name + " comes from a run that has read untrusted text"
				}
			}
		}
	}
	if r.tainted && !t.Hints.ReadOnly {
		why = "the run has read untrusted text, and this acts on something"
	}
	if why == "" {
		return nil
	}
	if r.o.Allow != nil {
		allowed, err := outside(ctx, r, Call{Key: r.key + "/allow", Kind: CallAnswer, Name: t.Name, Request: arguments}, func(ctx context.Context) (bool, error) {
			r.clock.stop()
			defer r.clock.start()
			return r.o.Allow(ctx, tool.Question{Tool: t.Name, Arguments: arguments})
		})
		if err != nil {
			return err
		}
		if allowed {
			return nil
		}
	}
	return &citewell.Error{Code: citewell.CodeConfirmationRequired, Op: t.Name, Message: t.Name + " was not called: " + why,
		Hint: "go another way; a person would have to allow it", Err: errConfirm}
}

// stringsIn are the strings of a JSON string or list.
func stringsIn(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(value, &many) == nil {
		return many
	}
	return []string{string(value)}
}
