package builtin

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/tooltest"
	"github.com/citewell/citewell/internal/tool"
)

// callTool calls a tool of a toolset.
func callTool(t testing.TB, d Parts, toolset, name string, arguments any) (tool.Result, error) {
	t.Helper()
	set, err := New(d, nil, nil).Toolset(toolset)
	if err != nil {
		t.Fatal(err)
	}
	return tooltest.Call(t, set, name, arguments)
}
