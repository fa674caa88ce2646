package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/tool"
)

type batch struct {
	ToolUses []use `json:"tool_uses" bounds:"1..32"`
}

type use struct {
	Recipient  string         `json:"recipient_name"`
	Parameters map[string]any `json:"parameters,omitempty"`
}

// The calls of a batch are the run's own: they are counted, answered one by one, and
// none slips by what a single call may not do.
func TestABatchIsTakenApart(t *testing.T) {
	d := newDesk(t)
	parallel := tool.New(tool.Spec{Name: "multi_tool_use_parallel", Description: "several at once"},
		func(context.Context, batch) (batch, error) {
			t.Error("the batch was called as a tool")
			return batch{}, nil
		})
	read := 0
	fetch := tool.New(tool.Spec{Name: "web_fetch", Description: "reads", Hints: tool.Hints{ReadOnly: true}},
		func(context.Context, struct {
			URL string `json:"url"`
		}) (batch, error) {
			read++
			return batch{}, nil
		})
	uses := func(list ...use) agent.ToolCall {
		return call("multi_tool_use.parallel", args{"tool_uses": list})
	}
	m := &script{replies: []reply{
		calls(uses(use{"functions.web_search_tool", args{"reasoning": "r", "query": "Skarrow Sound tidal plant"}},
			use{"WebSearchTool", args{"reasoning": "r", "query": "Skarrow Sound opening"}},
			use{"web_fetch", args{"url": "https://invented.example/"}},
			use{"multi_tool_use_parallel", args{"tool_uses": []use{}}}, use{"absent", nil})),
		calls(call("multi_tool_use_parallel", args{"tool_uses": 7})),
		calls(finalCall("Nothing was to be found.")),
	}}
	o := d.options(t, agent.ShapeToolCalling, m)
	o.Extra = []*tool.Tool{parallel, fetch}
	r := run(t, o, question)
	if r.State != runstore.RunCompleted || r.Usage.Searches != 2 || read != 0 {
		t.Fatalf("%+v, %d read", r, read)
	}
	shown := d.transcript(m, r)
	for _, want := range []string{"=== tool 1-action-2\nSearch Query: Skarrow Sound opening",
		"=== tool 1-action-3\nError (confirmation_required): web_fetch was not called",
		"=== tool 1-action-4\nError (invalid_argument): the arguments could not be read: a batch cannot hold a batch",
		`=== tool 1-action-5` + "\n" + `Error (unknown_tool): there is no tool "absent"`,
		"=== tool 2-action\nError (invalid_argument): the arguments could not be read: "} {
		if !strings.Contains(shown, want) {
			t.Errorf("not shown: %s\nin:\n%s", want, shown)
		}
	}
}
