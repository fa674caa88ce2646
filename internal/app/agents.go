package app

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/report"
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

// agentParts are what an agent is made of again from its definition.
type agentParts struct {
	Shape     agent.Shape   `json:"shape"`
	Model     string        `json:"model"`
	Prompts   agent.Prompts `json:"prompts"`
	Limits    agent.Limits  `json:"limits"`
	ReportDir string        `json:"report_dir,omitempty"`
	Sources   Sources       `json:"sources,omitzero"`
}

// agents are the configured agents, the default first, to search these sources. There
// are none without a model.
func (a *App) agents(sources Sources) ([]job.Definition, error) {
	if len(a.Models) == 0 {
		return nil, nil
	}
	budget, err := a.budget()
	if err != nil {
		return nil, err
	}
	c := a.Config
	limits := agent.Limits{MaxIterations: c.Execution.MaxIterations, MaxClarifications: orNone(c.Execution.MaxClarifications),
		MaxSearches: orNone(c.Search.MaxSearches), MaxResults: c.Search.MaxResults, ContentLimit: c.Search.ContentLimit,
		ToolLimit: c.Execution.MCPContextLimit, MaxTokens: c.LLM.MaxTokens}
	var all []job.Definition
	for _, s := range shapes {
		parts, err := json.Marshal(agentParts{Shape: s.shape, Model: a.Models[0].Name(), Limits: limits, ReportDir: c.Execution.ReportsDir, Sources: sources})
		if err != nil {
			return nil, fmt.Errorf("agent %s as JSON: %w", s.shape, err)
		}
		all = append(all, job.Definition{Name: string(s.shape), Description: s.description, Model: a.Models[0].Name(), Budget: budget, Parts: parts})
	}
	return all, nil
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

// buildAgent makes the agent of a definition; a job.Builder.
func (a *App) buildAgent(ctx context.Context, d job.Definition, t job.Ties) (*agent.Agent, error) {
	var parts agentParts
	if err := json.Unmarshal(d.Parts, &parts); err != nil {
		return nil, fmt.Errorf("app: agent %s: %w", d.Name, err)
	}
	if len(a.Models) == 0 {
		return nil, &citewell.Error{Code: citewell.CodeModelNotConfigured, Op: "runs", Message: "the run needs the chat model " + parts.Model, Hint: "set llm.base_url and llm.model"}
	}
	providers, err := a.providers(ctx, parts.Sources)
	if err != nil {
		return nil, err
	}
	model := a.Models[0]
	pages := agent.Pages{Local: a.Store, Extract: a.Extract.Extract}
	if parts.Sources.Docs == "" { // otherwise the documents are all there is to read
		pages.Fetcher = a.Fetch
	}
	o := agent.Options{Name: d.Name, Shape: parts.Shape, Model: agent.Chat{Client: model}, Price: model.Price(),
		Searcher: agent.Providers{List: providers, Timeout: a.Config.Brief.Deadlines.Fanout, PerDomain: a.Config.Brief.PerDomain},
		Reader:   pages,
		Archive:  a.Store, Journal: t.Journal, Prompts: parts.Prompts, Limits: parts.Limits, Budget: t.Budget.Agent(), Ask: t.Ask, Tell: t.Tell}
	if a.Embedding != nil {
		o.Embedder = a.Embedding
	}
	if parts.ReportDir != "" {
		o.SaveReport, o.Render = saveReport(parts.ReportDir), report.OfRun
	}
	return agent.New(o)
}

// saveReport keeps report files in a folder. A name that is taken gets a number: no
// report takes another's place.
func saveReport(dir string) func(context.Context, string, string) (string, error) {
	return func(_ context.Context, name, markdown string) (string, error) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return "", err
		}
		defer root.Close()
		ext := filepath.Ext(name)
		for n, base := 1, name[:len(name)-len(ext)]; ; n++ {
			f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if os.IsExist(err) && n < 1000 {
				name = fmt.Sprintf("%s_%d%s", base, n+1, ext)
				continue
			} else if err != nil {
				return "", err
			}
			if _, err = f.WriteString(markdown); err == nil {
				err = f.Sync()
			}
			if closed := f.Close(); err == nil {
				err = closed
			}
			return filepath.Join(dir, name), err
		}
	}
}
