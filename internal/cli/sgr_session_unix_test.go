//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/demo"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// SGR's tools over MCP keep to its limit of searches, for each piece of work, and the
// report's file is where they say.
func TestSGRSession(t *testing.T) {
	t.Parallel()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "search: {max_searches: 1, providers: {searxng: {base_url: %q}, "+
		"duckduckgo: {enabled: false}}}\nfetch: {allow_networks: [127.0.0.0/8, '::1/128']}\nexecution: {reports_dir: "+
		"reports}\n", web.SearchURL()), 0o600); err != nil {
		t.Fatal(err)
	}
	call := func(session *mcp.ClientSession, name, arguments string) (string, map[string]any) {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		data, _ := r.StructuredContent.(map[string]any)
		return r.Content[0].(*mcp.TextContent).Text, data
	}
	const search = `{"reasoning": "to find it", "query": "Larch file format"}`
	session := startMCP(t, home, config, "sgr")
	if text, _ := call(session, "web_search_tool", search); !strings.Contains(text, "[1] The Larch 2 file format") {
		t.Fatal(text)
	}
	if text, _ := call(session, "web_search_tool", search); !strings.Contains(text, `"budget_exhausted"`) ||
		!strings.Contains(text, "the one search is used up") {
		t.Errorf("one more search: %s", text)
	}
	_, data := call(session, "create_report_tool",
		`{"reasoning": "enough", "title": "Larch", "user_request_language_reference": "When was Larch 2.0 released?", "content": "Larch 2.0 was released on 9 March 2022 [2].", "confidence": "high"}`)
	path, _ := data["filepath"].(string)
	if report, err := os.ReadFile(filepath.Join(home, path)); err != nil || filepath.Dir(path) != "reports" ||
		!strings.Contains(string(report), "9 March 2022") {
		t.Errorf("the report is said to be in %q: %v", path, err)
	}
	call(session, "final_answer_tool",
		`{"reasoning": "done", "completed_steps": ["searched"], "answer": "Larch 2.0 was released on 9 March 2022 [2].", "status": "completed"}`)
	if text, _ := call(session, "web_search_tool", search); !strings.Contains(text, "[1] The Larch 2 file format") {
		t.Errorf("the next piece of work cannot search: %s", text)
	}
	ours := startMCP(t, home, config, "agent")
	for range 2 {
		if text, _ := call(ours, "web_search_tool", search); !strings.Contains(text, "[1] The Larch 2 file format") {
			t.Errorf("the toolset agent counts searches: %s", text)
		}
	}
}
