// Package agentplan works out the configured agents: what a run begins with, and what a process needs to build its
// agent again.
//
// Flow: configuration → All → Plan (with Parts, which a run keeps) → internal/app, which builds an agent. Nothing
// outside is reached: no server and no model is tried.
// Errors: invalid_config for a mistake, model_not_configured for an agent without a model. Both belong to one Plan
// (Plan.Err); the other agents can be used.
// Concurrency: all functions may be called from many goroutines.
package agentplan

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// shapes are the loop shapes, the default first; each is an agent by its own name.
var shapes = []struct {
	shape       agent.Shape
	description string
}{
	{agent.ShapeSGRToolCalling, "reasons by a forced call, then calls a tool: for most models"},
	{agent.ShapeSGR, "one JSON object a step: for small models"},
	{agent.ShapeToolCalling, "native tool calls without a step of reasoning: for strong models"},
	{agent.ShapeIron, "plain text with JSON in it: for endpoints without tool calls and schemas"},
	{agent.ShapeDialog, "gives answers in between, and the conversation goes on"},
}

func describe(shape agent.Shape) string {
	for _, s := range shapes {
		if s.shape == shape {
			return s.description
		}
	}
	return ""
}

// Parts are what an agent is made of again from its definition. What may be a
// secret, keys, headers, proxies and what is sent beside a request, is not among them:
// it is taken from the configuration each time.
type Parts struct {
	Shape     agent.Shape   `json:"shape"`
	Model     Model         `json:"model"`
	Own       []string      `json:"own"` // of the agent's own tools; null is all
	NoReport  bool          `json:"no_report,omitempty"`
	Tools     []string      `json:"tools,omitempty"`   // others, Citewell's and the operator's
	Servers   []string      `json:"servers,omitempty"` // MCP servers whose tools join
	Prompts   agent.Prompts `json:"prompts"`
	Limits    agent.Limits  `json:"limits"`
	ReportDir string        `json:"report_dir,omitempty"`
	LogDir    string        `json:"log_dir,omitempty"`
	Wishes    agent.Wishes  `json:"wishes,omitzero"` // where a run has none of its own
	Brief     bool          `json:"brief,omitempty"` // it makes briefs, and has none of the above
	Sources   Sources       `json:"sources,omitzero"`
}

// OwnTools are the names of those of the agent's own tools that it has.
func (p Parts) OwnTools() []string {
	names := slices.Clone(p.Own)
	if p.Own == nil {
		names = slices.Clone(agent.Names)
	}
	for _, always := range []string{reportTool, answerTool} {
		if !slices.Contains(names, always) {
			names = append(names, always)
		}
	}
	if p.NoReport {
		names = slices.DeleteFunc(names, func(name string) bool { return name == reportTool })
	}
	return names
}

// A Plan is an agent as it is configured.
type Plan struct {
	Name, Description string
	From              config.Agent
	Parts             Parts
	Warnings          []string
	Err               error // why it cannot be used
}

// Names are the configured agents in the order of the files.
func Names(l config.Loaded) []string {
	return Once(slices.Concat(l.Agents, slices.Sorted(maps.Keys(l.Config.Agents))))
}

// All are the agents, the default first: those that are configured in the order of
// the files, then the shapes whose names none of these has.
func All(c config.Config, names []string) []Plan {
	var all []Plan
	for _, name := range names {
		all = append(all, Of(c, name, c.Agents[name]))
	}
	for _, s := range shapes {
		if _, configured := c.Agents[string(s.shape)]; configured {
			continue
		}
		from := c.Inherited()
		from.BaseClass = string(s.shape)
		p := Of(c, string(s.shape), from)
		for i, warning := range p.Warnings { // it is of what all agents have
			p.Warnings[i] = strings.TrimPrefix(warning, "agents."+p.Name+": ")
		}
		all = append(all, p)
	}
	return all
}

// agentName is what the id of a run may begin with.
var agentName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// Of works out one agent, as far as that can be done without reaching anything.
func Of(c config.Config, name string, from config.Agent) Plan {
	p := Plan{Name: name, Description: from.Description, From: from}
	class, err := classOf(from.BaseClass)
	if err != nil {
		p.Err = err
		return p
	}
	if !agentName.MatchString(name) {
		p.Err = &citewell.Error{Code: citewell.CodeInvalidConfig,
			Message: "its name must be 1 to 64 letters, digits, _ . or -, the first a letter or digit"}
		return p
	}
	if class.instead != "" {
		p.warn("base_class %s: %s", from.BaseClass, class.instead)
	}
	if from.Execution.StreamingGenerator != c.Execution.StreamingGenerator {
		p.warn("execution.streaming_generator is the server's, for all agents; set it above")
	}
	p.Description = cmp.Or(p.Description, describe(class.shape))
	p.Parts = Parts{Shape: class.shape, Model: modelOf(c, from), Servers: slices.Sorted(maps.Keys(from.MCP.Servers)),
		Limits: agent.Limits{MaxIterations: OrNone(from.Execution.MaxIterations),
			MaxClarifications: OrNone(from.Execution.MaxClarifications),
			MaxSearches:       OrNone(from.Search.MaxSearches), MaxResults: from.Search.MaxResults,
			ContentLimit: from.Search.ContentLimit,
			ToolLimit:    from.Execution.MCPContextLimit, MaxTokens: from.LLM.MaxTokens},
		Wishes:    agent.Wishes{Language: c.Language.Code(), ApprovePlan: from.Execution.PlanApproval == "ask"},
		ReportDir: absolute(from.Execution.ReportsDir), LogDir: absolute(from.Execution.LogsDir)}
	p.doubtServers()
	if p.Err = p.takePrompts(); p.Err == nil {
		p.Err = p.takeTools(c, class)
	}
	if p.Err == nil && from.LLM.Model == "" {
		p.Err = &citewell.Error{Code: citewell.CodeModelNotConfigured, Message: "it has no model",
			Hint: "set llm.model, or agents." + name + ".llm.model"}
	}
	return p
}

