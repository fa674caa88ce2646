//go:build unix

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A trial is one tool with arguments that are right, what its answer then holds, and
// arguments that are wrong with what is said of them.
type trial struct {
	good  string
	holds []string          // in the text or in the data
	bad   map[string]string // arguments → what the error says
}

// preludes are the calls before a trial, each a tool and its arguments, by the name of
// the tool that is tried.
var preludes = map[string][][2]string{
	"create_report_tool": {{"web_search_tool", `{"reasoning": "to find it", "query": "Larch file format"}`}},
	"final_answer_tool":  {{"web_search_tool", `{"reasoning": "to find it", "query": "Larch file format"}`}},
	"research_cancel": {{"research_start", `{"task": "When was Larch 2.0 released?"}`},
		{"research_status", `{"id": "RUN", "wait_seconds": 50}`}},
	"research_result": {{"research_status", `{"id": "RUN", "wait_seconds": 50}`}},
}

// trials are every tool that a toolset may offer, by name; an entry TOOLSET/NAME goes
// before one of the name alone. WEB is the demo web's address, RUN the newest run of
// the toolset.
var trials = map[string]trial{
	"web_search": {`{"query": "how tall is the Skarrow light", "depth": 2}`,
		[]string{"# Research: how tall is the Skarrow light", "## Coverage", `"schema":"citewell.brief/1"`},
		map[string]string{`{"query": " "}`: "query is required",
			`{"query": "x", "depth": 11}`: "depth must be from 1 to 10"}},
	"manifold/web_search": {`{"query": "Skarrow light", "max_results": 11}`,
		[]string{`"ok":true`, `"results":[{"title":`, "Note: max_results: the number 11 was taken as 5; it must be " +
			"from 1 to 10"},
		map[string]string{`{"query": "x", "max_results": []}`: "max_results must be a number"}},
	"cogtrix/web_search": {`{"query": "how tall is the Skarrow light", "depth": 20, "compact": "true"}`,
		[]string{"## Coverage",
			`Note: compact: the string "true" was taken as true; depth: the number 20 was taken as 10; it must be from 1 to 10`},
		map[string]string{`{"query": "x", "depth": "many"}`: "depth must be a number, not the string"}},
	"grip/web_research": {`{"topic": "Skarrow light", "depth": "1", "max_sources": 11}`,
		[]string{"## Confidence: ",
			`Note: depth: the string "1" was taken as 1; max_sources: the number 11 was taken as 10; it must be from 1 to 10`},
		map[string]string{`{"topic": "x", "depth": true}`: "depth must be a number"}},
	"searxng/search": {`{"q": "Skarrow light", "safesearch": "1"}`,
		[]string{`"results":[{`, `Note: safesearch: the string "1" was taken as 1`},
		map[string]string{`{"q": "x", "safesearch": 3}`: "safesearch must be"}},
	"sgr/web_search_tool": {`{"reasoning": "to find it", "query": "Larch file format", "max_results": "3"}`,
		[]string{"[1] The Larch 2 file format", `Note: max_results: the string "3" was taken as 3`},
		map[string]string{`{"reasoning": "x", "query": "x", "max_results": "11"}`: "max_results must be from 1 to 10"}},
	"web_research": {`{"topic": "Skarrow light", "depth": 1, "max_sources": 2}`,
		[]string{"# Research: Skarrow light", "## Confidence: ", "## Sources"},
		map[string]string{`{"topic": ""}`: "topic is required",
			`{"topic": "x", "depth": 4}`: "depth must be from 1 to 3"}},
	"search": {`{"q": "Skarrow light"}`, []string{`"query":"Skarrow light"`, `"results":[{`},
		map[string]string{`{"q": "x", "safesearch": 3}`: "safesearch must be", `{}`: "q is required"}},
	"web_fetch": {`{"url": "WEB"}`, []string{"Title: "},
		map[string]string{`{"url": "http://169.254.169.254/"}`: "blocked_address",
			`{"url": "ftp://x.example/"}`: "unsupported_scheme"}},
	"manifold/web_fetch": {`{"url": "WEB"}`, []string{`"ok":true`, `"markdown":`},
		map[string]string{`{}`: `"ok":false`}},
	"extract_page_content": {`{"urls": ["WEB"]}`, []string{"WEB"},
		map[string]string{`{"urls": []}`: "urls must have 1 to 5 items"}},
	"check_claim": {`{"claim": "It is 41 metres deep.", "evidence": "The well is old. It is 41 metres deep."}`,
		[]string{`"verdict":"supported"`, `"start":17`, "Quote: “It is 41 metres deep.”"},
		map[string]string{`{"claim": "x"}`: "evidence is required, or url, or run_id",
			`{"claim": "x", "evidence": "y", "url": "http://x.example/"}`: "exclude each other",
			`{"claim": "x", "url": "http://169.254.169.254/"}`:            "blocked_address",
			`{"claim": "x", "run_id": "nobody"}`:                          "no brief with that id",
			`{"evidence": "y"}`:                                           "claim is required"}},
	"check_references": {`{"entries": "@article{a, title = {Of lights}, year = 2001}"}`,
		[]string{`"verdict":"unchecked"`, "1. unchecked: Of lights", "no register is switched on"},
		map[string]string{`{}`: "entries is required, or text",
			`{"entries": "Of lights, 2001"}`:                  "neither BibTeX, RIS nor CSL-JSON",
			`{"entries": "@misc{a, title={b}}", "text": "x"}`: "exclude each other"}},
	"http_get": {`{"url": "KEYED/echo"}`, []string{"Status: 200 OK"},
		map[string]string{`{"url": "http://2130706433/"}`: "invalid_url",
			`{"url": "KEYED/echo", "timeout": 121}`: "timeout must be from 1 to 120"}},
	"cogtrix/http_get": {`{"url": "KEYED/echo", "timeout": 121}`,
		[]string{"Status: 200 OK", "timeout: the number 121 was taken as 120"},
		map[string]string{`{"url": "http://2130706433/"}`: "invalid_url"}},
	"cogtrix/exa_find_similar": {`{"url": "https://a.example/", "num_results": 11}`,
		[]string{"Relevance: 0.5000", "num_results: the number 11 was taken as 10"},
		map[string]string{`{}`: "url is required"}},
	"http_post": {`{"url": "KEYED/echo", "data": "{\"a\": 1}"}`, []string{"Status: 200 OK"},
		map[string]string{`{"url": "KEYED/echo", "data": "{"}`: "data"}},
	"get_weather": {`{"location": "Oslo"}`, []string{"Oslo", "partly cloudy"},
		map[string]string{`{"location": " "}`: "location is required",
			`{"location": "Oslo", "units": "stone"}`: "units must be one of"}},
	"tavily_extract": {`{"urls": ["https://a.example/"]}`, []string{"## https://a.example/", "extracted words"},
		map[string]string{`{"urls": []}`: "urls must have 1 to 20 items"}},
	"exa_find_similar": {`{"url": "https://a.example/"}`, []string{
		"pages similar to https://a.example/", "Relevance: 0.5000"},
		map[string]string{`{"url": "https://a.example/", "num_results": 11}`: "num_results must be from 1 to 10"}},
	"exa_get_contents": {`{"urls": ["https://a.example/"]}`, []string{"## https://a.example/", "extracted words"},
		map[string]string{`{"urls": []}`: "urls must have 1 to 20 items"}},
	"search_index": {
		`{"id": "n1", "text": "The tide gate closes at high water.", "metadata": {"topic": "water"}}`, []string{"true"},
		map[string]string{`{"id": "n1"}`: "text is required"}},
	"search_query": {`{"query": "tides"}`, []string{"n1", "tide"},
		map[string]string{`{"query": ""}`: "query is required"}},
	"manifold/search_query": {`{"query": "zzzz", "limit": "5"}`,
		[]string{`{"ok":true,"results":[]}`, `limit: the string "5" was taken as 5`},
		map[string]string{`{}`: `"ok":false`}},
	"vector_upsert": {`{"id": "v1", "text": "a text", "metadata": {"n": 1}}`, []string{},
		map[string]string{`{"id": "v2"}`: "vector or text is required"}},
	"vector_query": {`{"vector": VECTOR, "k": 1}`, []string{"v1"},
		map[string]string{`{"vector": [1, 0]}`: "expects 8 dimensions and 2 are given"}},
	"graph_upsert_node": {`{"id": "a", "labels": ["thing"], "props": {"n": 1}}`, []string{},
		map[string]string{`{}`: "id is required"}},
	"graph_upsert_edge": {`{"src": "a", "rel": "KNOWS", "dst": "b"}`, []string{},
		map[string]string{`{"src": "a", "rel": "KNOWS"}`: "dst is required"}},
	"graph_neighbors": {`{"id": "a", "rel": "KNOWS"}`, []string{`"b"`},
		map[string]string{`{}`: "id is required"}},
	"graph_get_node": {`{"id": "a"}`, []string{`"thing"`}, map[string]string{`{"id": "nobody"}`: "not found"}},
	"llm_transform": {`{"instruction": "shorten", "input": "words"}`, []string{"transformed"},
		map[string]string{`{"input": "x"}`: "instruction is required"}},
	"run_cli": {`{"command": "cat", "args": ["a.txt"], "cwd": "."}`,
		[]string{`"ok":true`, `"stdout":"kept here\n"`, `"timed_out":false`},
		map[string]string{`{"command": "bash", "args": ["-c", "id"]}`: "command_not_allowed",
			`{"command": "cat", "args": ["../citewell.yaml"]}`:  "path_outside_workdir",
			`{"command": "sort", "args": ["-o", "x", "a.txt"]}`: "argument_not_allowed"}},
	"describe_image": {`{"path": "pixel.gif", "prompt": "what is it?"}`, []string{"transformed"},
		map[string]string{`{"path": "../secret.png"}`: "path_outside_workdir", `{"path": "gone.png"}`: "file_not_found",
			`{"path": "a.txt"}`: "unsupported_image", `{}`: "path is required"}},
	"specialists_infer": {`{"specialist": "reviewer", "prompt": "look"}`,
		[]string{"transformed", `"used_reasoning_effort":"low"`},
		map[string]string{`{"specialist": "nobody", "prompt": "look"}`: "specialist must be one of"}},
	"manifold/specialists_infer": {`{"specialist": "reviewer", "prompt": "look"}`,
		[]string{`{"ok":true,"specialist":"reviewer","model":"scripted","used_reasoning_effort":"low","output":"transformed"}` + "\n"},
		map[string]string{`{"specialist": "nobody", "prompt": "look"}`: `"ok":false`}},
	"multi_tool_use_parallel": {
		`{"tool_uses": [{"recipient_name": "functions.search_query", "parameters": {"query": "tides"}}]}`,
		[]string{`"ok":true`, "n1"}, map[string]string{`{"tool_uses": []}`: "tool_uses must have 1 to 32 items"}},
	"reasoning_tool": {
		`{"reasoning_steps": ["look", "read"], "current_situation": "begun", "plan_status": "none", "remaining_steps": ["search"], "task_completed": false}`,
		[]string{`{"reasoning_steps":["look","read"],"current_situation":"begun","plan_status":"none","enough_data":false,"remaining_steps":["search"],"task_completed":false}`},
		map[string]string{
			`{"reasoning_steps": ["one"], "current_situation": "x", "plan_status": "x", "remaining_steps": ["x"], "task_completed": false}`: "reasoning_steps must have 2 to 3 items"}},
	"generate_plan_tool": {
		`{"reasoning": "to begin", "research_goal": "the goal", "planned_steps": ["a", "b", "c"], "search_strategies": ["x", "y"]}`,
		[]string{`{"research_goal":"the goal","planned_steps":["a","b","c"],"search_strategies":["x","y"]}`},
		map[string]string{
			`{"reasoning": "to begin", "research_goal": "the goal", "planned_steps": ["a"], "search_strategies": ["x", "y"]}`: "planned_steps must have 3 to 4 items"}},
	"adapt_plan_tool": {
		`{"reasoning": "new facts", "original_goal": "a", "new_goal": "b", "plan_changes": ["c"], "next_steps": ["d", "e"]}`,
		[]string{`{"original_goal":"a","new_goal":"b","plan_changes":["c"],"next_steps":["d","e"]}`},
		map[string]string{
			`{"reasoning": "new facts", "original_goal": "a", "new_goal": "b", "plan_changes": ["c"], "next_steps": ["d"]}`: "next_steps must have 2 to 4 items"}},
	"clarification_tool": {
		`{"reasoning": "unclear", "unclear_terms": ["Larch"], "assumptions": ["the tree", "the format"], "questions": ["Which Larch?", "Since when?"]}`,
		[]string{"Which Larch?\nSince when?\n"},
		map[string]string{
			`{"reasoning": "unclear", "unclear_terms": ["Larch"], "assumptions": ["the tree"], "questions": ["Which?"]}`: "assumptions must have 2 to 3 items"}},
	"web_search_tool": {`{"reasoning": "to find it", "query": "Larch file format", "max_results": 3}`,
		[]string{"Search Query: Larch file format", "[1] The Larch 2 file format", `"results":[{"n":1,`},
		map[string]string{`{"reasoning": "x", "query": " "}`: "query is required",
			`{"reasoning": "x", "query": "x", "max_results": 11}`: "max_results must be from 1 to 10"}},
	"extract_page_content_tool": {`{"reasoning": "to read it", "urls": ["WEB", "http://169.254.169.254/"]}`,
		[]string{"Extracted Page Content:", "not read: http://169.254.169.254/", `"problem":"`, "bytes"},
		map[string]string{`{"reasoning": "x", "urls": []}`: "urls must have 1 to 5 items"}},
	"create_report_tool": {
		`{"reasoning": "enough", "title": "The release of Larch 2.0", "user_request_language_reference": "When was Larch 2.0 released?", "content": "Larch 2.0 was released on 9 March 2022 [2].", "confidence": "high"}`,
		[]string{`"sources_count":1`, `"word_count":9`, `"unverified":[]`, "_The release of Larch 20",
			`"confidence":"high"`},
		map[string]string{
			`{"reasoning": "enough", "title": "x", "user_request_language_reference": "When was it released?", "content": "Larch 2.0 was released on 9 March 2021 [2].", "confidence": "high"}`: "9 March 2021",
			`{"reasoning": "x", "title": "x", "user_request_language_reference": "x", "content": "x", "confidence": "sure"}`:                                                                    "confidence must be one of"}},
	"final_answer_tool": {
		`{"reasoning": "done", "completed_steps": ["searched"], "answer": "Larch 2.0 was released on 9 March 2022 [2].", "status": "completed"}`,
		[]string{`{"reasoning":"done","completed_steps":["searched"],"answer":"Larch 2.0 was released on 9 March 2022 [2].","status":"completed"}`},
		map[string]string{`{"reasoning": "done", "completed_steps": [], "answer": "x", "status": "completed"}`: "completed_steps must have 1 to 5 items"}},
	// Both search for the same: which comes first gives the numbers, and web_search_tool is tried after it.
	"agent/multi_tool_use_parallel": {
		`{"tool_uses": [{"recipient_name": "functions.web_search_tool", "parameters": {"reasoning": "x", "query": "Larch file format"}},
			{"recipient_name": "WebSearchTool", "parameters": {"reasoning": "x", "query": "Larch file format"}}]}`, []string{`"ok":true`, "Larch file format"},
		map[string]string{`{"tool_uses": []}`: "tool_uses must have 1 to 32 items"}},
	"research_start": {`{"task": "When was Larch 2.0 released?", "budget": {"tokens": 200000}}`,
		[]string{`"agent":"sgr_tool_calling_agent"`, "Next: call research_status"},
		map[string]string{`{"task": " "}`: "task is required", `{"task": "x", "agent": "sgr_tool_caling_agent"}`: "did you mean sgr_tool_calling_agent?",
			`{"task": "x", "budget": {"tokens": 900000}}`: "budget.tokens is 900000; this agent may spend at " +
				"most 500000", `{"task": "x", "budget": {"wall_ms": -1}}`: "budget.wall_ms must be from 0"}},
	"research_status": {`{"id": "RUN", "wait_seconds": 50}`,
		[]string{`"state":"waiting_for_clarification"`, "or the file format?",
			"ask the user, then call research_answer"},
		map[string]string{`{"id": "nobody"}`: "the newest runs are sgr_tool_calling_agent_",
			`{"id": "RUN", "wait_seconds": 51}`: "wait_seconds must be from 0 to 50"}},
	"research_answer": {`{"id": "RUN", "answer": "the file format"}`, []string{"The answer was taken"},
		map[string]string{`{"id": "RUN"}`: "answer is required", `{"id": "nobody", "answer": "x"}`: "there is no run"}},
	"research_result": {`{"id": "RUN", "max_length": 2000}`,
		[]string{"Larch 2.0 was released on 9 March 2022", `"outcome":"answered"`, `"verdict":"supported"`,
			`"report_uri":"citewell://runs/`},
		map[string]string{`{"id": "nobody"}`: "there is no run",
			`{"id": "RUN", "max_length": 0}`: "max_length must be from 1"}},
	"research_cancel": {`{"id": "RUN"}`, []string{`"state":"cancelled"`, `"ended":true`},
		map[string]string{`{"id": "nobody"}`: "there is no run", `{}`: "id is required"}},

	"search_remove": {`{"id": "n1"}`, []string{"true"}, map[string]string{`{}`: "id is required"}},
	"vector_delete": {`{"id": "v1"}`, []string{"true"}, map[string]string{`{}`: "id is required"}},
	"graph_delete":  {`{"id": "a"}`, []string{"true"}, map[string]string{`{}`: "give either id"}},
}

