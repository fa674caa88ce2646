package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/tool"
	"github.com/citewell/citewell/tool/builtin"
	"github.com/citewell/citewell/tool/custom"
)

// searching are Citewell's tools that search the web: an agent's calls of them count
// as searches.
var searching = []string{"web_search", "web_research", "search", "exa_find_similar", "manifold/web_search", "cogtrix/web_search"}

// researchTools are those that SGR's Research classes always have.
var researchTools = []string{agent.WebSearchTool, extractTool, reportTool, answerTool}

// The agent's own tools that are named here.
const (
	extractTool   = "extract_page_content_tool"
	reportTool    = "create_report_tool"
	answerTool    = "final_answer_tool"
	reasoningTool = "reasoning_tool"
)

// takeTools finds the tools that an agent names: first in the section tools, then among
// Citewell's, in any spelling. An agent that names none has all of its own.
func (p *plan) takeTools(c config.Config, class class) error {
	p.parts.NoReport = class.noReport
	if len(p.from.Tools) == 0 {
		return nil
	}
	p.parts.Own = []string{}
	var wrong []string
	for _, t := range p.from.Tools {
		if err := p.takeTool(c, t); err != nil {
			wrong = append(wrong, said(err))
		}
	}
	if class.research {
		for _, name := range researchTools {
			p.own(name)
		}
	}
	if class.noReport {
		p.parts.Own = slices.DeleteFunc(p.parts.Own, func(name string) bool { return name == reportTool })
	}
	p.parts.NoReport = !slices.Contains(p.parts.Own, reportTool)
	if len(wrong) > 0 {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: strings.Join(wrong, "; ")}
	}
	return nil
}

func (p *plan) own(name string) {
	if !slices.Contains(p.parts.Own, name) {
		p.parts.Own = append(p.parts.Own, name)
	}
}

func (p *plan) takeTool(c config.Config, t config.AgentTool) error {
	name := strings.TrimPrefix(t.Name, "functions.")
	if entry := entryOf(c.Tools, name); entry != "" {
		spec, err := operators(c.Tools, entry, t.Settings)
		switch {
		case err != nil:
			return err
		case spec == nil: // one of Citewell's, under this name
			fields := fieldsOf(c.Tools, entry)
			if name = entry; fields["base_class"] != nil {
				name = fmt.Sprint(fields["base_class"])
			}
			for key := range fields {
				if key != "base_class" && !hasSettings(ownTool(name)) {
					return mistake("tools.%s has no setting %.60s", entry, key)
				}
			}
		case spec.Python != "":
			p.warn("the tool %s is left out: its base_class %s is Python, which Citewell does not run; keep it as a command (tools.%s.command)", entry, spec.Python, entry)
			return nil
		default:
			p.parts.Tools = append(p.parts.Tools, entry)
			return nil
		}
	}
	if own := ownTool(name); own != "" {
		if len(t.Settings) > 0 && !hasSettings(own) {
			return mistake("the tool %s has no settings", own)
		}
		if own == reasoningTool && p.parts.Shape != agent.ShapeToolCalling {
			return nil // the other shapes reason by it at each step anyway
		}
		p.own(own)
		return nil
	}
	if found := builtinTool(fromSGR(name)); found != "" {
		if len(t.Settings) > 0 {
			return mistake("the tool %s has no settings", found)
		}
		p.parts.Tools = append(p.parts.Tools, found)
		return nil
	}
	if instead, known := otherTools[fold(fromSGR(name))]; known {
		if !(fold(fromSGR(name)) == "answertool" && p.parts.Shape == agent.ShapeDialog) {
			p.warn("the tool %s is left out: Citewell has none; %s", t.Name, instead)
		}
		return nil
	}
	switch {
	case isPath(name):
		p.warn("the tool %s is left out: it is Python, which Citewell does not run; keep it as a command (tools.NAME.command)", t.Name)
		return nil
	case len(p.from.MCP.Servers) > 0: // all tools of the agent's servers join, this one with them where it is there
		p.warn("the tool %s is known neither here nor in the section tools; it is there where an MCP server has it", t.Name)
		return nil
	}
	known := slices.Concat(agent.Names, slices.Collect(maps.Keys(c.Tools)), builtinNames())
	slices.Sort(known)
	message := fmt.Sprintf("there is no tool %.80q", t.Name)
	if near := text.Nearest(tool.Snake(name), known); near != "" {
		return mistake("%s; did you mean %s?", message, near)
	}
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: message, Hint: "there are " + strings.Join(known, ", ")}
}

// hasSettings says whether a tool of the agent's own has settings, which are those of
// the section search.
func hasSettings(own string) bool { return own == agent.WebSearchTool || own == extractTool }

func mistake(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: fmt.Sprintf(format, args...)}
}

// entryOf gives the key of the section tools that a name means.
func entryOf(section map[string]any, name string) string {
	if _, ok := section[name]; ok {
		return name
	}
	for _, key := range slices.Sorted(maps.Keys(section)) {
		if fold(key) == fold(name) {
			return key
		}
	}
	return ""
}

