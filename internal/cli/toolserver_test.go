package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// mcpserver starts a wikiServer, named in $WIKI.
func cmdMCPServer(ts *testscript.TestScript, neg bool, args []string) {
	h := httptest.NewServer(wikiServer(ts.Getenv("PORT")))
	ts.Defer(h.Close)
	ts.Setenv("WIKI", h.URL)
}

// wikiServer is an MCP server. It has ask_question, which answers in
// words, with a page of the demo web at a port; look_up, which answers in JSON, and
// look_up_again, which says the same; echo; and
// store, which only says that it is done.
func wikiServer(port string) http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "wiki", Version: "1"}, nil)
	answers := func(name string, answer func(asked string) string) {
		type question struct {
			Question string `json:"question"`
		}
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Answers.",
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
			func(_ context.Context, _ *mcp.CallToolRequest, in question) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer(in.Question)}}}, nil,
					nil
			})
	}
	answers("ask_question", func(string) string {
		return "The lighthouse of Hallvik has 42 steps. It was built in 1871.\n\nMore on it: " +
			"http://docs.larch.localhost:" + port + "/releases"
	})
	answers("look_up", func(string) string {
		return `{"harbour":{"name":"Hallvik","gate_width_metres":12,"note":"The harbour gate of Hallvik is 12 metres wide."}}`
	})
	answers("look_up_again", func(string) string {
		return "As was said: the harbour gate of Hallvik is 12 " +
			"metres wide."
	})
	answers("echo", func(asked string) string { return "You said: " + asked })
	answers("store", func(string) string { return `{"ok":true}` })
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
}

// turns is a modeltest.Script of a model that makes the calls of a list, one a turn, and
// the last again and again: [{"web_fetch": {"url": "..."}}, {"final_answer_tool": {...}}]. A
// final answer may be given as a string.
func turns(list string) (modeltest.Script, error) {
	var made []map[string]json.RawMessage
	err := json.Unmarshal([]byte(list), &made)
	return func(_ int, a modeltest.Asked) modeltest.Reply {
		calls, _ := said(a)
		for name, arguments := range made[min(len(calls), len(made)-1)] {
			var answer string
			if json.Unmarshal(arguments, &answer) == nil {
				return calling(name, map[string]any{"reasoning": "enough is known",
					"completed_steps": []string{"asked"}, "answer": answer, "status": "completed"})
			}
			return modeltest.Asks(modeltest.Call{ID: "c", Name: name, Arguments: string(arguments)})
		}
		return modeltest.Says("")
	}, err
}
