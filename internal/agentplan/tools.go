package agentplan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
	"github.com/citewell/citewell/internal/tool/custom"
)

// Searching are Citewell's tools that search the web: an agent's calls of them count as searches.
var Searching = []string{"web_search", "web_research", "search", "exa_find_similar", "manifold/web_search",
	"cogtrix/web_search"}

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
func (p *Plan) takeTools(c config.Config, class class) error {
	p.Parts.NoReport = class.noReport
	if len(p.From.Tools) == 0 {
		return nil
	}
	p.Parts.Own = []string{}
	var wrong []string
	for _, t := range p.From.Tools {
		if err := p.takeTool(c, t); err != nil {
			wrong = append(wrong, citewell.View(err).Line())
		}
	}
	if class.research {
		for _, name := range researchTools {
			p.own(name)
		}
	}
	if class.noReport {
		p.Parts.Own = slices.DeleteFunc(p.Parts.Own, func(name string) bool { return name == reportTool })
	}
	p.Parts.NoReport = !slices.Contains(p.Parts.Own, reportTool)
	if len(wrong) > 0 {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: strings.Join(wrong, "; ")}
	}
	return nil
}

func (p *Plan) own(name string) {
	if !slices.Contains(p.Parts.Own, name) {
		p.Parts.Own = append(p.Parts.Own, name)
	}
}

func (p *Plan) takeTool(c config.Config, t config.AgentTool) error {
	name := strings.TrimPrefix(t.Name, "functions.")
	if entry := Entry(c.Tools, name); entry != "" {
		spec, err := Operators(c.Tools, entry, t.Settings)
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
			p.warn("the tool %s is left out: its base_class %s is Python, which Citewell does not run; keep it as a "+
				"command (tools.%s.command)", entry, spec.Python, entry)
			return nil
		default:
			p.Parts.Tools = append(p.Parts.Tools, entry)
			return nil
		}
	}
	if own := ownTool(name); own != "" {
		if len(t.Settings) > 0 && !hasSettings(own) {
			return mistake("the tool %s has no settings", own)
		}
		if own == reasoningTool && p.Parts.Shape != agent.ShapeToolCalling {
			return nil // the other shapes reason by it at each step anyway
		}
		p.own(own)
		return nil
	}
	if found := builtinTool(fromSGR(name)); found != "" {
		if len(t.Settings) > 0 {
			return mistake("the tool %s has no settings", found)
		}
		p.Parts.Tools = append(p.Parts.Tools, found)
		return nil
	}
	if instead, known := otherTools[fold(fromSGR(name))]; known {
		if !(fold(fromSGR(name)) == "answertool" && p.Parts.Shape == agent.ShapeDialog) {
			p.warn("the tool %s is left out: Citewell has none; %s", t.Name, instead)
		}
		return nil
	}
	switch {
	case IsPath(name):
		p.warn("the tool %s is left out: it is Python, which Citewell does not run; keep it as a command "+
			"(tools.NAME.command)", t.Name)
		return nil
	case len(p.From.MCP.Servers) > 0: // all tools of the agent's servers join, this one with them where it is there
		p.warn("the tool %s is known neither here nor in the section tools; it is there where an MCP server has it",
			t.Name)
		return nil
	}
	known := slices.Concat(agent.Names, slices.Collect(maps.Keys(c.Tools)), builtinNames())
	slices.Sort(known)
	message := fmt.Sprintf("there is no tool %.80q", t.Name)
	if near := text.Nearest(tool.Snake(name), known); near != "" {
		return mistake("%s; did you mean %s?", message, near)
	}
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: message,
		Hint: "there are " + strings.Join(known, ", ")}
}

// hasSettings says whether a tool of the agent's own has settings, which are those of the section search.
func hasSettings(own string) bool { return own == agent.WebSearchTool || own == extractTool }

func mistake(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: fmt.Sprintf(format, args...)}
}

// Entry gives the key of the section tools that a name means.
func Entry(section map[string]any, name string) string {
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

// Operators gives the operator's own tool of that name with an agent's settings over
// those of the section; nil where it is one of Citewell's.
func Operators(section map[string]any, name string, settings map[string]any) (*custom.Spec, error) {
	fields := maps.Clone(fieldsOf(section, name))
	if _, command := fields["command"]; command || fields["url"] != nil {
		maps.Copy(fields, settings)
	}
	specs, err := custom.Parse(map[string]any{name: fields}, KnownClass)
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