// turn says when a tool is tried: what keeps something first, what takes away last.
func turn(name string) int {
	switch name {
	case "search_index", "vector_upsert", "graph_upsert_node", "graph_upsert_edge", "research_start":
		return 0
	case "research_answer":
		return 2
	case "research_result":
		return 3
	case "search_remove", "vector_delete", "graph_delete", "research_cancel":
		return 4
	}
	return 1
}

// keyedAPIs answers as the services do that want a key: a chat and an embedding
// model, Tavily, Exa and OpenWeather. Any other path is echoed.
func keyedAPIs(t *testing.T) (http.Handler, *modeltest.Server) {
	reply := func(w http.ResponseWriter, format string, args ...any) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, format, args...)
	}
	mux := http.NewServeMux()
	model := modeltest.Serve(t)
	researches := researcher{mode: "asks"}.reply
	model.Script = func(n int, a modeltest.Asked) modeltest.Reply {
		if a.Body["tools"] == nil {
			return modeltest.Says("transformed")
		}
		return researches(n, a)
	}
	mux.Handle("/v1/chat/completions", model)
	mux.HandleFunc("/v1/embeddings", func(w http.ResponseWriter, r *http.Request) {
		var request struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var data []string
		for i, text := range request.Input {
			data = append(data, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vectorOf(text)))
		}
		reply(w, `{"data":[%s],"model":"letters"}`, strings.Join(data, ","))
	})
	mux.HandleFunc("/tavily/search", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"query":"q","results":[]}`)
	})
	mux.HandleFunc("/tavily/extract", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"results":[{"url":"https://a.example/","raw_content":"extracted words"}],"failed_results":[]}`)
	})
	mux.HandleFunc("/exa/search", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"requestId":"1","results":[]}`)
	})
	exa := func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"requestId":"1","results":[{"id":"https://a.example/","url":"https://a.example/","title":"A","score":0.5,"text":"extracted words"}],"statuses":[{"id":"https://a.example/","status":"success"}]}`)
	}
	mux.HandleFunc("/exa/findSimilar", exa)
	mux.HandleFunc("/exa/contents", exa)
	mux.HandleFunc("/data/2.5/weather", func(w http.ResponseWriter, r *http.Request) {
		reply(w, `{"coord":{"lon":10.7,"lat":59.9},"weather":[{"id":802,"main":"Clouds","description":"partly cloudy"}],"main":{"temp":22,"feels_like":24,"pressure":1012,"humidity":65},"wind":{"speed":12},"clouds":{"all":40},"visibility":10000,"sys":{"country":"NO"},"dt":1760000000,"name":"Oslo","cod":200}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		reply(w, `{"method":%q,"body":%q}`, r.Method, body)
	})
	return mux, model
}

// vectorOf makes eight numbers of a text, always the same.
func vectorOf(text string) string {
	h := fnv.New64a()
	io.WriteString(h, text)
	sum := h.Sum64()
	var numbers []string
	for range 8 {
		numbers = append(numbers, fmt.Sprintf("%.3f", float64(sum&0xff)/255+0.001))
		sum >>= 8
	}
	return "[" + strings.Join(numbers, ",") + "]"
}

// TestEveryTool lists each toolset over MCP's standard input and output and calls
// every tool with good and with bad arguments. Between keeping, finding and taking
// away the process is started anew, so that the stores have to last.
func TestEveryTool(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	web, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	services, _ := keyedAPIs(t)
	keyed := httptest.NewServer(services)
	t.Cleanup(keyed.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	work := workFolder(t, home)
	if err := os.WriteFile(config, fmt.Appendf(nil, `
workdir: %[4]s
run_cli: {wall: "off"}
llm: {base_url: %[1]s/v1, api_key: k, model: scripted}
embedding: {base_url: %[1]s/v1, api_key: k, model: letters}
brief: {synthesis: false}
search:
  providers:
    searxng: {base_url: %[2]q}
    duckduckgo: {base_url: %[3]q}
    tavily: {base_url: "%[1]s/tavily", api_key: k}
    exa: {base_url: "%[1]s/exa", api_key: k}
weather: {base_url: %[1]s, api_key: k}
fetch: {allow_networks: [127.0.0.0/8, "::1/128"]}
specialists: {reviewer: {description: reads code, reasoning_effort: low}}
confirm: {http_post: allow, run_cli: allow}
`, keyed.URL, web.SearchURL(), web.DuckDuckGoURL(), work), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, _, code := here(t, home, "--config", config, "tools", "--json")
	if code != 0 {
		t.Fatalf("tools ends with %d: %s", code, stdout)
	}
	names, _, _ := here(t, home, "--config", config, "tools")
	_, list, _ := strings.Cut(names, "Toolsets: ")
	for toolset := range strings.SplitSeq(strings.TrimSpace(list), ", ") {
		t.Run(toolset, func(t *testing.T) {
			session := startMCP(t, home, config, toolset)
			run := "" // the newest
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			slices.SortStableFunc(tools.Tools, func(a, b *mcp.Tool) int { return turn(a.Name) - turn(b.Name) })
			for i, d := range tools.Tools {
				if i > 0 && turn(d.Name) != turn(tools.Tools[i-1].Name) {
					if err := session.Close(); err != nil {
						t.Errorf("the server ended with %v", err)
					}
					session = startMCP(t, home, config, toolset) // what was kept is there for the next process
				}
				tryTool(t, session, toolset, d, &run, web.HomeURL(), keyed.URL)
			}
		})
	}
}

func startMCP(t *testing.T, home, config, toolset string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command("citewell", "--config", config, "mcp", "--toolset", toolset)
	cmd.Dir, cmd.Env = home, append(os.Environ(), homeEnviron(home)...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// tryTool calls one tool as its trial says.
func tryTool(t *testing.T, session *mcp.ClientSession, toolset string, d *mcp.Tool, run *string, web, keyed string) {
	t.Helper()
	try, ok := trials[toolset+"/"+d.Name]
	if !ok {
		try, ok = trials[d.Name]
	}
	if !ok {
		t.Errorf("%s has no trial: add one to trials", d.Name)
		return
	}
	all := whole(t, toolset)
	fill := func(words string) string {
		return strings.NewReplacer("WEB", web, "KEYED", keyed, "VECTOR", vectorOf("a text"), "RUN", *run).Replace(words)
	}
	callOther := func(name, arguments string) (string, bool) {
		r, err := session.CallTool(context.Background(), &mcp.CallToolParams{
			Name: name, Arguments: json.RawMessage(fill(arguments))})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return "", false
		}
		data, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if name == d.Name && !r.IsError {
			promised, err := all.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			validate(t, promised, r.StructuredContent)
		}
		if name == "research_start" && !r.IsError {
			*run, _ = r.StructuredContent.(map[string]any)["id"].(string)
		}
		text := ""
		for _, c := range r.Content {
			if c, ok := c.(*mcp.TextContent); ok {
				text += c.Text + "\n"
			}
		}
		return text + string(data), r.IsError
	}
	call := func(arguments string) (string, bool) { return callOther(d.Name, arguments) }
	for _, before := range preludes[d.Name] {
		if answer, failed := callOther(before[0], before[1]); failed {
			t.Fatalf("%s before %s: %s", before[0], d.Name, answer)
		}
	}
	answer, failed := call(try.good)
	if failed {
		t.Errorf("%s %s failed: %.600s", d.Name, try.good, answer)
	}
	for _, want := range try.holds {
		if !strings.Contains(answer, fill(want)) {
			t.Errorf("%s %s: no %q in %.1500s", d.Name, try.good, want, answer)
		}
	}
	for arguments, want := range try.bad {
		if answer, failed := call(arguments); !failed || !strings.Contains(answer, want) {
			t.Errorf("%s %s: failed %v, no %q in %.400s", d.Name, arguments, failed, want, answer)
		}
	}
}

// whole is the toolset with the whole schemas of its tools: MCP lists short ones.
func whole(t *testing.T, toolset string) *tool.Toolset {
	t.Helper()
	set, err := builtin.New(builtin.Parts{Agent: agent.Tools()}, nil, nil).Toolset(toolset)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// validate holds a result's data against the schema that the tool promises.
func validate(t *testing.T, d *tool.Tool, structured any) {
	t.Helper()
	if d.Output == nil {
		return
	}
	resolved, err := d.Output.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(structured); err != nil {
		t.Errorf("%s: its data is not what its schema promises: %v", d.Name, err)
	}
}

// workFolder is a folder with what the trials of tools on files name.
func workFolder(t *testing.T, home string) string {
	t.Helper()
	work := filepath.Join(home, "work")
	for name, text := range map[string]string{"a.txt": "kept here\n",
		"pixel.gif": "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00," +
			"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"} {
		if err := errors.Join(os.MkdirAll(work, 0o755), os.WriteFile(filepath.Join(work, name), []byte(text),
			0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return work
}
