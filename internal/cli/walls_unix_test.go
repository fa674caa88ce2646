//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/server/page"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A stander is somebody with a token.
type stander struct {
	*runsClient
	name     string
	sessions map[string]*mcp.ClientSession // by toolset
}

func newStander(t *testing.T, l *lab, base, name string, create ...string) *stander {
	t.Helper()
	token, stderr, code := here(t, l.home, append([]string{"token", "create", name}, create...)...)
	if code != 0 {
		t.Fatalf("no token for %s: %s", name, stderr)
	}
	return &stander{runsClient: newRunsClient(t, base, strings.TrimSpace(token)), name: name,
		sessions: map[string]*mcp.ClientSession{}}
}

type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// session is one of MCP at a toolset, the same each time.
func (s *stander) session(toolset string) *mcp.ClientSession {
	s.t.Helper()
	if s.sessions[toolset] == nil {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(s.t.Context(),
			&mcp.StreamableClientTransport{Endpoint: s.base + "/mcp/" + toolset,
				HTTPClient: &http.Client{Transport: bearer{s.token}}}, &mcp.ClientSessionOptions{
				ProtocolVersion: "2025-06-18"})
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { session.Close() })
		s.sessions[toolset] = session
	}
	return s.sessions[toolset]
}

// asks is an answer of HTTP with all that it says.
func (s *stander) asks(method, path, body string, headers ...string) string {
	s.t.Helper()
	resp := s.send(s.t.Context(), method, path, body, headers...)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Header.Del("Date")
	return fmt.Sprintf("%d %v %s", resp.StatusCode, resp.Header, data)
}

// calls is the answer of a tool.
func (s *stander) calls(toolset, name, arguments string) string {
	s.t.Helper()
	r, err := s.session(toolset).CallTool(s.t.Context(), &mcp.CallToolParams{
		Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return err.Error()
	}
	return asText(s.t, r)
}

func (s *stander) reads(uri string) string {
	s.t.Helper()
	r, err := s.session("default").ReadResource(s.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err.Error()
	}
	return asText(s.t, r)
}

func asText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// things are what somebody has, by the words that stand for them in the rows.
type things map[string]string

func (of things) fill(words string) string {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = strings.ReplaceAll(words, name, of[name])
	}
	return words
}

var (
	anyRun     = regexp.MustCompile(`\b[a-z_]+_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyUUID    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anyDay     = regexp.MustCompile(`\b\d{1,2} [A-Z][a-z]{2,8} \d{4}, \d\d:\d\d(:\d\d)?`) // as a page has it
	anyTime    = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?`)
	anyCreated = regexp.MustCompile(`"(created|\\?duration_ms)\\?":\d+`)
	anyFile    = regexp.MustCompile(`[\w/.-]*\d{8}_\d{6}_[\w]*\.md`) // in the folder of the tenant
	anyFigure  = regexp.MustCompile(`chatcmpl-[0-9a-f]+|\d+`)
	anyFeedKey = regexp.MustCompile(`feed\?key=[\w-]+`) // each token has its own
	anyWatch   = regexp.MustCompile(`(watches/|watch:|"id":")[0-9a-f]{8}\b`)
	anyHash    = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// but takes ids and times out of an answer, and what it repeats of the question.
func but(answer string, asked things) string {
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		answer = strings.ReplaceAll(answer, asked[name], name)
	}
	answer = anyCreated.ReplaceAllString(answer, `"created":0`)
	answer = anyFeedKey.ReplaceAllString(answer, "feed?key=OWN")
	answer = anyWatch.ReplaceAllString(answer, "${1}W")
	answer = anyFile.ReplaceAllString(answer, "FILE.md")
	for form, word := range map[*regexp.Regexp]string{anyRun: "RUN", anyDay: "DAY", anyTime: "TIME", anyHash: "HASH"} {
		answer = form.ReplaceAllString(answer, word)
	}
	return anyUUID.ReplaceAllString(answer, "UUID")
}

// Whose a row's thing is.
const (
	ofToken  = "token"  // another token of the tenant is a stranger, too; an admin is not
	ofTenant = "tenant" // every token of the tenant has it
	ofServer = "server" // it is of nobody, and the same for all
	ofWriter = "writer" // it writes into what its tenant has
)