func (p *Plan) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, "agents."+p.Name+": "+fmt.Sprintf(format, args...))
}

// doubtServers warns of MCP servers that keep each other's tools from being called: what a server says of its tools is
// foreign to all others, and nothing says which tools of theirs change nothing.
func (p *Plan) doubtServers() {
	var unsaid []string
	for name, s := range p.From.MCP.Servers {
		if !s.Trust.ReadOnly && len(s.Trust.ReadOnlyTools) == 0 {
			unsaid = append(unsaid, name)
		}
	}
	if slices.Sort(unsaid); len(unsaid) > 0 && len(p.From.MCP.Servers) > 1 {
		p.warn("tools of the MCP servers %s are refused beside those of others: say which change nothing, by "+
			"mcp.mcpServers.NAME.trust.read_only or read_only_tools", strings.Join(unsaid, ", "))
	}
}

// absolute is a folder that means the same to every process.
func absolute(dir string) string {
	if dir == "" {
		return ""
	}
	if whole, err := filepath.Abs(dir); err == nil {
		return whole
	}
	return dir
}

// Placeholders that are taken for ours: SGR's own example has the first two, which SGR itself would not fill in.
var placeholders = strings.NewReplacer("{user_request}", "{task}", "{clarification_needed}", "{clarifications}",
	"{available_skills}", "")

// takePrompts reads the templates. Without its placeholder one would not say what it is
// for: the text is put below it then.
func (p *Plan) takePrompts() error {
	system, task, clarification, err := p.From.Prompts.Texts()
	if err != nil {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "a prompt " + err.Error()}
	}
	for _, t := range []struct {
		name      string
		text      *string
		must, add string
	}{{"system prompt", &system, "{available_tools}", "\n\n## Tools\n{available_tools}"},
		{"initial user request", &task, "{task}", "\n\n{task}"},
		{"clarification response", &clarification, "{clarifications}", "\n\n{clarifications}"}} {
		if *t.text == "" {
			continue
		}
		if mended := placeholders.Replace(*t.text); mended != *t.text {
			*t.text = mended
			p.warn("the %s has a placeholder that SGR does not fill in; {task}, {clarifications} are what it may mean",
				t.name)
		}
		if !strings.Contains(*t.text, t.must) {
			*t.text += t.add
			if t.must != "{available_tools}" { // which SGR's own examples leave out
				p.warn("the %s has no %s; it is put below", t.name, t.must)
			}
		}
	}
	p.Parts.Prompts = agent.Prompts{System: system, Task: task, Clarification: clarification}
	return nil
}

// Once is a list without what stands in it before.
func Once(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// Check says what is wrong with the configured agents without reaching anything:
// warnings for what will be done without, and invalid_config for what is a mistake. An
// agent whose class is Python is no mistake of the user's: it is there as a warning.
func Check(l config.Loaded) (warnings []string, err error) {
	var problems []string
	for _, p := range All(l.Config, Names(l)) {
		warnings = append(warnings, p.Warnings...)
		if _, configured := l.Config.Agents[p.Name]; !configured {
			continue
		}
		switch {
		case p.Err == nil:
		case citewell.CodeOf(p.Err) == citewell.CodeModelNotConfigured, IsPath(p.From.BaseClass):
			warnings = append(warnings, "agents."+p.Name+": "+citewell.View(p.Err).Line())
		default:
			problems = append(problems, "agents."+p.Name+": "+citewell.View(p.Err).Line())
		}
	}
	if len(problems) > 0 {
		return Once(warnings), &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
			Message: strings.Join(problems, "\n")}
	}
	return Once(warnings), nil
}

// OrNone turns a configured 0, which is none, into what an agent takes for none.
func OrNone(n int) int { return cmp.Or(n, -1) }

// Sources say whom to ask. The zero value asks every configured provider.
type Sources struct {
	// by name; empty means all that are configured, and local where there are documents
	Providers []string `json:"providers,omitempty"`
	Docs      string   `json:"docs,omitempty"` // a folder: ask only the documents below it
	// whether local is among them, whatever Providers says; nil leaves that to it
	Documents *bool `json:"documents,omitempty"`
}
