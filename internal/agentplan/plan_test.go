package agentplan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/config"
)

func TestClassNames(t *testing.T) {
	for name, want := range map[string]class{
		"":         {shape: agent.ShapeSGRToolCalling},
		"SGRAgent": {shape: agent.ShapeSGR}, "sgr_agent": {shape: agent.ShapeSGR}, "sgragent": {shape: agent.ShapeSGR},
		"sgr_agent_core.agents.sgr_agent.ResearchSGRAgent": {shape: agent.ShapeSGR, research: true},
		"sgr_agent_core.agents.ToolCallingAgent":           {shape: agent.ShapeToolCalling},
		"ResearchToolCallingAgent":                         {shape: agent.ShapeToolCalling, research: true},
		"research_sgr_tool_calling_agent":                  {shape: agent.ShapeSGRToolCalling, research: true},
		"SGRResearchAgent":                                 {shape: agent.ShapeSGR, research: true},
		"examples.agents_with_disabled_reporting.agents.ResearchSGRToolCallingAgentNoReporting": {
			shape: agent.ShapeSGRToolCalling, research: true, noReport: true},
		"ToolCallingAgentNoReporting": {shape: agent.ShapeToolCalling, noReport: true},
		"IronAgent":                   {shape: agent.ShapeIron}, "DialogAgent": {shape: agent.ShapeDialog},
	} {
		if got, err := classOf(name); err != nil || got != want {
			t.Errorf("%q is %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"SGRAutoToolCallingAgent", "SGRSOToolCallingAgent", "sgr_auto_tool_calling_agent",
		"ProgressiveDiscoveryAgent"} {
		if got, err := classOf(name); err != nil || got.shape != agent.ShapeSGRToolCalling || got.instead == "" {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"SGRAgnt": "did you mean SGRAgent?", "my_package.agents.MyAgent": "is Python",
		"my_package.SGRAgent": "is Python", "sgr_agent_core.agents.Absent": "is Python",
		"Zzzzzzzzzzzzzzzzzzz": "there is no agent class",
	} {
		if _, err := classOf(name); citewell.CodeOf(err) != citewell.CodeInvalidConfig ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// planned is the plan of the one agent of a configuration.
func planned(t *testing.T, yaml string) Plan {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.LocalFile), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := config.Load(config.Options{Dir: dir, Environ: []string{"XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=/data"}})
	if err != nil {
		t.Fatal(err)
	}
	return All(l.Config, Names(l))[0]
}

func TestToolsOfAgents(t *testing.T) {
	const head = "llm: {model: m}\ntools:\n  my_tool: {command: [true]}\n  old_tool: {base_class: tools.CustomTool, " +
		"size: 3}\n  finder: {base_class: WebSearchTool}\n  reasoning_tool:\nagents:\n  a:\n"
	for _, test := range []struct{ agent, own, others, without string }{
		{"    tools: [WebSearchTool, websearchtool, web_search_tool, functions.web_search_tool, " +
			"sgr_agent_core.tools.FinalAnswerTool]", "web_search_tool final_answer_tool", "", ""},
		{"    tools: [finder, ReasoningTool]", "web_search_tool", "", ""},
		{"    base_class: ToolCallingAgent\n    tools: [reasoning_tool]", "reasoning_tool", "", ""},
		{"    tools: [my_tool, MyTool, web_fetch, WebFetchTool, GetWeather, multi_tool_use.parallel, " +
			"manifold/web_search]", "", "my_tool my_tool web_fetch web_fetch get_weather multi_tool_use_parallel " +
			"manifold/web_search", ""},
		{"    tools: [old_tool, pkg.tools.Other, RunCommandTool, web_search_tool]", "web_search_tool", "",
			"old_tool is left out: its base_class tools.CustomTool is Python|pkg.tools.Other is left out: it is " +
				"Python|RunCommandTool is left out: Citewell has none; give the command"},
		{"    base_class: ResearchSGRAgent\n    tools: [clarification_tool]",
			"clarification_tool web_search_tool extract_page_content_tool create_report_tool final_answer_tool", "",
			""},
		{"    base_class: ResearchSGRAgentNoReporting\n    tools: [create_report_tool]",
			"web_search_tool extract_page_content_tool final_answer_tool", "", ""},
		{"    mcp: {mcpServers: {wiki: {url: 'http://127.0.0.1:1'}}}\n    tools: [ask_question, web_search_tool]",
			"web_search_tool", "", "ask_question is known neither here"},
	} {
		p := planned(t, head+test.agent+"\n")
		if p.Err != nil || strings.Join(p.Parts.Own, " ") != test.own ||
			strings.Join(p.Parts.Tools, " ") != test.others || p.Parts.Own == nil {
			t.Errorf("%s\ngave %v, %v, %v", test.agent, p.Parts.Own, p.Parts.Tools, p.Err)
		}
		if slices.Contains(p.Parts.Own, reportTool) == p.Parts.NoReport {
			t.Errorf("%s\nno report is %v", test.agent, p.Parts.NoReport)
		}
		for i, want := range strings.Split(test.without, "|") {
			if want == "" && len(p.Warnings) > 0 || want != "" && (len(p.Warnings) <= i ||
				!strings.Contains(p.Warnings[i], want)) {
				t.Errorf("%s\nwarns %q, want %q", test.agent, p.Warnings, want)
			}
		}
	}
	if p := planned(t, head+"    description: all\n"); p.Err != nil || p.Parts.Own != nil || p.Parts.NoReport {
		t.Errorf("without tools %+v", p)
	}
	for agent, want := range map[string]string{
		"    tools: [web_serch_tool, my_tol]":            `there is no tool "web_serch_tool"; did you mean web_search_tool?; there is no tool "my_tol"; did you mean my_tool?`,
		"    tools: [{generate_plan_tool: {steps: 3}}]":  "the tool generate_plan_tool has no settings",
		"    tools: [{web_fetch: {size: 3}}]":            "the tool web_fetch has no settings",
		"    tools: [{my_tool: {url: 'http://x.test'}}]": "both a command and a url",
		"    tools: [nowhere/web_fetch]":                 "there is no tool",
		"    base_class: SGRAgnt":                        "did you mean SGRAgent?",
	} {
		if p := planned(t, head+agent+"\n"); citewell.CodeOf(p.Err) != citewell.CodeInvalidConfig ||
			!strings.Contains(citewell.View(p.Err).Line(), want) {
			t.Errorf("%s\n%v", agent, p.Err)
		}
	}
	if p := planned(t, "agents: {a: {}}\n"); citewell.CodeOf(p.Err) != citewell.CodeModelNotConfigured {
		t.Errorf("without a model %v", p.Err)
	}
}

// A template keeps its braces; what it must say is put below where it does not say it.
func TestPromptsOfAgents(t *testing.T) {
	p := planned(t, `
llm: {model: m}
agents:
  a:
    prompts:
      system_prompt_str: 'Answer as {"json": {}} {unknown}. {available_skills}Tools: {available_tools}'
      initial_user_request_str: "On {current_date}: {user_request} {{twice}}"
      clarification_response_str: "Go on."
`)
	want := agent.Prompts{System: `Answer as {"json": {}} {unknown}. Tools: {available_tools}`,
		Task: "On {current_date}: {task} {{twice}}", Clarification: "Go on.\n\n{clarifications}"}
	if p.Err != nil || p.Parts.Prompts != want {
		t.Errorf("%+v, %v", p.Parts.Prompts, p.Err)
	}
	if len(p.Warnings) != 3 || !strings.Contains(p.Warnings[2], "has no {clarifications}") {
		t.Errorf("warnings %q", p.Warnings)
	}
}

// Two servers of which nobody says that their tools change nothing keep each other from
// being called; one alone makes its first call.
func TestServersWithoutTrust(t *testing.T) {
	const one, two = "mcp:\n  mcpServers:\n    wiki: {url: http://a.example/mcp}\n",
		"    notes: {url: http://b.example/mcp%s}\n"
	head := "llm: {model: m}\nagents: {a: {}}\n" + one
	for yaml, want := range map[string]string{
		head: "", head + fmt.Sprintf(two, ""): "notes, wiki", head +
			fmt.Sprintf(two, ", trust: {read_only: true}"): "servers wiki are",
	} {
		if p := planned(t, yaml); p.Err != nil || (want == "") != (len(p.Warnings) == 0) || want != "" &&
			!strings.Contains(p.Warnings[0], want) {
			t.Errorf("%s\nwarns %q, %v", yaml, p.Warnings, p.Err)
		}
	}
}
