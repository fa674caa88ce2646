package agent

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/citewell/citewell/internal/tool"
)

// parallelTool is the tool by which a caller makes several calls at once. A run makes the calls in it itself, as if
// each had been made alone: they are counted, journalled and refused like any other.
const parallelTool = "multi_tool_use_parallel"

// apart gives the calls of a decision with those in a batch in its place. A batch that
// does not fit its schema stays, with what is wrong with it as its Fault.
func (r *run) apart(ctx context.Context, calls []ToolCall) []ToolCall {
	if !slices.ContainsFunc(r.tools, func(t *tool.Tool) bool { return t.Name == parallelTool }) {
		return slices.Clone(calls)
	}
	all := &tool.Toolset{Name: r.o.Name, Tools: r.tools}
	isBatch := func(name string) (*tool.Tool, bool) {
		t, err := all.Find(name)
		return t, err == nil && t.Name == parallelTool
	}
	var apart []ToolCall
	for _, c := range calls {
		t, batch := isBatch(c.Name)
		if batch && c.Fault == "" {
			if err := fits(ctx, t, c.Arguments); err != nil {
				c.Fault = citewellMessage(err)
			}
		}
		if !batch || c.Fault != "" {
			apart = append(apart, c)
			continue
		}
		arguments := c.Arguments
		if t.Mend != nil {
			arguments = t.Mend(arguments)
		}
		var in struct {
			ToolUses []struct {
				Recipient  string          `json:"recipient_name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"tool_uses"`
		}
		if err := json.Unmarshal(arguments, &in); err != nil || len(in.ToolUses) == 0 {
			c.Fault = "tool_uses must be a list of calls"
			apart = append(apart, c)
			continue
		}
		for _, use := range in.ToolUses {
			inner := ToolCall{Name: use.Recipient, Arguments: use.Parameters}
			if len(inner.Arguments) == 0 {
				inner.Arguments = json.RawMessage("{}")
			}
			if _, nested := isBatch(use.Recipient); nested {
				inner.Fault = "a batch cannot hold a batch"
			}
			apart = append(apart, inner)
		}
	}
	return apart
}
