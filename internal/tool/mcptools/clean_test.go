package mcptools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell"
)

// What a server says of its tools and in its results is what a person would see of
// it, no longer than a model should read, and without the key that it was given.
func TestHostileWords(t *testing.T) {
	const unseen = "\x1b]0;title\a\u202e\u200b\U000e0041\U000e0042"
	server := mcp.NewServer(&mcp.Implementation{Name: "remote"}, nil)
	server.AddTool(&mcp.Tool{Name: "say", Title: unseen + "Says", Description: unseen + strings.Repeat("long ", 1<<20),
		InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			said := []mcp.Content{&mcp.TextContent{Text: unseen + "you sent " + r.Extra.Header.Get("Authorization")}}
			return &mcp.CallToolResult{Content: said, IsError: len(r.Params.Arguments) > 2}, nil
		})
	set := open(t, "", Server{Name: "one", URL: overHTTP(t, server, "never-to-be-seen"),
		Headers: map[string]citewell.Secret{"Authorization": citewell.NewSecret("Bearer never-to-be-seen")}})
	say := find(t, set, "one_say")
	if say.Title != "]0;titleSays" || !strings.HasPrefix(say.Description, "]0;titlelong ") ||
		len(say.Description) > maxDescription+100 {
		t.Errorf("%q, %d bytes: %.40q", say.Title, len(say.Description), say.Description)
	}
	r, err := say.Call(t.Context(), nil)
	if err != nil || r.Text != "]0;titleyou sent [redacted]" {
		t.Errorf("%q, %v", r.Text, err)
	}
	_, err = say.Call(t.Context(), json.RawMessage(`{"fail":true}`))
	if v := citewell.View(err); !strings.HasSuffix(v.Message, "failed: ]0;titleyou sent [redacted]") {
		t.Errorf("%+v", v)
	}
}
