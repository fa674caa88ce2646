package custom

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/tool"
)

// New makes the tool. Commands run in dir.
func New(s Spec, guard *egress.Guard, dir string) *tool.Tool {
	spec := tool.Spec{Name: s.Name, Title: s.Name, Description: s.Description, Confirm: s.Confirm,
		Hints: tool.Hints{ReadOnly: s.ReadOnly, Destructive: !s.ReadOnly, OpenWorld: true},
		Origin: tool.Origin{Name: s.Name, Private: s.Private || s.URL == nil, Public: s.Public,
			Setting: "tools." + s.Name}}
	if s.Python != "" {
		spec.Hidden = fmt.Sprintf("its base_class %.100s is Python, which Citewell does not run; keep it as a "+
			"command: a script that reads JSON on standard input "+
			"and writes JSON (tools.%s.command)", s.Python, s.Name)
		return tool.Raw(spec, s.Input, nil, nil)
	}
	if s.URL == nil {
		return tool.Raw(spec, s.Input, nil, func(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
			return runCommand(ctx, s, dir, arguments)
		})
	}
	client := guard.TrustedClient(s.URL)
	return tool.Raw(spec, s.Input, nil, func(ctx context.Context, arguments json.RawMessage) (tool.Result, error) {
		return runEndpoint(ctx, s, client, arguments)
	})
}
