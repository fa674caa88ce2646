package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/store"
)

// agentSettings are what the configuration says of an agent now; what all agents have where it is gone from there.
func (a *App) agentSettings(name string) config.Agent {
	if from, ok := a.Config.Agents[name]; ok {
		return from
	}
	return a.Config.Inherited()
}

// partsOf are what an agent's definition is made of.
func partsOf(d job.Definition) (parts agentplan.Parts, err error) {
	if err = json.Unmarshal(d.Parts, &parts); err != nil {
		err = fmt.Errorf("app: agent %s: %w", d.Name, err)
	}
	return parts, err
}

// buildAgent makes the agent of a definition; a job.Builder.
func (a *App) buildAgent(ctx context.Context, d job.Definition, t job.Ties) (job.Agent, error) {
	parts, err := partsOf(d)
	if err != nil {
		return nil, err
	}
	if parts.Brief {
		return a.buildBrief(ctx, d.Name, parts.Sources, t)
	}
	from := a.agentSettings(d.Name)
	model, err := a.modelFor(parts.Model, from)
	if err != nil {
		return nil, err
	}
	sources, scope, err := a.chosen(from.Search, parts.Sources, t.Choices)
	if err != nil {
		return nil, err
	}
	providers, err := a.providersOf(ctx, from.Search, sources)
	if err != nil {
		return nil, err
	}
	if !t.Choices.IsZero() { // other tools would search where it was not chosen to look
		parts.Tools = slices.DeleteFunc(parts.Tools, func(name string) bool {
			return slices.Contains(agentplan.Searching, name)
		})
	}
	kit, err := a.kitOf(ctx, parts, from)
	if err != nil {
		return nil, err
	}
	for _, left := range kit.left {
		a.log.Warn("an agent does without a tool", "agent", d.Name, "tool", left)
	}
	pages := agent.Pages{Local: a.Store, Extract: a.Extract.Extract, Archived: a.readsCopies()}
	here := onlyLocal(known(slices.Clone(providers), scope.Kinds))
	if parts.Sources.Docs == "" && (t.Choices.IsZero() || !here) { // otherwise the documents are all there is to read
		pages.Fetcher = a.Fetch
	}
	o := agent.Options{Name: d.Name, Shape: parts.Shape, Model: agent.Chat{Client: model}, Price: model.Price(),
		Searcher:     a.searcher(providers, scope),
		Reader:       pages,
		SearchesHere: here, PrivateWords: privateWords(from.Search, sources, providers, kit.tools),
		Archive: a.Store, Journal: t.Journal, Prompts: parts.Prompts, Limits: parts.Limits, Budget: t.Budget.Agent(),
		Wishes: parts.Wishes, Ask: t.Ask, Tell: t.Tell,
		Own: parts.Own, NoReport: parts.NoReport, Extra: kit.tools, Searching: kit.searching,
		Confirm: a.confirm(), Calling: a.telemetry.Calling}
	if a.Judge != nil {
		o.Judge = a.Judge
	}
	if asksLocal(providers) {
		o.Indexed = a.indexed(parts.Sources.Docs)
	}
	o.Standing = registers(providers, scope.Kinds)
	if parts.ReportDir != "" {
		// With its record: the store keeps the report only once the run has ended.
		o.SaveReport, o.Render = saveReport(a.ownFolder(parts.ReportDir)), report.WithRecord
	}
	return agent.New(o)
}

// privateWords is what becomes of a call that would tell others words of private texts. Where
// nobody chose that such texts take part, and documents do since there are some, nobody is asked
// about their words either: the call is refused, and the agent goes another way.
func privateWords(of config.Search, s agentplan.Sources, providers []search.Provider, tools []*tool.Tool) string {
	chosen := s.Docs != "" || s.Documents != nil || slices.Contains(s.Providers, localProvider) ||
		of.Engine == localProvider || of.Providers[localProvider].Enabled == "true"
	if asksLocal(providers) && !chosen && of.PrivateWords == tool.Ask &&
		!slices.ContainsFunc(tools, (*tool.Tool).SaysPrivate) {
		return tool.Deny
	}
	return of.PrivateWords
}

// indexed reports of addresses whether they are of indexed documents, below a folder where one is given.
func (a *App) indexed(folder string) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, url string) (bool, error) {
		if folder != "" {
			below, err := folderURL(folder)
			if err != nil || !strings.HasPrefix(url, below) {
				return false, err
			}
		}
		found, err := a.Store.Documents(ctx, store.DocumentQuery{URLPrefix: url, Limit: 1})
		return len(found) == 1 && found[0].URL == url, err
	}
}

// saveReport keeps report files in a folder. A name that is taken gets a number: no report takes another's place.
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
			return filepath.Join(dir, name), cmp.Or(err, f.Close())
		}
	}
}
