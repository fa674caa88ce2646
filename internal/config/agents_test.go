package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// What an agent says goes before the sections above, key by key, and neither changes
// the other.
func TestAgentsInheritKeyByKey(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: `
llm:
  model: big
  base_url: https://models.example/v1
  api_key: global-key
  temperature: 0.4
  context_window: 9000
  extra: {top_p: 0.9, seed: 7}
search:
  tavily_api_key: tavily-key
  max_searches: 4
execution: {max_iterations: 9, logs_dir: logs}
mcp:
  mcpServers:
    one: {url: "https://one.example/mcp", headers: {Authorization: "Bearer one"}}
    two: {url: "https://two.example/mcp"}
agents:
  zeta:
    llm: {temperature: 0.1, extra: {seed: 8}}
    search: {max_searches: 0, providers: {searxng: {base_url: "http://127.0.0.1:1"}}}
    execution: {logs_dir: "", reports_dir: DATA/mine}
    mcp: {mcpServers: {one: {url: "https://other.example/mcp"}, three: {command: three}}}
    tools: [web_search_tool, {ExtractPageContentTool: {content_limit: 700}}, {own: {key: x}}]
  alpha:
    name: alpha
    description: the second
    llm: {api_key: own-key}
    search: {tavily_api_key: own-tavily}
`})
	l, err := Load(Options{Dir: dir, Environ: environ(t, "CITEWELL__AGENTS__ALPHA__LLM__MODEL=small",
		"SGR__EXECUTION__MAX_CLARIFICATIONS=1")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.Agents, []string{"zeta", "alpha"}) {
		t.Errorf("in the order %v", l.Agents)
	}
	zeta, alpha := l.Config.Agents["zeta"], l.Config.Agents["alpha"]
	if m := zeta.LLM; m.Model != "big" || m.Temperature != 0.1 || m.BaseURL != "https://models.example/v1" ||
		m.Extra["top_p"] != 0.9 || m.Extra["seed"] != uint64(8) || m.ContextWindow != "" || !m.APIKey.Empty() {
		t.Errorf("llm of zeta is %+v", m)
	}
	if s := zeta.Search; s.MaxSearches != 0 || s.ContentLimit != 700 ||
		s.Providers["tavily"].APIKey.Reveal() != "tavily-key" || s.Providers["searxng"].BaseURL == "" {
		t.Errorf("search of zeta is %+v", s)
	}
	if e := zeta.Execution; e.MaxIterations != 9 || e.MaxClarifications != 1 || e.LogsDir != "" ||
		e.ReportsDir != "/data/citewell/mine" {
		t.Errorf("execution of zeta is %+v", e)
	}
	if m := zeta.MCP.Servers; len(m) != 3 || len(m["one"].Headers) != 0 ||
		m["one"].URL != "https://other.example/mcp" || m["three"].Command != "three" {
		t.Errorf("servers of zeta are %+v", m)
	}
	if got := zeta.Tools[0].String() + ", " + zeta.Tools[2].String(); got != "web_search_tool, own {key}" {
		t.Errorf("tools of zeta are %s", got)
	}
	if alpha.LLM.Model != "small" || alpha.LLM.APIKey.Reveal() != "own-key" ||
		alpha.Search.Providers["tavily"].APIKey.Reveal() != "own-tavily" ||
		alpha.Search.Providers["searxng"].BaseURL != "" || alpha.Tools != nil {
		t.Errorf("alpha is %+v", alpha)
	}
	if g := l.Config; g.LLM.Extra["seed"] != uint64(7) || len(g.MCP.Servers) != 2 ||
		g.MCP.Servers["one"].Headers["Authorization"].Empty() || len(g.Search.Providers) != 1 ||
		g.Search.ContentLimit != 0 {
		t.Errorf("the sections above became %+v", g)
	}
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "agents.alpha.name has no effect") {
		t.Errorf("warnings %q", l.Warnings)
	}
	for key, want := range map[string]string{"agents.zeta.llm.temperature": LocalFile + ":19",
		"agents.zeta.llm.base_url": LocalFile + ":4", "agents.zeta.llm.max_tokens": "default"} {
		if got := settings(l)[key].Origin; !strings.HasSuffix(got, want) {
			t.Errorf("%s is from %q, want %s", key, got, want)
		}
	}
}