// A row is a call, and whose it is what the call is of.
type row struct {
	of     string
	call   string   // METHOD /path BODY, the arguments of a tool, or an address
	with   []string // headers, name and value in turn
	ends   bool     // it takes away or changes: that its owner can is shown with things of its own
	alone  bool     // it is its owner's alone: an admin is a stranger, too
	begins bool     // it begins a run for who has none of that key
}

// httpRows are by route. RUN is a run that has ended, ASKING one that asks something, WATCH a watch whose round is
// over, KEY an Idempotency-Key, FORM the key of a form, SAID what the assistant published, SESSION a session of MCP,
// DOC a document.
var httpRows = map[string][]row{
	"GET /healthz":        {{of: ofServer, call: "GET /healthz"}},
	"GET /readyz":         {{of: ofServer, call: "GET /readyz"}},
	"GET /health":         {{of: ofServer, call: "GET /health"}},
	"GET /metrics":        {{of: ofServer, call: "GET /metrics"}},
	"GET /openapi.json":   {{of: ofServer, call: "GET /openapi.json"}},
	"GET /v1/agents":      {{of: ofServer, call: "GET /v1/agents"}},
	"GET /v1/models":      {{of: ofServer, call: "GET /v1/models"}},
	"GET /v1/models/{id}": {{of: ofServer, call: "GET /v1/models/RUN"}},
	"GET /v1/runs": {{of: ofToken, call: "GET /v1/runs"},
		{of: ofToken, call: "GET /v1/runs?state=completed&limit=1"},
		{of: ofToken, call: "GET /v1/runs?q=larch&since=2026-01-01&outcome=answered&outcome=partial"},
		{of: ofToken, call: "GET /v1/runs?same_task=RUN"}},
	"GET /v1/runs/{id}": {{of: ofToken, call: "GET /v1/runs/RUN"}},
	"GET /v1/runs/{id}/events": {{of: ofToken, call: "GET /v1/runs/RUN/events"},
		{of: ofToken, call: "GET /v1/runs/RUN/events", with: []string{"Accept", "application/json"}}},
	"GET /v1/runs/{id}/result": {{of: ofToken, call: "GET /v1/runs/RUN/result"}},
	"GET /v1/runs/{id}/report": {{of: ofToken, call: "GET /v1/runs/RUN/report"},
		{of: ofToken, call: "GET /v1/runs/RUN/report?format=html"},
		{of: ofToken, call: "GET /v1/runs/RUN/report?format=json"}},
	"GET /v1/runs/{id}/evidence": {{of: ofToken, call: "GET /v1/runs/RUN/evidence"}},
	"GET /v1/runs/{id}/sources":  {{of: ofToken, call: "GET /v1/runs/RUN/sources"}},
	"GET /v1/runs/{id}/sources/{n}/text": {{of: ofToken, call: "GET /v1/runs/RUN/sources/1/text"},
		{of: ofToken, call: "GET /v1/runs/RUN/sources/1/text?start=3&end=9"}},
	"POST /v1/runs/{id}/verification": {{of: ofToken, call: "POST /v1/runs/RUN/verification"}},
	"POST /v1/runs/{id}/answer": {{of: ofToken, call: `POST /v1/runs/ASKING/answer {"text": "the format"}`,
		ends: true}},
	"POST /v1/runs/{id}/cancel": {{of: ofToken, call: "POST /v1/runs/ASKING/cancel", ends: true}},
	"DELETE /v1/runs/{id}":      {{of: ofToken, call: "DELETE /v1/runs/RUN", ends: true}},
	"GET /agents":               {{of: ofToken, call: "GET /agents"}},
	"GET /agents/{id}/state":    {{of: ofToken, call: "GET /agents/RUN/state"}},
	"DELETE /agents/{id}":       {{of: ofToken, call: "DELETE /agents/ASKING", ends: true}},
	"POST /v1/runs": {{of: ofToken, call: `POST /v1/runs {"task": "x", "from": "RUN"}`,
		ends: true}, {of: ofToken, call: `POST /v1/runs {"task": "another"}`, with: []string{"Idempotency-Key", "KEY"},
		alone: true, begins: true}},
	"POST /v1/chat/completions": {
		{of: ofToken, call: `POST /v1/chat/completions {"model": "RUN", "messages": [{"role": "user", "content": "x"}]}`}, {of: ofToken, call: `POST /v1/chat/completions {"metadata": {"run_id": "RUN"}, "messages": [{"role": "user", "content": "x"}]}`, ends: true},
		{of: ofToken, call: `POST /v1/chat/completions {"model": "SAME", "messages": [{"role": "user", "content": "another"}]}`, with: []string{"Idempotency-Key", "KEY"}, alone: true, begins: true}},
	"POST /agents/{id}/provide_clarification": {{of: ofToken,
		call: `POST /agents/ASKING/provide_clarification {"clarifications": "the format"}`, ends: true}},
	"GET /v1/watches": {{of: ofToken, call: "GET /v1/watches"}},
	"POST /v1/watches": {{of: ofToken,
		call: `POST /v1/watches {"question": "Which birds are at the pier?", "agent": "SAME"}`,
		with: []string{"Idempotency-Key", "KEY"}, alone: true, begins: true}},
	"GET /v1/watches/{watch}": {{of: ofToken, call: "GET /v1/watches/WATCH"}},
	"GET /v1/watches/{watch}/news": {{of: ofToken, call: "GET /v1/watches/WATCH/news"},
		{of: ofToken, call: "GET /v1/watches/WATCH/news?limit=1"}},
	"GET /v1/watches/{watch}/feed": {{of: ofToken, call: "GET /v1/watches/WATCH/feed"}},
	"POST /v1/watches/{watch}/run": {{of: ofToken, call: "POST /v1/watches/WATCH/run", ends: true}},
	"DELETE /v1/watches/{watch}":   {{of: ofToken, call: "DELETE /v1/watches/WATCH", ends: true}},
	"GET /v1/documents": {{of: ofTenant, call: "GET /v1/documents"},
		{of: ofTenant, call: "GET /v1/documents?prefix=file:///attached/&limit=1"}},
	"GET /v1/documents/search": {{of: ofTenant, call: "GET /v1/documents/search?q=barge"}},
	"GET /v1/documents/{id}":   {{of: ofTenant, call: "GET /v1/documents/DOC"}},
	"GET /v1/documents/{id}/text": {{of: ofTenant, call: "GET /v1/documents/DOC/text"},
		{of: ofTenant, call: "GET /v1/documents/DOC/text?start=1&end=5", with: []string{"Accept", "text/plain"}}},
	"DELETE /v1/documents/{id}": {{of: ofTenant, call: "DELETE /v1/documents/DOC", ends: true}},
	"POST /v1/documents": {{of: ofWriter,
		call: `POST /v1/documents {"filename": "gate.txt", "text": "Not the text of anybody else."}`}},
	"GET /v1/graph": {{of: ofTenant, call: "GET /v1/graph"},
		{of: ofTenant, call: "GET /v1/graph?q=gate"}},
	"GET /v1/graph/{node}": {{of: ofTenant, call: "GET /v1/graph/gate"},
		{of: ofTenant, call: "GET /v1/graph/wheel?direction=in"}},
	"GET /v1/status": {{of: ofTenant, call: "GET /v1/status"}},
	// not even an admin of the tenant
	"POST /v1/status": {{of: ofServer, call: "POST /v1/status"}},
	"POST /mcp": {{of: ofToken,
		call: `POST /mcp {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		with: []string{"Mcp-Session-Id", "SESSION", "Accept", "application/json, text/event-stream"}, alone: true}},
	"POST /mcp/{toolset}": {{of: ofToken,
		call: `POST /mcp/default {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		with: []string{"Mcp-Session-Id", "SESSION", "Accept", "application/json, text/event-stream"}, alone: true}},
	"DELETE /mcp": {{of: ofToken, call: "DELETE /mcp",
		with: []string{"Mcp-Session-Id", "SESSION"}, ends: true, alone: true}},
	"DELETE /mcp/{toolset}": {{of: ofToken, call: "DELETE /mcp/default",
		with: []string{"Mcp-Session-Id", "SESSION"}, ends: true, alone: true}},
	"GET /{$}": {{of: ofToken, call: "GET /"}},
	"GET /runs": {{of: ofToken, call: "GET /runs"},
		{of: ofToken, call: "GET /runs?state=completed"}},
	"GET /runs/{id}": {{of: ofToken, call: "GET /runs/RUN"},
		{of: ofToken, call: "GET /runs/ASKING"}},
	"GET /runs/{id}/c/{k}": {{of: ofToken, call: "GET /runs/RUN/c/1"}},
	"GET /runs/{id}/s/{n}": {{of: ofToken, call: "GET /runs/RUN/s/1"},
		{of: ofToken, call: "GET /runs/RUN/s/1?start=3"}},
	"GET /runs/{id}/log":          {{of: ofToken, call: "GET /runs/RUN/log"}},
	"GET /runs/{id}/part/news":    {{of: ofToken, call: "GET /runs/RUN/part/news?after=1"}},
	"GET /runs/{id}/part/c/{k}":   {{of: ofToken, call: "GET /runs/RUN/part/c/1"}},
	"POST /runs/{id}/verify":      {{of: ofToken, call: "POST /runs/RUN/verify"}},
	"POST /runs/{id}/part/verify": {{of: ofToken, call: "POST /runs/RUN/part/verify"}},
	"POST /runs/{id}/answer": {{of: ofToken, call: "POST /runs/ASKING/answer words=the+format",
		with: []string{"Content-Type", "application/x-www-form-urlencoded"}, ends: true}},
	"POST /runs/{id}/cancel": {{of: ofToken, call: "POST /runs/ASKING/cancel", ends: true}},
	"POST /runs/{id}/delete": {{of: ofToken, call: "POST /runs/RUN/delete", ends: true}},
	"POST /runs": {{of: ofToken, call: "POST /runs question=x&from=RUN&key=FORM",
		with: []string{"Content-Type", "application/x-www-form-urlencoded"}, ends: true},
		{of: ofToken, call: "POST /runs question=another&agent=SAME&key=FORM",
			with: []string{"Content-Type", "application/x-www-form-urlencoded"}, alone: true, begins: true}},
	"GET /watches": {{of: ofToken, call: "GET /watches"}, {of: ofToken, call: "GET /watches?run=RUN"}},
	"POST /watches": {{of: ofToken, call: "POST /watches question=birds&agent=SAME&every=1d&key=FORM",
		with: []string{"Content-Type", "application/x-www-form-urlencoded"}, alone: true, begins: true}},
	"GET /watches/{watch}":         {{of: ofToken, call: "GET /watches/WATCH"}},
	"POST /watches/{watch}/run":    {{of: ofToken, call: "POST /watches/WATCH/run", ends: true}},
	"POST /watches/{watch}/delete": {{of: ofToken, call: "POST /watches/WATCH/delete", ends: true}},
	"POST /theme": {{of: ofServer, call: "POST /theme theme=dark",
		with: []string{"Content-Type", "application/x-www-form-urlencoded"}}},
	"GET /a/":      {{of: ofServer, call: "GET /a/RUN/app.js"}},
	"GET /session": {{of: ofServer, call: "GET /session"}},
	"POST /session": {{of: ofServer, call: "POST /session token=RUN",
		with: []string{"Content-Type", "application/x-www-form-urlencoded"}}},
	"POST /session/end": {{of: ofServer, call: "POST /session/end"}},
	"GET /runs/{id}/map": {{of: ofToken, call: "GET /runs/RUN/map"},
		{of: ofToken, call: "GET /runs/ASKING/map"}},
	"GET /runs/{id}/time": {{of: ofToken, call: "GET /runs/RUN/time"},
		{of: ofToken, call: "GET /runs/ASKING/time"}},
	"GET /library": {{of: ofTenant, call: "GET /library"}},
	"POST /library": {{of: ofWriter, call: "POST /library " + gateForm,
		with: []string{"Content-Type", "multipart/form-data; boundary=b"}}},
	"POST /library/part/add": {{of: ofWriter, call: "POST /library/part/add " + gateForm,
		with: []string{"Content-Type", "multipart/form-data; boundary=b"}}},
	"GET /library/search": {{of: ofTenant, call: "GET /library/search?q=barge"}},
	"GET /library/graph": {{of: ofTenant, call: "GET /library/graph"},
		{of: ofTenant, call: "GET /library/graph?q=gate"}, {of: ofTenant, call: "GET /library/graph?node=gate"}},
	"GET /library/d/{id}": {{of: ofTenant, call: "GET /library/d/DOC"},
		{of: ofTenant, call: "GET /library/d/DOC?from=1&to=5&q=barge"}},
	"GET /library/d/{id}/text":    {{of: ofTenant, call: "GET /library/d/DOC/text"}},
	"POST /library/d/{id}/delete": {{of: ofTenant, call: "POST /library/d/DOC/delete", ends: true}},
	"GET /status":                 {{of: ofTenant, call: "GET /status"}},
	"POST /status":                {{of: ofServer, call: "POST /status"}}, // not even an admin of the tenant
	"GET /compare":                {{of: ofToken, call: "GET /compare?a=RUN&b=RUN"}},
}

// gateForm is a form of a file that says nothing of anybody.
const gateForm = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"gate.txt\"\r\n\r\nNot the text of " +
	"anybody else.\r\n--b--\r\n"

// toolRows are by the name of the tool, in every toolset that has it. Those without a row
// take no id and read nothing that is kept but the library: see TestLibraryIsItsTenants.
var toolRows = map[string][]row{
	"research_status": {{of: ofToken, call: `{"id": "RUN"}`}},
	"research_result": {{of: ofToken, call: `{"id": "RUN"}`}},
	"research_answer": {{of: ofToken, call: `{"id": "ASKING", "answer": "the format"}`, ends: true}},
	"research_cancel": {{of: ofToken, call: `{"id": "ASKING"}`, ends: true}},
	"research_start":  {{of: ofToken, call: `{"task": "x", "from": "RUN"}`, ends: true}},
	"check_claim": {{of: ofToken, call: `{"claim": "Larch 2.0 was released on 9 March 2022.", "run_id": "RUN"}`},
		{of: ofTenant, call: `{"claim": "Larch 2.0 was released on 9 March 2022.", "run_id": "BRIEF"}`}},
	"search_query":    {{of: ofTenant, call: `{"query": "tide gate"}`}},
	"vector_query":    {{of: ofTenant, call: `{"vector": [1, 0, 0]}`}},
	"graph_get_node":  {{of: ofTenant, call: `{"id": "gate"}`}},
	"graph_neighbors": {{of: ofTenant, call: `{"id": "gate", "rel": "HAS"}`}},
	"search_remove":   {{of: ofTenant, call: `{"id": "gate"}`, ends: true}},
	"vector_delete":   {{of: ofTenant, call: `{"id": "gate"}`, ends: true}},
	"graph_delete":    {{of: ofTenant, call: `{"id": "gate"}`, ends: true}},
	"multi_tool_use_parallel": {{of: ofToken,
		call: `{"tool_uses": [{"recipient_name": "functions.research_status", "parameters": {"id": "RUN"}}]}`},
		{of: ofTenant,
			call: `{"tool_uses": [{"recipient_name": "functions.search_query", "parameters": {"query": "tide gate"}}]}`}},
	"manifold/multi_tool_use_parallel": {{of: ofTenant, call: `{"tool_uses": [{"recipient_name": "functions.search_query", "parameters": {"query": "tide gate"}}]}`}},
	"agent/multi_tool_use_parallel":    nil, // has neither
	"create_report_tool": {{of: ofToken, alone: true,
		call: `{"reasoning": "enough", "title": "Larch", "user_request_language_reference": "When?", "content": "Larch 2.0 was released on 9 March 2022 [2].", "confidence": "high"}`}},

	// What these write is their caller's own; the rows that read show that it is nobody else's.
	"search_index":      {{of: ofWriter, call: `{"id": "gate", "text": "Not the text of anybody else."}`}},
	"vector_upsert":     {{of: ofWriter, call: `{"id": "gate", "vector": [0, 1, 0]}`}},
	"graph_upsert_node": {{of: ofWriter, call: `{"id": "gate", "props": {"n": 2}}`}},
	"graph_upsert_edge": {{of: ofWriter, call: `{"src": "gate", "rel": "HAS", "dst": "nothing"}`}},

	"web_search": nil, "web_research": nil, "search": nil, "check_references": nil, "web_fetch": nil,
	"extract_page_content": nil, "http_get": nil, "http_post": nil,
	"get_weather": nil, "tavily_extract": nil, "exa_find_similar": nil, "exa_get_contents": nil, "llm_transform": nil,
	"specialists_infer": nil,
	"reasoning_tool":    nil, "generate_plan_tool": nil, "adapt_plan_tool": nil, "clarification_tool": nil,
	"web_search_tool": nil, "extract_page_content_tool": nil, "final_answer_tool": nil,
	"run_cli": nil, "describe_image": nil, // a tenant has a working folder of its own: see TestRooms of internal/app
}

// resourceRows are of what MCP has to read.
var resourceRows = []row{
	{of: ofToken, call: "citewell://runs/RUN/report"},
	{of: ofServer, call: "citewell://briefs/RUN"}, // no run is a brief there,
	{of: ofTenant, call: "citewell://briefs/BRIEF"},
	{of: ofTenant, call: "citewell://snapshots/HASHOF"},
}

// A breach is a row with what it is called, and its call made for somebody.
type breach struct {
	row
	what string
	try  func(s *stander, of things) string
}

// breaches are all rows, by route, tool and resource: those that keep something come last.
func breaches(t *testing.T, s *stander) (all []breach) {
	for _, route := range slices.Sorted(maps.Keys(httpRows)) {
		for _, r := range httpRows[route] {
			all = append(all, breach{r, strings.TrimSpace(route + ": " + r.call + " " + strings.Join(r.with, " ")),
				func(s *stander, of things) string {
					method, rest, _ := strings.Cut(of.fill(r.call), " ")
					path, body, _ := strings.Cut(rest, " ")
					with := slices.Clone(r.with)
					for i := range with {
						with[i] = of.fill(with[i])
					}
					return s.asks(method, path, body, with...)
				}})
		}
	}
	for _, toolset := range builtin.New(builtin.Parts{}, nil, nil).Names() {
		list, err := s.session(toolset).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list.Tools {
			rows, special := toolRows[toolset+"/"+d.Name]
			if !special {
				rows = toolRows[d.Name]
			}
			for _, r := range rows {
				all = append(all, breach{r, toolset + "/" + d.Name + " " + r.call, func(s *stander, of things) string {
					return s.calls(toolset, d.Name, of.fill(r.call))
				}})
			}
		}
	}
	for _, r := range resourceRows {
		all = append(all, breach{r, r.call, func(s *stander, of things) string { return s.reads(of.fill(r.call)) }})
	}
	all = append(all, breach{row{of: ofToken}, "resources/list", func(s *stander, _ things) string {
		list, err := s.session("default").ListResources(s.t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return asText(s.t, list)
	}})
	keeps := func(b breach) bool { return b.begins || b.of == ofWriter }
	last := slices.DeleteFunc(slices.Clone(all), func(b breach) bool { return !keeps(b) })
	return append(slices.DeleteFunc(all, keeps), last...)
}

// settles gives somebody one of each thing.
func (s *stander) settles(l *lab) things {
	s.t.Helper()
	key := fmt.Sprintf("a-key-%d", settled.Add(1))
	l.model.Follow(researcher{}.reply)
	of := things{"SAME": "sgr_tool_calling_agent", "KEY": key}
	of["RUN"] = s.begin(`{"task": "`+larchTask+
		`", "attachments": [{"filename": "note.txt", "text": "The tide gate closes at high water."}]}`,
		"Idempotency-Key", key)
	s.whole("/v1/runs/" + of["RUN"] + "/events")
	of["FORM"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", settled.Add(1))
	if began := s.send(s.t.Context(), "POST", "/runs", of.fill("question=When%3F&agent=SAME&key=FORM"), "Content-Type",
		"application/x-www-form-urlencoded"); began.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the page begins a run with %d", began.StatusCode)
	} else {
		s.whole("/v1" + began.Header.Get("Location") + "/events")
	}
	of["WATCH"] = s.watches(`{"question": "`+larchTask+`"}`, "Idempotency-Key", key).ID
	if added := s.send(s.t.Context(), "POST", "/watches", of.fill("question=When%3F&agent=SAME&every=1d&key=FORM"),
		"Content-Type", "application/x-www-form-urlencoded"); added.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the page adds a watch with %d", added.StatusCode)
	} else {
		s.lastRound(strings.TrimPrefix(added.Header.Get("Location"), "/watches/"))
	}
	l.model.Follow(researcher{mode: "asks"}.reply)
	of["ASKING"] = s.begin(`{"task": "` + larchTask + `"}`)
	for h := range s.heardOf(of["ASKING"]) {
		if strings.Contains(h.data, "waiting_for_clarification") {
			break
		}
	}
	began := s.send(s.t.Context(), "POST", "/mcp/default",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		"Accept", "application/json, text/event-stream")
	if of["SESSION"] = began.Header.Get("Mcp-Session-Id"); len(of["SESSION"]) < 30 {
		s.t.Fatalf("a session is %q", of["SESSION"])
	}
	r, err := s.session("default").CallTool(s.t.Context(), &mcp.CallToolParams{
		Name: "web_search", Arguments: json.RawMessage(`{"query": "When was Larch 2.0 released?", "depth": 2}`)})
	if err != nil || r.IsError {
		s.t.Fatalf("web_search: %v %s", err, asText(s.t, r))
	}
	var b citewell.Brief
	if err := json.Unmarshal([]byte(asText(s.t, r.StructuredContent)), &b); err != nil || b.ID == "" ||
		len(b.Sources) == 0 {
		s.t.Fatalf("a brief: %v %s", err, asText(s.t, r.StructuredContent))
	}
	of["BRIEF"], of["HASHOF"] = b.ID, b.Sources[0].TextSHA256
	for _, kept := range [][2]string{{"search_index", `{"id": "gate", "text": "The tide gate closes at high water."}`},
		{"vector_upsert", `{"id": "gate", "vector": [1, 0, 0]}`},
		{"graph_upsert_node", `{"id": "gate", "props": {"n": 1}}`},
		{"graph_upsert_edge", `{"src": "gate", "rel": "HAS", "dst": "wheel"}`}} {
		s.calls("default", kept[0], kept[1])
	}
	of["DOC"] = s.adds(`{"filename": "barge.txt", "text": "The barge Marigold passes the tide gate at noon."}`)[0].ID
	return of
}

var settled atomic.Int64

// known waits until the server has read of the token.
func (s *stander) known() {
	s.t.Helper()
	for deadline := time.Now().Add(patience); s.send(s.t.Context(), "GET", "/v1/runs",
		"").StatusCode != http.StatusOK; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("nobody knows %s", s.name)
		}
	}
}