func fieldsOf(section map[string]any, name string) map[string]any {
	fields, _ := section[name].(map[string]any)
	return fields
}

// operators gives the operator's own tool of that name with an agent's settings over
// those of the section; nil where it is one of Citewell's.
func operators(section map[string]any, name string, settings map[string]any) (*custom.Spec, error) {
	fields := maps.Clone(fieldsOf(section, name))
	if _, command := fields["command"]; command || fields["url"] != nil {
		maps.Copy(fields, settings)
	}
	specs, err := custom.Parse(map[string]any{name: fields}, knownClass)
	if err != nil || len(specs) == 0 {
		return nil, err
	}
	return &specs[0], nil
}

// builtinNames are Citewell's tools beside the agent's own.
func builtinNames() []string { return builtin.Catalogue(builtin.DefaultToolset) }

// builtinTool gives the name of the tool of Citewell's that is meant, with the toolset
// where one is named; empty where there is none.
func builtinTool(name string) string {
	if toolset, bare, qualified := strings.Cut(name, "/"); qualified {
		if slices.Contains(builtin.Catalogue(toolset), bare) {
			return name
		}
		return ""
	}
	names := builtinNames()
	if i := slices.IndexFunc(names, func(known string) bool {
		return fold(known) == fold(strings.ReplaceAll(name, ".", "_")) || fold(known)+"tool" == fold(name)
	}); i >= 0 {
		return names[i]
	}
	return ""
}

// A kit is what an agent has beside its own tools.
type kit struct {
	tools     []*tool.Tool
	searching []string // their names that count as searches
	left      []string // what it does without, and why
}

// kitOf makes the tools of a definition. What is gone, hidden or cannot be reached is
// left out.
func (a *App) kitOf(ctx context.Context, parts agentParts, from config.Agent) (kit, error) {
	var k kit
	if len(parts.Tools) > 0 {
		registry, err := a.kitRegistry()
		if err != nil {
			return k, err
		}
		for _, name := range parts.Tools {
			t, err := a.kitTool(registry, name, from)
			switch {
			case err != nil:
				k.left = append(k.left, name+": "+said(err))
			case !t.Offered():
				k.left = append(k.left, name+": "+t.Hidden)
			default:
				k.tools = append(k.tools, t)
				if slices.Contains(searching, name) && entryOf(a.Config.Tools, name) == "" {
					k.searching = append(k.searching, t.Name)
				}
			}
		}
	}
	for _, name := range parts.Servers {
		if _, ok := from.MCP.Servers[name]; !ok {
			return k, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "runs", Message: fmt.Sprintf("the run's agent has tools of the MCP server %.80q, which is not configured here", name),
				Hint: "put it into mcp.mcpServers, or execute the run where it is"}
		}
	}
	servers := from.MCP
	servers.Servers = maps.Clone(servers.Servers)
	maps.DeleteFunc(servers.Servers, func(name string, _ config.MCPServer) bool { return !slices.Contains(parts.Servers, name) })
	if len(servers.Servers) == 0 {
		return k, nil
	}
	set, err := a.remoteSet(ctx, mcpServers(servers), agent.MaxToolResult)
	if err != nil {
		return k, err
	}
	for _, r := range set.Reports {
		if r.Err != nil {
			k.left = append(k.left, "MCP server "+r.Server+": "+said(r.Err))
		}
	}
	for _, t := range set.Tools {
		if t.Offered() && !slices.ContainsFunc(k.tools, func(known *tool.Tool) bool { return known.Name == t.Name }) {
			k.tools = append(k.tools, t)
		}
	}
	return k, nil
}

// kitRegistry has Citewell's tools for agents, the same for all runs. There are no runs
// among them: a run begins no others.
func (a *App) kitRegistry() (*builtin.Registry, error) {
	a.kitOnce.Lock()
	defer a.kitOnce.Unlock()
	if a.kitTools == nil {
		deps, err := a.toolDeps()
		if err != nil {
			return nil, err
		}
		deps.Chat = a.chat // the agent's own model, whether there is another or not
		a.kitTools = builtin.New(deps, nil, nil)
	}
	return a.kitTools, nil
}

// kitTool makes one tool: the operator's of that name, or Citewell's.
func (a *App) kitTool(registry *builtin.Registry, name string, from config.Agent) (*tool.Tool, error) {
	if entry := entryOf(a.Config.Tools, name); entry != "" {
		var settings map[string]any
		for _, t := range from.Tools {
			if entryOf(a.Config.Tools, t.Name) == entry {
				settings = t.Settings
			}
		}
		spec, err := operators(a.Config.Tools, entry, settings)
		if err != nil {
			return nil, err
		}
		if spec != nil {
			return custom.New(*spec, a.Guard, a.Config.Workdir), nil
		}
	}
	return registry.Tool(name)
}
