package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/text"
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

// agentParts are what an agent is made of again from its definition. What may be a
// secret, keys, headers, proxies and what is sent beside a request, is not among them:
// it is taken from the configuration each time.
type agentParts struct {
	Shape     agent.Shape   `json:"shape"`
	Model     modelParts    `json:"model"`
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

// A plan is an agent as it is configured.
type plan struct {
	name, description string
	from              config.Agent
	parts             agentParts
	warnings          []string
	err               error // why it cannot be used
}

// agentNames are the configured agents in the order of the files.
func agentNames(l config.Loaded) []string {
	names := slices.Clone(l.Agents)
	for _, name := range slices.Sorted(maps.Keys(l.Config.Agents)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// plans are the agents, the default first: those that are configured in the order of
// the files, then the shapes whose names none of these has.
func plans(c config.Config, names []string) []plan {
	var all []plan
	for _, name := range names {
		all = append(all, planOf(c, name, c.Agents[name]))
	}
	for _, s := range shapes {
		if _, configured := c.Agents[string(s.shape)]; configured {
			continue
		}
		from := c.Inherited()
		from.BaseClass = string(s.shape)
		p := planOf(c, string(s.shape), from)
		for i, warning := range p.warnings { // it is of what all agents have
			p.warnings[i] = strings.TrimPrefix(warning, "agents."+p.name+": ")
		}
		all = append(all, p)
	}
	return all
}

// agentName is what the id of a run may begin with.
var agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// planOf works out one agent, as far as that can be done without reaching anything.
func planOf(c config.Config, name string, from config.Agent) plan {
	p := plan{name: name, description: from.Description, from: from}
	class, err := classOf(from.BaseClass)
	if err != nil {
		p.err = err
		return p
	}
	if !agentName.MatchString(name) {
		p.err = &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "its name must be 1 to 64 letters, digits, _ . or -, the first a letter or digit"}
		return p
	}
	if class.instead != "" {
		p.warn("base_class %s: %s", from.BaseClass, class.instead)
	}
	if from.Execution.StreamingGenerator != c.Execution.StreamingGenerator {
		p.warn("execution.streaming_generator is the server's, for all agents; set it above")
	}
	if p.description == "" {
		p.description = describe(class.shape)
	}
	p.parts = agentParts{Shape: class.shape, Model: modelOf(c, from), Servers: slices.Sorted(maps.Keys(from.MCP.Servers)),
		Limits: agent.Limits{MaxIterations: orNone(from.Execution.MaxIterations), MaxClarifications: orNone(from.Execution.MaxClarifications),
			MaxSearches: orNone(from.Search.MaxSearches), MaxResults: from.Search.MaxResults, ContentLimit: from.Search.ContentLimit,
			ToolLimit: from.Execution.MCPContextLimit, MaxTokens: from.LLM.MaxTokens},
		Wishes:    agent.Wishes{Language: text.ParseLanguage(string(c.Language)), ApprovePlan: from.Execution.PlanApproval == "ask"},
		ReportDir: absolute(from.Execution.ReportsDir), LogDir: absolute(from.Execution.LogsDir)}
	if p.err = p.takePrompts(); p.err == nil {
		p.err = p.takeTools(c, class)
	}
	if p.err == nil && from.LLM.Model == "" {
		p.err = &citewell.Error{Code: citewell.CodeModelNotConfigured, Message: "it has no model", Hint: "set llm.model, or agents." + name + ".llm.model"}
	}
	return p
}

func (p *plan) warn(format string, args ...any) {
	p.warnings = append(p.warnings, "agents."+p.name+": "+fmt.Sprintf(format, args...))
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

// Placeholders that are taken for ours: SGR's own example has the first two, which SGR
// itself would not fill in.
var placeholders = strings.NewReplacer("{user_request}", "{task}", "{clarification_needed}", "{clarifications}", "{available_skills}", "")

// takePrompts reads the templates. Without its placeholder one would not say what it is
// for: the text is put below it then.
func (p *plan) takePrompts() error {
	system, task, clarification, err := p.from.Prompts.Texts()
	if err != nil {
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Message: "a prompt " + err.Error()}
	}
	for _, t := range []struct {
		name      string
		text      *string
		must, add string
	}{{"system prompt", &system, "{available_tools}", "\n\n## Tools\n{available_tools}"}, {"initial user request", &task, "{task}", "\n\n{task}"},
		{"clarification response", &clarification, "{clarifications}", "\n\n{clarifications}"}} {
		if *t.text == "" {
			continue
		}
		if mended := placeholders.Replace(*t.text); mended != *t.text {
			*t.text = mended
			p.warn("the %s has a placeholder that SGR does not fill in; {task}, {clarifications} are what it may mean", t.name)
		}
		if !strings.Contains(*t.text, t.must) {
			*t.text += t.add
			if t.must != "{available_tools}" { // which SGR's own examples leave out
				p.warn("the %s has no %s; it is put below", t.name, t.must)
			}
		}
	}
	p.parts.Prompts = agent.Prompts{System: system, Task: task, Clarification: clarification}
	return nil
}

// agents are the definitions, the default first, to search these sources. What cannot
// be used is there too, with the reason.
func (a *App) agents(sources Sources) ([]job.Definition, error) {
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	var all []job.Definition
	var warnings []string
	for _, p := range plans(a.Config, a.agentNames) {
		p.parts.Sources = sources
		if p.err == nil {
			_, p.err = a.modelFor(p.parts.Model, p.from)
		}
		if _, configured := a.Config.Agents[p.name]; !configured && p.err != nil {
			continue // a shape, and there is no model
		}
		parts, err := json.Marshal(p.parts)
		if err != nil {
			return nil, fmt.Errorf("agent %s as JSON: %w", p.name, err)
		}
		d := job.Definition{Name: p.name, Description: p.description, Model: p.parts.Model.Name, Budget: budget, Parts: parts}
		if p.err != nil {
			d.Hidden = said(p.err)
			a.log.Warn("an agent cannot be used", "agent", p.name, "why", d.Hidden)
		}
		warnings = append(warnings, p.warnings...)
		all = append(all, d)
	}
	if !slices.Contains(a.agentNames, BriefAgent) {
		d, err := a.briefDefinition(sources)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	for _, warning := range once(warnings) { // config check and doctor say them aloud
		a.log.Info(warning)
	}
	return all, nil
}

// once is a list without what stands in it before.
func once(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// said is an error with what to do about it, in a line.
func said(err error) string {
	view := citewell.View(err)
	return strings.TrimSuffix(view.Message+"; "+view.Hint, "; ")
}

// CheckAgents says what is wrong with the configured agents without reaching anything:
// warnings for what will be done without, and invalid_config for what is a mistake. An
// agent whose class is Python is no mistake of the user's: it is there as a warning.
func CheckAgents(l config.Loaded) (warnings []string, err error) {
	var problems []string
	for _, p := range plans(l.Config, agentNames(l)) {
		warnings = append(warnings, p.warnings...)
		if _, configured := l.Config.Agents[p.name]; !configured {
			continue
		}
		switch {
		case p.err == nil:
		case citewell.CodeOf(p.err) == citewell.CodeModelNotConfigured, isPath(p.from.BaseClass):
			warnings = append(warnings, "agents."+p.name+": "+said(p.err))
		default:
			problems = append(problems, "agents."+p.name+": "+said(p.err))
		}
	}
	if len(problems) > 0 {
		return once(warnings), &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config", Message: strings.Join(problems, "\n")}
	}
	return once(warnings), nil
}

// orNone turns a configured 0, which is none, into what an agent takes for none.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// budget is the configured one.
func (a *App) budget() (job.Budget, error) {
	b := a.Config.Budget
	budget := job.Budget{Tokens: orNone(b.Tokens), WallMS: b.WallTime.Milliseconds(), Searches: orNone(b.Searches), Fetches: orNone(b.Fetches)}
	if b.WallTime == 0 {
		budget.WallMS = -1
	}
	if b.USD != "" && b.USD != "none" {
		usd, err := strconv.ParseFloat(b.USD, 64)
		if err != nil || usd <= 0 || math.IsInf(usd, 0) {
			return budget, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: fmt.Sprintf("budget.usd is %.40q", b.USD), Hint: "none, or an amount as in 0.50"}
		}
		budget.USD = usd
	}
	return budget, nil
}
