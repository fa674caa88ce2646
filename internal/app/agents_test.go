package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

// What is wrong with an agent is said by config check's list; what is Python is no
// mistake, and no agent keeps the others from working.
func TestCheckAgents(t *testing.T) {
	o := newOffice(t)
	a, l := o.open(t, o.write(t, `
llm: {model: m}
agents:
  python: {base_class: my_package.agents.MyAgent}
  misspelt: {base_class: SGRAgnt}
  wrong name: {}
  well: {tools: [web_search_tool]}
`))
	warnings, err := agentplan.Check(l)
	if len(warnings) != 1 || !strings.Contains(warnings[0],
		"agents.python: its base_class my_package.agents.MyAgent is Python") {
		t.Errorf("warnings %q", warnings)
	}
	if citewell.CodeOf(err) != citewell.CodeInvalidConfig ||
		!strings.Contains(err.Error(), "agents.misspelt: there is no agent class \"SGRAgnt\"; did you mean "+
			"SGRAgent?") || !strings.Contains(err.Error(), "agents.wrong name: its name must be") {
		t.Errorf("%v", err)
	}
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if first := runs.Agents()[0].Name; first != "well" || len(runs.Agents()) != 7 {
		t.Errorf("%d agents, the first %s", len(runs.Agents()), first)
	}
	if _, err := runs.Start(t.Context(), job.Start{Agent: "python", Task: "x"}); citewell.CodeOf(
		err) != citewell.CodeInvalidConfig || !strings.Contains(err.Error(), "is Python") {
		t.Errorf("%v", err)
	}
	if run, _ := o.run(t, a, "", searches, answers); run.Agent != "well" || run.Outcome != runstore.RunAnswered {
		t.Errorf("%+v", run.Outcome)
	}
	probes, err := a.Probes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range probes {
		if p.Part != "agent" {
			continue
		}
		line := p.Name + " off: " + p.Off
		if p.Try != nil {
			answer, err := p.Try(t.Context())
			line = p.Name + ": " + answer.Detail
			if err != nil {
				line = p.Name + " fails: " + err.Error()
			}
		}
		lines = append(lines, line)
	}
	if got := strings.Join(lines, "\n"); !strings.Contains(got, "python off: its base_class") ||
		!strings.Contains(got, "misspelt fails: ") || !strings.Contains(got,
		"well: sgr_tool_calling_agent, m, 2 tools: web_search_tool, final_answer_tool") {
		t.Errorf("doctor says\n%s", got)
	}
}

