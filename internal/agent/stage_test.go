//go:build unix

package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/custom"
	"github.com/citewell/citewell/internal/tool/mcptools"
)

// TestMain lets the test binary be the child that reads PDFs.
func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

const (
	stolen   = "kestrel-9b1f44"
	noteURL  = "file:///home/u/note.txt"
	noteText = "The project is called Kestrel-9b1f44 and is nobody else's business until the autumn."
)

// A stage is the world of one run with real parts: a web with an attacker's host in it, MCP
// servers, a command and an endpoint of the operator's, and the user's own document. It
// notes whatever reaches somebody.
type stage struct {
	t     *testing.T
	web   *httptest.Server
	guard *egress.Guard
	agent.Pages

	mu      sync.Mutex
	pages   map[string]string // by path
	status  int               // of what is called and is no page
	hits    []citewell.Result
	fails   error  // of the search
	file    string // of the user's
	broken  error  // of reading pages
	reached []string
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t}
	s.web = httptest.NewServer(s)
	t.Cleanup(s.web.Close)
	var err error
	if s.guard, err = egress.NewGuard(egress.Options{AllowNetworks: egress.MustParseNetworks("127.0.0.0/8",
		"::1/128")}); err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{Guard: s.guard, Spacing: -1})
	t.Cleanup(client.Close)
	s.Pages = agent.Pages{Fetcher: client, Extract: extract.Extract}
	return s
}

func (s *stage) at(path string) string { return s.web.URL + path }

func (s *stage) reach(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reached = append(s.reached, what)
}

// ServeHTTP is the web, the attacker's host and the operator's endpoint in one.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	page, status := s.pages[r.URL.Path], s.status
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
		return
	case strings.HasPrefix(r.URL.Path, "/steal") || strings.Contains(r.Host, stolen):
		s.reach("address")
	case r.Header.Get("X-Data") != "":
		s.reach("header")
	case r.Method == http.MethodPost && r.URL.Path == "/send":
		s.reach("act")
	case r.Method == http.MethodPost && r.URL.Path == "/page":
		s.reach("post")
	}
	kind := "text/html; charset=utf-8"
	switch {
	case strings.HasPrefix(page, "%PDF"):
		kind = "application/pdf"
	case strings.HasPrefix(r.URL.Path, "/call"):
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	if status != 0 && strings.HasPrefix(r.URL.Path, "/call") {
		w.WriteHeader(status)
	}
	fmt.Fprint(w, page)
}

// Search implements agent.Searcher.
func (s *stage) Search(_ context.Context, q citewell.Query) ([]citewell.Result, error) {
	if said := strings.ToLower(q.Text); strings.Contains(said, stolen) ||
		strings.Contains(said, "a2vzdhjlbc05yjfmndq") {
		s.reach("query")
	}
	if s.fails != nil {
		return nil, s.fails
	}
	return s.hits, nil
}

// Read implements agent.Reader.
func (s *stage) Read(ctx context.Context, u string) (citewell.Page, citewell.Document, error) {
	if s.broken != nil {
		return citewell.Page{}, citewell.Document{}, s.broken
	}
	if !strings.HasPrefix(u, "file:") {
		return s.Pages.Read(ctx, u)
	}
	page := citewell.Page{URL: u, FinalURL: u, Body: []byte(s.file), SHA256: citewell.SHA256([]byte(s.file)),
		ContentType: "text/plain; charset=utf-8", Outcome: citewell.FetchOK}
	doc, err := extract.Extract(ctx, page)
	return page, doc, err
}

// server starts an MCP server with a tool that answers and one that acts, and gives both.
func (s *stage) server(name string, ask mcp.Tool, said string, fails bool) []*tool.Tool {
	m := mcp.NewServer(&mcp.Implementation{Name: name}, nil)
	ask.Name, ask.Annotations = "ask", &mcp.ToolAnnotations{ReadOnlyHint: true}
	if ask.InputSchema == nil {
		ask.InputSchema = json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}}}`)
	}
	m.AddTool(&ask, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if strings.Contains(string(r.Params.Arguments), stolen) {
			s.reach("argument")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}, IsError: fails}, nil
	})
	m.AddTool(&mcp.Tool{Name: "post", Description: "Posts.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
		InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.reach("server")
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "posted"}}}, nil
		})
	handler := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return m
	}, &mcp.StreamableHTTPOptions{Stateless: true}))
	s.t.Cleanup(handler.Close)
	set, err := mcptools.Open(s.t.Context(), []mcptools.Server{
		{Name: name, URL: handler.URL, Trust: mcptools.Trust{ReadOnlyTools: []string{"ask"}}}},
		mcptools.Options{Version: "test", Dir: s.t.TempDir(), Guard: s.guard})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(set.Close)
	return set.Tools
}

// own makes a tool of the operator's.
func (s *stage) own(name string, section map[string]any) *tool.Tool {
	specs, err := custom.Parse(map[string]any{name: section}, func(string) bool { return false })
	if err != nil {
		s.t.Fatal(err)
	}
	return custom.New(specs[0], s.guard, s.t.TempDir())
}