// A provider's key stays with the host that it was written for.
func TestAnAgentsProviderElsewhereGetsNoKey(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: `
search:
  providers: {searxng: {base_url: "http://s.example", api_key: key-s}}
  tavily_api_key: key-t
agents:
  a: {search: {tavily_api_base_url: "http://other.example", providers: {searxng: {base_url: "http://s2.example"}}}}
  b: {search: {tavily_api_base_url: "https://api.tavily.com", providers: {searxng: {base_url: "http://s2.example", api_key: key-2}}}}
`})
	l, err := Load(Options{Dir: dir, Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	a, b := l.Config.Agents["a"].Search.Providers, l.Config.Agents["b"].Search.Providers
	if !a["searxng"].APIKey.Empty() || !a["tavily"].APIKey.Empty() || a["tavily"].BaseURL != "http://other.example" {
		t.Errorf("a has %+v", a)
	}
	if b["searxng"].APIKey.Reveal() != "key-2" || b["tavily"].APIKey.Reveal() != "key-t" {
		t.Errorf("b has %+v", b)
	}
	if len(l.Warnings) != 2 || !strings.Contains(l.Warnings[1], "set agents.a.search.providers.tavily.api_key") {
		t.Errorf("warnings %q", l.Warnings)
	}
}

// agents.yaml goes before the configuration file beside it, and says so.
func TestAgentsFile(t *testing.T) {
	dir := workdir(t, map[string]string{
		"config.yaml": "llm: {model: m}\nagents:\n  one: {description: first, tools: [web_search_tool]}\n  two: " +
			"{}\ntools:\n  t: {command: [a]}\n",
		AgentsFile: "agents:\n  three: {llm: {model: other}}\n  one: {description: over}\ntools:\n  t: {command: " +
			"[b]}\nsearch: {max_results: 3}\n",
	})
	l, err := Load(Options{File: filepath.Join(dir, "config.yaml"), Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	one := l.Config.Agents["one"]
	if !slices.Equal(l.Agents, []string{"two", "three", "one"}) || one.Description != "over" || one.Tools != nil ||
		one.LLM.Model != "m" || l.Config.Agents["three"].LLM.Model != "other" {
		t.Errorf("agents %v: %+v", l.Agents, l.Config.Agents)
	}
	for _, want := range []string{AgentsFile + ":3: agents.one takes the place of the one at " +
		filepath.Join(dir, "config.yaml") + ":3",
		AgentsFile + ":5: tools.t takes the place", AgentsFile + ":6: search has no effect in this file"} {
		if !slices.ContainsFunc(l.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("not warned: %s\nin %q", want, l.Warnings)
		}
	}
	if len(l.Warnings) != 3 || l.Config.Search.MaxResults != 10 {
		t.Errorf("%q, %d", l.Warnings, l.Config.Search.MaxResults)
	}
	// Another program's file of that name is passed over; one that is broken is told of.
	for content, want := range map[string]string{"researcher: {role: x}\n": "passed over",
		"agents: {a: {}}\nagnts: {}\n": "agnts is not a known key; did you mean agents?", "agents: [": "not YAML"} {
		dir := workdir(t, map[string]string{"config.yaml": "llm: {model: m}\n", AgentsFile: content})
		l, err := Load(Options{File: filepath.Join(dir, "config.yaml"), Environ: environ(t)})
		if said := strings.Join(l.Warnings, "\n"); err != nil {
			if said = err.Error(); citewell.CodeOf(err) != citewell.CodeInvalidConfig || !strings.Contains(said, want) {
				t.Errorf("%q: %v", content, err)
			}
		} else if !strings.Contains(said, want) {
			t.Errorf("%q: %q", content, said)
		}
	}
}

func TestPromptsComeFromFilesToo(t *testing.T) {
	dir := workdir(t, map[string]string{
		"system.txt": "The system. {available_tools}", "own.txt": "Its own {braces}.", "empty.txt": " \n",
		LocalFile: "prompts: {system_prompt_str: Said., initial_user_request_file: system.txt}\nagents:\n  a: " +
			"{prompts: {system_prompt_file: own.txt}}\n  b: {prompts: {system_prompt_str: B., system_prompt_file: " +
			"absent.txt}}\n",
	})
	l, err := Load(Options{File: filepath.Join(dir, LocalFile), Dir: t.TempDir(), Environ: environ(t)})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "Its own {braces}.", "b": "B."} {
		system, request, clarification, err := l.Config.Agents[name].Prompts.Texts()
		if err != nil || system != want || request != "The system. {available_tools}" || clarification != "" {
			t.Errorf("%s: %q %q %q %v", name, system, request, clarification, err)
		}
	}
	for file, want := range map[string]string{"absent.txt": "cannot be read", "empty.txt": "is empty",
		".": "cannot be read"} {
		bad := workdir(t, map[string]string{LocalFile: "agents:\n  a:\n    prompts:\n      system_prompt_file: " +
			file + "\n", "empty.txt": " "})
		_, err := Load(Options{Dir: bad, Environ: environ(t)})
		if err == nil || !strings.Contains(err.Error(), LocalFile+":4: agents.a.prompts.system_prompt_file is "+
			filepath.Join(bad, file)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestMistakesOfAgentsAreNamed(t *testing.T) {
	dir := workdir(t, map[string]string{LocalFile: `
agents:
  a:
    base_clas: SGRAgent
    search: {max_reslts: 3}
    execution: {max_iterations: -1, max_searches: 6}
    tools: [{one: {}, two: {}}]
  b:
    tools: [{web_search_tool: {max_reslts: 3}}]
  c: 7
tools:
  extract_page_content_tool: {content_limt: 5}
`})
	_, err := Load(Options{Dir: dir, Environ: environ(t)})
	for _, want := range []string{"agents.a.base_clas is not a known key; did you mean base_class?",
		"agents.a.search.max_reslts is not a known key; did you mean max_results?",
		":6: agents.a.execution.max_iterations is -1; it must not be negative",
		":7: agents.a.tools item 1 must be the name of a tool, or NAME: {settings}",
		"agents.b.search.max_reslts is not", ":10: agents.c must be a section",
		"search.content_limt is not a known key; did you mean content_limit?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s\nin:\n%v", want, err)
		}
	}
}