// What one token has, nobody else is told of: neither another tenant nor another token of its
// own tenant, whose runs are its own, by any route, tool or resource. An admin of the tenant is.
func TestWalls(t *testing.T) {
	if score.RaceDetector { // one request after the other
		t.Skip("runs without the race detector")
	}
	t.Parallel()
	l := newLab(t, researcher{})
	operator, _ := l.api(t)
	made := func(name string, create ...string) *stander { return newStander(t, l, operator.base, name, create...) }
	ann, cat, boss := made("ann", "--tenant", "acme"), made("cat", "--tenant", "acme"),
		made("boss", "--tenant", "acme", "--scope", "admin")
	bob, carl := made("bob", "--tenant", "beta"), made("carl", "--tenant", "gamma")
	carl.known()
	has := ann.settles(l)
	nobodys := things{"RUN": "sgr_tool_calling_agent_01234567-89ab-4cde-8f01-23456789abcd",
		"ASKING": "sgr_tool_calling_agent_11234567-89ab-4cde-8f01-23456789abcd",
		"DOC": base64.RawURLEncoding.EncodeToString([]byte("file:///attached/" + strings.Repeat("0a", 16) +
			"/barge.txt")),
		"WATCH": "01234567", "KEY": "a-key-of-nobody", "FORM": "00000000-0000-4000-8000-ffffffffffff",
		"SAME": has["SAME"], "BRIEF": "21234567-89ab-4cde-8f01-23456789abcd", "HASHOF": strings.Repeat("0a", 32),
		"SESSION": strings.Repeat("A", 26) + has["SESSION"][26:]}
	for _, toolset := range []string{"agent", "sgr"} {
		if found := ann.calls(toolset, "web_search_tool",
			`{"reasoning": "to find it", "query": "Larch file format"}`); !strings.Contains(found, "[1] ") {
			t.Fatalf("%s: %s", toolset, found)
		}
	}
	tries := breaches(t, ann)
	others := []*stander{bob, cat}
	told := func(try breach, s *stander, of things) string {
		answer := but(try.try(s, of), of)
		if try.begins { // what the run has spent by then is another figure each time
			answer = anyFigure.ReplaceAllString(answer, "N")
		}
		return answer
	}

	before, strange := map[string]string{}, map[string]string{}
	for _, try := range tries {
		if !try.ends && (try.of == ofToken || try.of == ofTenant) {
			before[try.what] = told(try, ann, has)
		}
	}
	for _, try := range tries {
		if was, there := before[try.what]; there && !try.alone {
			if got := told(try, boss, has); got != was {
				t.Errorf("%s: an admin is told\n%.600s\nand the owner\n%.600s", try.what, got, was)
			}
		}
	}
	for _, try := range tries {
		strange[try.what] = told(try, carl, nobodys)
		var same []string
		for _, s := range others {
			if (try.of == ofTenant || try.of == ofWriter || showsDocuments(try.what)) && s == cat { // who has it, too
				continue
			}
			if got := told(try, s, has); got != strange[try.what] {
				t.Errorf("%s: %s is told\n%.600s\nand a stranger\n%.600s", try.what, s.name, got, strange[try.what])
			}
			same = append(same, s.name)
		}
		t.Logf("%-9s %-100.100s as nobody's to %s: %.60s", try.of, try.what, strings.Join(same, ", "),
			strange[try.what])
	}
	for _, try := range tries {
		was, there := before[try.what]
		if !there {
			continue
		} else if was == strange[try.what] {
			t.Errorf("%s: its owner is told no more than a stranger: %.600s", try.what, was)
		}
		if now := told(try, ann, has); now != was && !try.alone {
			t.Errorf("%s: its owner was told\n%.600s\nand after the others\n%.600s", try.what, was, now)
		}
		if try.of == ofTenant {
			if got := told(try, cat, has); got != was {
				t.Errorf("%s: another of the tenant is told\n%.600s\nand the owner\n%.600s", try.what, got, was)
			}
		}
	}
	for _, try := range tries {
		if !try.ends || try.of != ofToken { // what the tenant has is still there, which was shown
			continue
		}
		who := map[bool]*stander{true: ann, false: boss}[try.alone]
		if got := told(try, who, ann.settles(l)); got == strange[try.what] {
			t.Errorf("%s: %s is told as a stranger is: %.600s", try.what, who.name, got)
		}
	}
}

