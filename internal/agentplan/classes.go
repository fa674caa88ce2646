package agentplan

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/builtin"
)

// A class is what a base_class comes to: SGR's agent classes are loop shapes with a view of the tools.
type class struct {
	shape    agent.Shape
	research bool   // has search, reading, report and final answer, whatever its tools are
	noReport bool   // has no report, whatever its tools are
	instead  string // why this is not quite what was asked for; empty where it is
}

// classes are those that are SGR's by their names without Research and NoReporting, folded.
var classes = map[string]class{
	"sgragent":            {shape: agent.ShapeSGR},
	"toolcallingagent":    {shape: agent.ShapeToolCalling},
	"sgrtoolcallingagent": {shape: agent.ShapeSGRToolCalling},
	"ironagent":           {shape: agent.ShapeIron},
	"dialogagent":         {shape: agent.ShapeDialog},
	"sgrautotoolcallingagent": {shape: agent.ShapeSGRToolCalling,
		instead: "SGR gave it up for answering worse; it is taken for SGRToolCallingAgent"},
	"sgrsotoolcallingagent": {shape: agent.ShapeSGRToolCalling,
		instead: "SGR gave it up for answering worse; it is taken for SGRToolCallingAgent"},
	"progressivediscoveryagent": {shape: agent.ShapeSGRToolCalling,
		instead: "it is taken for SGRToolCallingAgent, which is offered all of its tools at once"},
	"benchmarkagent": {shape: agent.ShapeSGRToolCalling, noReport: true,
		instead: "it is taken for SGRToolCallingAgent without reports"},
}

// classNames are what is offered where a name is near to one.
var classNames = []string{"SGRAgent", "ToolCallingAgent", "SGRToolCallingAgent", "IronAgent", "DialogAgent",
	"ResearchSGRAgent", "ResearchToolCallingAgent", "ResearchSGRToolCallingAgent",
	"ResearchSGRAgentNoReporting", "ResearchToolCallingAgentNoReporting", "ResearchSGRToolCallingAgentNoReporting"}

// sgrRoots are the roots of import paths whose classes are SGR's own.
var sgrRoots = []string{"sgr_agent_core.", "sgr_deep_research.", "examples."}

// fromSGR is a name without the path by which SGR's own class is imported. A path of
// another root stays: it is somebody's own Python.
func fromSGR(name string) string {
	for _, root := range sgrRoots {
		if strings.HasPrefix(name, root) {
			return name[strings.LastIndex(name, ".")+1:]
		}
	}
	return name
}

// IsPath says whether a name is an import path of Python.
func IsPath(name string) bool { return strings.Contains(name, ".") }

// fold is a name without what differs between WebSearchTool, web_search_tool and websearchtool.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// classOf gives the class of a base_class; empty is SGR's default. invalid_config for what is none.
func classOf(name string) (class, error) {
	if name == "" {
		return class{shape: agent.ShapeSGRToolCalling}, nil
	}
	bare := fromSGR(name)
	folded := fold(bare)
	core, noReporting := strings.CutSuffix(folded, "noreporting")
	plain := strings.Replace(core, "research", "", 1)
	c, ok := classes[plain]
	switch {
	case ok:
		c.research, c.noReport = plain != core, c.noReport || noReporting
		return c, nil
	case IsPath(name):
		return class{}, &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: fmt.Sprintf("its base_class %.100s is Python, which Citewell does not run", name),
			Hint:    "name one of SGR's classes; what its tools do can be kept as commands (tools.NAME.command)"}
	}
	message := fmt.Sprintf("there is no agent class %.80q", name) + text.DidYouMean(bare, classNames)
	return class{}, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: message,
		Hint: "there are " + strings.Join(classNames, ", ")}
}

// ownTool gives the name of the agent's own tool that is meant; empty where none is.
func ownTool(name string) string {
	folded := fold(fromSGR(name))
	for _, own := range agent.Names {
		if fold(own) == folded {
			return own
		}
	}
	return ""
}

// KnownClass says whether a base_class in the section tools is a tool of Citewell's.
func KnownClass(name string) bool {
	return ownTool(name) != "" || builtin.Known(fromSGR(name)) || builtin.Known(tool.Snake(fromSGR(name)))
}

// otherTools are SGR's that Citewell has in another form, folded.
var otherTools = map[string]string{
	"answertool":      "the class DialogAgent has it by itself",
	"runcommandtool":  "give the command as a tool of your own (tools.NAME.command)",
	"useskill":        "put what the skill says into the agent's prompt",
	"useskilltool":    "put what the skill says into the agent's prompt",
	"searchtoolstool": "an agent is offered all of its tools at once",
	"search-tools":    "an agent is offered all of its tools at once",
}
