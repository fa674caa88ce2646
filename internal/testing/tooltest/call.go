// Package tooltest is for tests of tools: it calls a tool and checks the result against its output schema, and it plays
// the search engines that tools ask.
//
// Each provider's engine answers below /NAME on one local server, in its own form, and the requests are kept.
// Concurrency: a Web may be asked from many goroutines.
package tooltest

import (
	"encoding/json"
	"testing"

	"github.com/citewell/citewell/internal/tool"
)

// Call calls a tool of a set with arguments that become JSON. A result that does not
// keep to the tool's own output schema fails the test.
func Call(t testing.TB, set *tool.Toolset, name string, arguments any) (tool.Result, error) {
	t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.Call(t.Context(), name, encoded)
	if err != nil || r.Structured == nil {
		return r, err
	}
	definition, err := set.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := definition.Output.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := tool.Marshal(r.Structured)
	if err != nil {
		t.Fatal(err)
	}
	var asJSON any
	if err := json.Unmarshal(data, &asJSON); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(asJSON); err != nil {
		t.Errorf("%s does not keep to its output schema: %v\n%s", name, err, data)
	}
	return r, nil
}
