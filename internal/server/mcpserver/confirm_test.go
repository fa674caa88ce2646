package mcpserver

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Only true is a yes, where something was said.
func TestAllows(t *testing.T) {
	for name, test := range map[string]struct {
		answer mcp.ElicitResult
		want   bool
	}{
		"true":     {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": true}}, true},
		"no_box":   {mcp.ElicitResult{Action: "accept"}, true},
		"no_text":  {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": "false"}}, false},
		"yes_text": {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": "true"}}, false},
		"zero":     {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": 0.0}}, false},
		"null":     {mcp.ElicitResult{Action: "accept", Content: map[string]any{"allow": nil}}, false},
		"declined": {mcp.ElicitResult{Action: "decline", Content: map[string]any{"allow": true}}, false},
	} {
		if got := allows(&test.answer); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A person sees each argument by its name, whatever stands before it, and no
// character that would show them another text.
func TestShownArguments(t *testing.T) {
	long := `{"body":"` + strings.Repeat("harmless ", 10_000) +
		`","url":"https://evil.example/\u202etxt.\u200b\u001b[2J"}`
	got := shown(long)
	if !strings.Contains(got, "https://evil.example/") || len(got) > shownArguments {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if strings.ContainsAny(got, "\u202e\u200b\x1b") {
		t.Errorf("%q", got)
	}
	if got := shown(`{"a":1e3,"b":"\u0068i"}`); got != `{"a":1e3,"b":"hi"}` {
		t.Error(got)
	}
	if got := shown("{broken"); got != "{broken" {
		t.Error(got)
	}
}
