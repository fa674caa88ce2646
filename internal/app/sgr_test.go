package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	modelKeyOfTest  = "sk-model-never-to-be-seen-elsewhere"
	tavilyKeyOfTest = "tvly-never-to-be-seen-elsewhere"
)

// An office is what an SGR user has around the configuration: a model, Tavily, an MCP
// server, and the web, all on loopback.
type office struct {
	model  *modeltest.Server
	tavily *httptest.Server
	mcp    string
	dir    string // the working folder

	mu       sync.Mutex
	actions  []modeltest.Call // what the model does, step by step
	searched []map[string]any // what Tavily was asked
	asked    []string         // of the MCP server
}

func newOffice(t *testing.T) *office {
	o := &office{model: modeltest.Serve(t), dir: t.TempDir()}
	o.model.Script = o.script
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/bridge" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w,
			`<!doctype html><html lang="en"><head><title>The bridge at Hallvik</title></head><body><article><h1>The bridge at Hallvik</h1>
<p>The bridge at Hallvik was opened in 1932 and is 412 metres long. It carries the road to the north of the county.</p>
<p>It took three years to build, and the steel came by ship from the works at Kell, as the county's own history tells.</p></article></body></html>`)
	}))
	t.Cleanup(web.Close)
	o.tavily = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.URL.Path != "/search" ||
			r.Header.Get("Authorization") != "Bearer "+tavilyKeyOfTest {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		o.mu.Lock()
		o.searched = append(o.searched, body)
		o.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w,
			`{"query":"bridge","results":[{"title":"The bridge at Hallvik","url":%q,"content":"The bridge at Hallvik was opened in 1932.","score":0.9}]}`, web.URL+"/bridge")
	}))
	t.Cleanup(o.tavily.Close)
	server := mcp.NewServer(&mcp.Implementation{Name: "deepwiki", Version: "1"}, nil)
	type question struct {
		Question string `json:"question"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "ask_question", Description: "Asks about a repository.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in question) (*mcp.CallToolResult, any, error) {
			o.mu.Lock()
			o.asked = append(o.asked, in.Question)
			o.mu.Unlock()
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{
				Text: "The wiki says: steel from Kell."}}}, nil, nil
		})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return server
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	mcpServer := httptest.NewServer(handler)
	t.Cleanup(mcpServer.Close)
	o.mcp = mcpServer.URL
	return o
}

var thought = map[string]any{"reasoning_steps": []string{"look", "answer"}, "current_situation": "nothing is known",
	"plan_status": "at the start", "enough_data": false, "remaining_steps": []string{"search"}, "task_completed": false}

// script thinks where it is to think, and otherwise takes the next action, in the form
// in which it is asked.
func (o *office) script(_ int, a modeltest.Asked) modeltest.Reply {
	if tools, ok := a.Body["tools"].([]any); ok && len(tools) == 1 &&
		strings.Contains(string(asJSONBytes(tools)), `"name":"reasoning_tool"`) {
		return modeltest.Asks(modeltest.Call{Name: "reasoning_tool", Arguments: string(asJSONBytes(thought))})
	}
	if tools := string(asJSONBytes(a.Body["tools"])); strings.Contains(tools, `"name":"tide"`) {
		return modeltest.Asks(does("tide", map[string]any{"place": "Hallvik"})) // it is tried out
	}
	if a.Body["tools"] == nil && !strings.Contains(string(asJSONBytes(a.Body)), `"next_step"`) {
		return modeltest.Says(`{"sum":42}`) // the endpoint is tried out
	}
	o.mu.Lock()
	next := o.actions[0]
	if len(o.actions) > 1 {
		o.actions = o.actions[1:]
	}
	o.mu.Unlock()
	if a.Body["tools"] != nil {
		return modeltest.Asks(next)
	}
	step := map[string]any{}
	for key, value := range thought {
		step[key] = value
	}
	function := map[string]any{"tool_name_discriminator": next.Name}
	if err := json.Unmarshal([]byte(next.Arguments), &function); err != nil {
		panic(err)
	}
	step["function"] = function
	return modeltest.Says(string(asJSONBytes(step)))
}

func asJSONBytes(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func does(name string, arguments map[string]any) modeltest.Call {
	return modeltest.Call{Name: name, Arguments: string(asJSONBytes(arguments))}
}

var (
	searches = does("web_search_tool", map[string]any{"reasoning": "to begin", "query": "bridge at Hallvik opened",
		"max_results": 5})
	answers = does("final_answer_tool", map[string]any{"reasoning": "found", "completed_steps": []string{"searched"},
		"answer": "The bridge at Hallvik was opened in 1932 [1].", "status": "completed"})
	writes = does("create_report_tool", map[string]any{"reasoning": "found", "title": "The bridge at Hallvik",
		"user_request_language_reference": "When was the bridge at Hallvik opened?",
		"content":                         "The bridge at Hallvik was opened in 1932 and is 412 metres long [1].",
		"confidence":                      "high"})
)

// open opens the App with a user's files, the keys in the environment and the endpoints
// by --set, since the files name those of the real services.
func (o *office) open(t *testing.T, file string, sets ...string) (*App, config.Loaded) {
	t.Helper()
	t.Chdir(o.dir)
	l, err := config.Load(config.Options{File: file, Sets: append(sets, "search.engine=tavily",
		"fetch.allow_networks=127.0.0.1/32"),
		Environ: []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_DATA_HOME=" + t.TempDir(),
			"XDG_CACHE_HOME=" + t.TempDir(),
			"OPENAI_API_KEY=" + modelKeyOfTest, "OPENAI_BASE_URL=" + o.model.Base(),
			"TAVILY_API_KEY=" + tavilyKeyOfTest, "SGR__SEARCH__TAVILY_API_BASE_URL=" + o.tavily.URL}})
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, Options{Config: l, Version: "test"})
	return a, l
}

// run plays a run of an agent to its end.
func (o *office) run(t *testing.T, a *App, name string, actions ...modeltest.Call) (runstore.Run, agent.Result) {
	t.Helper()
	o.mu.Lock()
	o.actions = actions
	o.mu.Unlock()
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Start(t.Context(), job.Start{Agent: name, Task: "When was the bridge at Hallvik opened?"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if run, err = runs.Executor.Execute(ctx, run.ID); err != nil {
		t.Fatal(err)
	}
	result, err := runs.Result(t.Context(), run.ID)
	if err != nil {
		t.Fatalf("%+v: %v", run, err)
	}
	return run, result
}

// example copies an example file of SGR's under the name that a user gives it.
func (o *office) example(t *testing.T, name, as string) string {
	t.Helper()
	content, err := os.ReadFile(realpart.Data(t, "sgr-examples", name))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.dir, as)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// lastAsked is what the agent's model was asked last; the judge has its turn after an answer.
func (o *office) lastAsked() modeltest.Asked {
	all := slices.DeleteFunc(o.model.Asked(), func(asked modeltest.Asked) bool {
		return strings.Contains(string(asJSONBytes(asked.Body)), "You check statements against passages")
	})
	return all[len(all)-1]
}

// The configuration and the agents of an SGR user load byte for byte, and what is not
// as it was is said; every agent runs to a checked answer.
func TestSGRFilesRunAsTheyAre(t *testing.T) {
	o := newOffice(t)
	file := o.example(t, "config.yaml.example", "config.yaml")
	o.example(t, "agents.yaml.example", config.AgentsFile)
	a, l := o.open(t, file, "mcp.mcpServers.deepwiki.url="+o.mcp,
		"agents.custom_research_agent.mcp.mcpServers.deepwiki.url="+o.mcp,
		"agents.custom_research_agent.mcp.mcpServers.deepwiki.trust.read_only=true")
	warnings, err := agentplan.Check(l)
	if err != nil {
		t.Error(err)
	}
	said := strings.Join(append(warnings, l.Warnings...), "\n")
	for _, want := range []string{
		"agents.custom_research_agent.search.max_pages has no effect",
		"agents.custom_research_agent.execution.max_steps has no effect",
		"agents.custom_research_agent.execution.max_searches has no effect",
		"agents.technical_analyst.prompts.system_prompt has no effect",
		"agents.inline_prompt_agent: the initial user request has a placeholder that SGR does not fill in",
		"agents.inline_prompt_agent: the clarification response has a placeholder that SGR does not fill in",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("not warned: %s\nin:\n%s", want, said)
		}
	}
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range runs.Agents() {
		names = append(names, d.Name)
		for _, secret := range []string{modelKeyOfTest, tavilyKeyOfTest} {
			if strings.Contains(string(asJSONBytes(d)), secret) {
				t.Errorf("a key is in the definition of %s", d.Name)
			}
		}
	}
	if got := strings.Join(names, " "); got != "custom_research_agent simple_agent fast_research_agent "+
		"technical_analyst inline_prompt_agent "+
		"sgr_tool_calling_agent sgr_agent tool_calling_agent iron_agent dialog_agent brief" {
		t.Errorf("agents are %s", got)
	}

	t.Run("custom_research_agent", func(t *testing.T) {
		run, result := o.run(t, a, "custom_research_agent", searches,
			does("deepwiki_ask_question", map[string]any{"question": "where is the steel from?"}), writes, answers)
		if run.State != runstore.RunCompleted || run.Outcome != runstore.RunAnswered || result.Answer == "" ||
			result.Report == nil || result.Usage.Searches != 1 {
			t.Fatalf("%s", asJSONBytes(result))
		}
		asked := o.lastAsked()
		if asked.Body["model"] != "gpt-4o" || asked.Body["temperature"] != 0.3 || asked.Body["max_tokens"] != 16000.0 ||
			asked.Header.Get("Authorization") != "Bearer "+modelKeyOfTest || asked.Format() != "json_schema" {
			t.Errorf("the model was asked with %v, %v, %v, %s", asked.Body["model"], asked.Body["temperature"],
				asked.Body["max_tokens"], asked.Format())
		}
		if len(o.asked) != 1 || len(o.searched) != 1 {
			t.Errorf("the MCP server was asked %q, Tavily %v", o.asked, o.searched)
		}
		if dir := filepath.Dir(result.ReportPath); !strings.HasSuffix(dir, filepath.Join("reports", "custom_agent")) {
			t.Errorf("the report is in %s", dir)
		}
		checkRunLog(t, filepath.Join(o.dir, "logs", "custom_agent"), run)
	})
	t.Run("asks", func(t *testing.T) {
		o.mu.Lock()
		o.actions = []modeltest.Call{does("clarification_tool",
			map[string]any{"reasoning": "unclear", "unclear_terms": []string{"bridge"},
				"assumptions": []string{"road", "rail"}, "questions": []string{"Which bridge?"}}), searches,
			writes, answers}
		o.mu.Unlock()
		run, err := runs.Start(t.Context(), job.Start{Agent: "technical_analyst", Task: "When was it opened?"})
		if err != nil {
			t.Fatal(err)
		}
		if run, err = runs.Executor.Execute(t.Context(), run.ID); err != nil || run.State != runstore.RunWaiting {
			t.Fatalf("%s, %v", run.State, err)
		}
		if err := runs.Answer(t.Context(), run.ID, "The road bridge {at} Hallvik."); err != nil {
			t.Fatal(err)
		}
		if run, err = runs.Executor.Execute(t.Context(), run.ID); err != nil || run.Outcome != runstore.RunAnswered {
			t.Fatalf("%s, %v", run.State, err)
		}
		if shown := string(asJSONBytes(o.lastAsked().Body["messages"])); !strings.Contains(shown,
			"The road bridge {at} Hallvik.") {
			t.Errorf("the answer was not shown: %s", shown)
		}
		logs, err := filepath.Glob(filepath.Join(o.dir, "logs", "*-"+run.ID+"-log.json"))
		if err != nil || len(logs) != 1 {
			t.Fatalf("%v, %v", logs, err)
		}
		data, err := os.ReadFile(logs[0])
		if err != nil || strings.Count(string(data), `"agent_tool_context"`) != 4 ||
			strings.Count(string(data), `"agent_reasoning"`) != 4 {
			t.Errorf("%v, the log\n%s", err, data)
		}
	})
	t.Run("simple_agent", func(t *testing.T) {
		run, result := o.run(t, a, "simple_agent", searches, answers)
		if run.Outcome != runstore.RunAnswered || !strings.Contains(result.Answer, "1932 [1]") {
			t.Fatalf("%s", asJSONBytes(result))
		}
		var offered []string
		for _, tool := range regexp.MustCompile(`"name":"([a-z_]+)"`).
			FindAllStringSubmatch(string(asJSONBytes(o.lastAsked().Body["tools"])), -1) {
			offered = append(offered, tool[1])
		}
		if slices.Sort(offered); strings.Join(offered, " ") != "deepwiki_ask_question final_answer_tool "+
			"web_search_tool" {
			t.Errorf("offered were %q", offered)
		}
	})
	t.Run("fast_research_agent", func(t *testing.T) {
		run, result := o.run(t, a, "fast_research_agent", searches, writes, answers)
		if run.Outcome != runstore.RunAnswered || result.Report == nil || o.lastAsked().Body["max_tokens"] != 4000.0 {
			t.Fatalf("%s", asJSONBytes(result))
		}
	})
	t.Run("technical_analyst", func(t *testing.T) {
		run, result := o.run(t, a, "technical_analyst", searches, writes, answers)
		if run.Outcome != runstore.RunAnswered || result.Report == nil || o.lastAsked().Format() != "json_schema" {
			t.Fatalf("%s", asJSONBytes(result))
		}
	})
	t.Run("inline_prompt_agent", func(t *testing.T) {
		run, result := o.run(t, a, "inline_prompt_agent", searches, answers)
		if run.Outcome != runstore.RunAnswered || result.Answer == "" {
			t.Fatalf("%s", asJSONBytes(result))
		}
		messages := string(asJSONBytes(o.lastAsked().Body["messages"]))
		for _, want := range []string{"You are a helpful research assistant.",
			"User request: When was the bridge at Hallvik opened?", "1. web_search_tool: ", "create_report_tool"} {
			if !strings.Contains(messages, want) {
				t.Errorf("the model was not told %q:\n%s", want, messages)
			}
		}
	})
}

// checkRunLog reads the log that SGR's own tools would read.
func checkRunLog(t *testing.T, dir string, run runstore.Run) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if name := files[0].Name(); !regexp.MustCompile(`^\d{8}-\d{6}-` + run.ID + `-log\.json$`).MatchString(name) {
		t.Errorf("the log is named %s", name)
	}
	data, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{modelKeyOfTest, tavilyKeyOfTest, "api_key", "proxy"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("%s is in the log", secret)
		}
	}
	var l struct {
		ID      string         `json:"id"`
		Model   map[string]any `json:"model_config"`
		Task    string
		Toolkit []string
		Log     []map[string]any
	}
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatal(err)
	}
	if l.ID != run.ID || l.Model["model"] != "gpt-4o" || l.Task != "When was the bridge at Hallvik opened?" ||
		!slices.Contains(l.Toolkit, "deepwiki_ask_question") || !slices.Contains(l.Toolkit, "clarification_tool") {
		t.Errorf("%+v", l)
	}
	var steps []string
	for _, entry := range l.Log {
		step := fmt.Sprintf("%v %v", entry["step_number"], entry["step_type"])
		if entry["step_type"] == "tool_execution" {
			step += fmt.Sprintf(" %v", entry["tool_name"])
			if _, ok := entry["agent_tool_context"].(map[string]any); !ok ||
				entry["agent_tool_execution_result"] == "" {
				t.Errorf("entry %v", entry)
			}
		} else if thought, ok := entry["agent_reasoning"].(map[string]any); !ok ||
			thought["plan_status"] != "at the start" {
			t.Errorf("entry %v", entry)
		}
		if _, err := time.Parse("2006-01-02T15:04:05.000000", fmt.Sprint(entry["timestamp"])); err != nil {
			t.Error(err)
		}
		steps = append(steps, step)
	}
	if got := strings.Join(steps, ", "); got != "1 reasoning, 1 tool_execution web_search_tool, 2 reasoning, 2 "+
		"tool_execution deepwiki_ask_question, "+
		"3 reasoning, 3 tool_execution create_report_tool, 4 reasoning, 4 tool_execution final_answer_tool" {
		t.Errorf("the log has %s", got)
	}
}

// Agents whose classes bring no report have none.
func TestSGRAgentsWithoutReporting(t *testing.T) {
	o := newOffice(t)
	file := o.example(t, "examples-agents_with_disabled_reporting-config.yaml", "config.yaml")
	a, l := o.open(t, file, "mcp.mcpServers.deepwiki.url=http://127.0.0.1:1/mcp") // a server that is not there
	if warnings, err := agentplan.Check(l); err != nil || len(warnings) > 0 || len(l.Warnings) > 0 {
		t.Errorf("%v, warnings %q %q", err, warnings, l.Warnings)
	}
	for _, name := range l.Agents {
		t.Run(name, func(t *testing.T) {
			run, result := o.run(t, a, name, searches, answers)
			if run.Outcome != runstore.RunAnswered || result.ReportPath != "" ||
				!strings.Contains(result.Answer, "1932 [1]") {
				t.Fatalf("%s", asJSONBytes(result))
			}
			offered := string(asJSONBytes([]any{o.lastAsked().Body["tools"], o.lastAsked().Body["response_format"]}))
			for tool, want := range map[string]bool{"create_report_tool": false, "extract_page_content_tool": true,
				"generate_plan_tool": false} {
				if strings.Contains(offered, `"`+tool+`"`) != want {
					t.Errorf("%s is offered: %v", tool, !want)
				}
			}
			if got := o.lastAsked().Body["model"]; got != "gpt-4o-mini" {
				t.Errorf("the model is %v", got)
			}
		})
	}
}