// Every route and every tool has a row, and every tool a trial.
func TestWallsAreWhole(t *testing.T) {
	var paths []string
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(runs.Document(), &doc); err != nil {
		t.Fatal(err)
	}
	routes := openai.New(openai.Options{}).Routes()
	for path, item := range doc.Paths {
		for method := range item {
			if method != "parameters" {
				routes = append(routes, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, route := range append(routes, page.Routes()...) {
		if len(httpRows[route]) == 0 {
			t.Errorf("%s has no row", route)
		}
	}
	for route := range httpRows {
		_, path, _ := strings.Cut(route, " ")
		paths = append(paths, path)
	}
	for _, pattern := range server.Patterns() {
		_, path, found := strings.Cut(pattern, " ")
		if !found {
			path = pattern
		}
		if !slices.ContainsFunc(paths, func(p string) bool {
			return p == path || strings.HasSuffix(path, "/") &&
				strings.HasPrefix(p, path)
		}) {
			t.Errorf("%s has no row", pattern)
		}
	}
	for _, name := range builtin.ToolNames() {
		if _, there := toolRows[name]; !there {
			t.Errorf("the tool %s has no row in toolRows here: nil says that it takes no id and reads no store", name)
		}
		if _, there := trials[name]; !there {
			t.Errorf("the tool %s has no trial: add one to trials in every_tool_unix_test.go", name)
		}
	}
}

// showsDocuments reports whether a page has a form that says whether its tenant has documents.
func showsDocuments(what string) bool {
	return slices.ContainsFunc([]string{"GET /watches:", "GET /{$}:", "POST /runs:"}, func(page string) bool {
		return strings.HasPrefix(what, page)
	})
}