func (o *office) write(t *testing.T, yaml string) string {
	t.Helper()
	file := filepath.Join(o.dir, "config.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Doctor doubts an agent that is to call tools with a model that does not.
func TestDoctorDoubtsAgentsWhoseModelCallsNoTools(t *testing.T) {
	o := newOffice(t)
	o.model.Refuses = map[string]string{"tools": "gemma3:4b does not support tools"}
	a, _ := o.open(t, o.write(t, `
llm: {model: m}
agents:
  calls: {tools: [web_search_tool]}
  writes: {base_class: SGRAgent, tools: [web_search_tool]}
`))
	probes, err := a.Probes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, p := range probes {
		if p.Part != "agent" {
			continue
		}
		answer, err := p.Try(t.Context())
		if tried++; err != nil || (p.Name == "calls") != strings.Contains(answer.Doubt, "does not call tools") ||
			(p.Name == "calls") != strings.Contains(answer.Hint, "--agent sgr_agent") {
			t.Errorf("%s: %+v, %v", p.Name, answer, err)
		}
	}
	if tried != 2 {
		t.Errorf("%d agents were tried", tried)
	}
}

// Two agents of one file ask two models, each with its own key and neither with the
// other's; what asks a model inside a run asks that run's.
func TestModelsOfAgents(t *testing.T) {
	o, other, third := newOffice(t), modeltest.Serve(t), modeltest.Serve(t)
	a, l := o.open(t, o.write(t, `
llm: {model: everybody, context_window: 20000, extra: {top_p: 0.5}}
tools:
  count: {command: [/bin/sh, -c, 'cat; echo counted'], read_only: true}
agents:
  keyed: {llm: {base_url: "`+other.Base()+`", api_key: sk-other, model: theirs, extra: {seed: 7}}, tools: [llm_transform, {count: {timeout: 20s}}, get_weather]}
  keyless: {llm: {base_url: "`+third.Base()+`"}, tools: [final_answer_tool]}
  same: {llm: {temperature: 0.9}, tools: [final_answer_tool]}
`))
	other.Script = func(n int, asked modeltest.Asked) modeltest.Reply {
		if strings.Contains(asked.Last(), "say it otherwise") { // of llm_transform
			return modeltest.Says("in other words")
		}
		return o.script(n, asked)
	}
	third.Script = o.script
	gone := does("final_answer_tool", map[string]any{"reasoning": "r", "completed_steps": []string{"s"},
		"answer": "Nothing was to be found.", "status": "completed"})
	run, result := o.run(t, a, "keyed", does("llm_transform",
		map[string]any{"instruction": "say it otherwise", "input": "x"}),
		does("count", map[string]any{"text": "one two"}), gone)
	if run.State != runstore.RunCompleted || len(o.model.Asked()) > 0 {
		t.Fatalf("%s, and the other model was asked %d times", asJSONBytes(result), len(o.model.Asked()))
	}
	shown := ""
	for _, asked := range other.Asked() {
		if asked.Header.Get("Authorization") != "Bearer sk-other" || asked.Body["model"] != "theirs" ||
			asked.Body["seed"] != 7.0 || asked.Body["top_p"] != 0.5 {
			t.Errorf("asked %s with %q", asJSONBytes(asked.Body), asked.Header.Get("Authorization"))
		}
		shown = string(asJSONBytes(asked.Body["messages"]))
	}
	for _, want := range []string{"in other words", "counted"} {
		if !strings.Contains(shown, want) {
			t.Errorf("not shown: %s in %s", want, shown)
		}
	}
	if strings.Contains(shown, "get_weather") {
		t.Error("a tool without its key is offered")
	}
	o.run(t, a, "keyless", gone)
	for _, asked := range third.Asked() {
		if got := asked.Header.Get("Authorization"); got != "" {
			t.Errorf("the third host was given %q", got)
		}
	}
	o.run(t, a, "same", gone)
	if asked := o.lastAsked(); asked.Header.Get("Authorization") != "Bearer "+modelKeyOfTest ||
		asked.Body["temperature"] != 0.9 {
		t.Errorf("asked %s with %q", asJSONBytes(asked.Body), asked.Header.Get("Authorization"))
	}
	runs, err := a.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runs.Agents() {
		if data, err := json.Marshal(d); err != nil || strings.Contains(string(data), "sk-other") {
			t.Errorf("%s, %v", data, err)
		}
	}
	before := len(a.clients.made)
	o.run(t, a, "same", gone)
	if got := len(a.clients.made); got != before {
		t.Errorf("%d clients, %d before", got, before)
	}
	if warnings, err := agentplan.Check(l); err != nil || len(warnings) != 0 {
		t.Errorf("%q, %v", warnings, err)
	}
}

// No password and no query of an endpoint stands in a definition, and both are there
// when it is asked.
func TestAnAgentsEndpointWithAPassword(t *testing.T) {
	o := newOffice(t)
	secret := strings.Replace(o.model.Base(), "//", "//me:url-password@", 1)
	a, l := o.open(t, o.write(t, "llm: {model: m}\nagents:\n  a: {llm: {base_url: \""+secret+
		"\"}, tools: [final_answer_tool]}\n"))
	p := agentplan.Of(l.Config, "a", l.Config.Agents["a"])
	if data := asJSONBytes(p.Parts); strings.Contains(string(data), "url-password") {
		t.Errorf("the definition has %s", data)
	}
	model, err := a.modelFor(p.Parts.Model, p.From)
	if err != nil || model.Options().BaseURL != secret {
		t.Errorf("%v", err)
	}
	if got := agentplan.PublicURL("https://m.example/v1?key=secret"); got != "https://m.example/v1" {
		t.Errorf("%s", got)
	}
}

// An agent's model is asked through the agent's own proxy, and nobody else's is.
func TestAnAgentsProxy(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	o := newOffice(t)
	a, l := o.open(t, o.write(t, "llm: {model: m}\nagents:\n  near: {tools: [final_answer_tool]}\n  far: {llm: "+
		"{base_url: \"http://8.8.8.8/v1\", proxy: \""+strings.Replace(proxy.URL, "//", "//me:proxy-password@",
		1)+"\"}}\n"))
	for name, want := range map[string]string{"far": "CONNECT 8.8.8.8:80", "near": ""} {
		asked = nil
		p := agentplan.Of(l.Config, name, l.Config.Agents[name])
		model, err := a.modelFor(p.Parts.Model, p.From)
		if err != nil {
			t.Fatal(err)
		}
		o.actions = []modeltest.Call{answers}
		_, err = model.Chat(t.Context(), llm.Request{Tools: []llm.Tool{{Name: "x"}}})
		if (err != nil) != (want != "") || strings.Join(slices.Compact(asked), ", ") != want {
			t.Errorf("%s: the proxy was asked %q, %v", name, asked, err)
		}
		if data := asJSONBytes(p.Parts); strings.Contains(string(data), "proxy") {
			t.Errorf("the proxy is in the definition: %s", data)
		}
	}
	l.Config.Agents["far"] = func(far config.Agent) config.Agent {
		far.LLM.Proxy = "socks5://127.0.0.1:1"
		return far
	}(l.Config.Agents["far"])
	if _, err := a.modelFor(agentplan.Of(l.Config, "far", l.Config.Agents["far"]).Parts.Model,
		l.Config.Agents["far"]); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
		t.Errorf("%v", err)
	}
}

// A run goes on with the prompts, model and limits that it was begun with, whatever the
// configuration says by then.
func TestARunKeepsItsDefinition(t *testing.T) {
	o := newOffice(t)
	file := o.write(t, "llm: {model: m}\nagents:\n  a: {llm: {model: first}, execution: {logs_dir: \"\"}, prompts: "+
		"{system_prompt_str: The first prompt.}}\n")
	data, cache := t.TempDir(), t.TempDir()
	begin := func() *App {
		t.Chdir(o.dir)
		l, err := config.Load(config.Options{File: file, Sets: []string{
			"search.engine=tavily", "search.tavily_api_base_url=" + o.tavily.URL, "fetch.allow_networks=127.0.0.1/32"},
			Environ: []string{"XDG_CONFIG_HOME=" + cache, "XDG_DATA_HOME=" + data, "XDG_CACHE_HOME=" + cache,
				"OPENAI_API_KEY=" + modelKeyOfTest, "OPENAI_BASE_URL=" + o.model.Base(),
				"TAVILY_API_KEY=" + tavilyKeyOfTest}})
		if err != nil {
			t.Fatal(err)
		}
		return open(t, Options{Config: l, Version: "test"})
	}
	first := begin()
	runs, err := first.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Start(t.Context(), job.Start{Agent: "a", Task: "When was the bridge at Hallvik opened?"})
	if err != nil {
		t.Fatal(err)
	}
	o.write(t, "llm: {model: m}\n")
	o.actions = []modeltest.Call{searches, answers}
	if runs, err = begin().Runs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if run, err = runs.Executor.Execute(t.Context(), run.ID); err != nil || run.Outcome != runstore.RunAnswered {
		t.Fatalf("%v, %v", run.Outcome, err)
	}
	if asked := o.lastAsked(); asked.Body["model"] != "first" ||
		!strings.Contains(string(asJSONBytes(asked.Body)), "The first prompt.") ||
		asked.Header.Get("Authorization") != "Bearer "+modelKeyOfTest {
		t.Errorf("asked %s", asJSONBytes(asked.Body))
	}
	if _, err := os.Stat(filepath.Join(data, "citewell", "logs")); !os.IsNotExist(err) {
		t.Errorf("a log was kept: %v", err)
	}
}

// The engine and the limits of searching are an agent's own.
func TestSearchOfAgents(t *testing.T) {
	o := newOffice(t)
	asked := 0
	searxng := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"query":"q","results":[]}`))
	}))
	t.Cleanup(searxng.Close)
	a, _ := o.open(t, o.write(t, `
llm: {model: m}
budget: {searches: 3}
agents:
  own: {search: {engine: searxng, max_searches: 9, providers: {searxng: {base_url: "`+searxng.URL+`"}}}}
  none: {search: {max_searches: 0}}
`))
	again := func(n string) modeltest.Call {
		return does("web_search_tool", map[string]any{"reasoning": "r", "query": "bridge " + n})
	}
	_, result := o.run(t, a, "own", again("1"), again("2"), again("3"), again("4"), answers)
	if result.Usage.Searches != 3 || asked != 3 || len(o.searched) != 0 {
		t.Errorf("%d searches, SearXNG was asked %d times, Tavily %d times", result.Usage.Searches, asked,
			len(o.searched))
	}
	if _, result = o.run(t, a, "none", again("1"), answers); result.Usage.Searches != 0 || len(o.searched) != 0 {
		t.Errorf("%d searches", result.Usage.Searches)
	}
}
