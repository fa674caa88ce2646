package manifold

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"golang.org/x/sync/errgroup"
)

func init() { Definitions.Add("", Parallel, newParallel) }

// Parallel is the name of the tool that calls others at once.
const Parallel = "multi_tool_use_parallel"

// atOnce bounds the calls of a batch that are under way.
const atOnce = 8

type parallelInput struct {
	ToolUses  []toolUse `json:"tool_uses" bounds:"1..32"`
	TimeoutMS int       `json:"timeout_ms,omitempty" jsonschema:"for each call" bounds:"1..600000"`
}

type toolUse struct {
	Recipient  string         `json:"recipient_name" jsonschema:"NAME or functions.NAME"`
	Parameters map[string]any `json:"parameters,omitempty"`
	CallID     string         `json:"tool_call_id,omitempty" jsonschema:"an id of your own, given back"`
}

type parallelOutput struct {
	OK      bool           `json:"ok" jsonschema:"whether every call went well"`
	Results []parallelCall `json:"results"`
	Error   string         `json:"error,omitempty" jsonschema:"what went wrong, of all calls"`
}

type parallelCall struct {
	Recipient  string          `json:"recipient_name"`
	Tool       string          `json:"tool_name"`
	CallID     string          `json:"tool_call_id,omitempty"`
	DurationMS int64           `json:"duration_ms"`
	Payload    any             `json:"payload,omitempty" jsonschema:"the result's data, or its text"`
	Notes      []string        `json:"notes,omitempty" jsonschema:"what of the arguments was taken otherwise than it was given"`
	Error      string          `json:"error,omitempty"`
	Code       citewell.Code   `json:"code,omitempty"`
	raw        json.RawMessage // its arguments
}

func newParallel(Deps) *tool.Tool {
	return tool.New(tool.Spec{Name: Parallel, Title: "Run tools in parallel", Unsourced: true,
		Description: tool.Description(descriptions, "multi_tool_use_parallel"),
		Hints:       tool.Hints{OpenWorld: true, Destructive: true}, Mend: mendToolUses}, runParallel)
}

// runParallel calls the tools of its caller's toolset, and asks before anything runs what needs a person's word.
func runParallel(ctx context.Context, in parallelInput) (parallelOutput, error) {
	set := tool.CallerOf(ctx).Toolset
	calls := make([]parallelCall, len(in.ToolUses))
	var asking error
	for i, use := range in.ToolUses {
		calls[i] = parallelCall{Recipient: use.Recipient, CallID: use.CallID}
		err := calls[i].prepare(ctx, set, use)
		if errors.Is(err, tool.ErrAsking) {
			asking = err
		}
		calls[i].fail(err)
	}
	if asking != nil {
		return parallelOutput{}, asking
	}
	caller := tool.CallerOf(ctx)
	caller.Ask, caller.Sample = nil, nil // the answer would come with another call, and all of them be made again
	ctx = tool.WithCaller(ctx, caller)
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i := range calls {
		if calls[i].Error == "" {
			g.Go(func() error { calls[i].run(ctx, set, time.Duration(in.TimeoutMS)*time.Millisecond); return nil })
		}
	}
	_ = g.Wait() // each call keeps its own error
	out := parallelOutput{OK: true, Results: calls}
	var failed []string
	for _, c := range calls {
		if c.Error != "" {
			failed = append(failed, c.Recipient+": "+c.Error)
		}
	}
	out.OK, out.Error = len(failed) == 0, strings.Join(failed, "; ")
	return out, nil
}

// prepare finds the tool and sees to it that it may be called.
func (c *parallelCall) prepare(ctx context.Context, set *tool.Toolset, use toolUse) error {
	name := strings.TrimPrefix(use.Recipient, "functions.")
	if namespace, _, dotted := strings.Cut(name, "."); dotted && name != "multi_tool_use.parallel" {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: Parallel,
			Message: fmt.Sprintf("tools of the namespace %.60q cannot be called here", namespace),
			Hint:    "only functions.NAME can"}
	}
	t, err := set.Find(name)
	if err != nil {
		return err
	}
	if c.Tool = t.Name; t.Name == Parallel {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: Parallel, Message: "a batch cannot hold a batch",
			Hint: "put its calls into this one"}
	}
	parameters := use.Parameters
	if parameters == nil {
		parameters = map[string]any{}
	}
	if c.raw, err = json.Marshal(parameters); err != nil {
		return err
	}
	return set.Permit(ctx, t.Name, c.raw)
}

func (c *parallelCall) run(ctx context.Context, set *tool.Toolset, timeout time.Duration) {
	batch := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(batch, timeout)
		defer cancel()
	}
	caller := tool.CallerOf(ctx)
	if ask := caller.Confirm; ask != nil {
		caller.Confirm = func(ctx context.Context, q tool.Question) (bool, error) {
			if q.Tool == c.Tool && bytes.Equal(q.Arguments, c.raw) {
				return true, nil // prepare has asked
			}
			return ask(ctx, q)
		}
	}
	began := time.Now()
	r, err := set.Call(tool.WithCaller(ctx, caller), c.Tool, c.raw)
	c.DurationMS, c.Notes = time.Since(began).Milliseconds(), r.Notes
	if c.Payload = r.Structured; c.Payload == nil && r.Text != "" {
		c.Payload = r.Text
	}
	err = cmp.Or(err, r.Err)
	if err != nil && ctx.Err() != nil && batch.Err() == nil {
		err = &citewell.Error{Code: citewell.CodeTimeout, Op: Parallel,
			Message: fmt.Sprintf("%s did not answer within %v", c.Tool, timeout),
			Hint:    "timeout_ms of the batch says how long each call may take", Err: err}
	}
	c.fail(err)
}

// fail notes why the call has no result, or one that tells of a failure.
func (c *parallelCall) fail(err error) {
	if err != nil {
		view := citewell.View(err)
		c.Error, c.Code = view.Line(), view.Code
	}
}
