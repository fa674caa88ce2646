package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/search"
	"github.com/spf13/cobra"
)

// researchFlags are what a topic may be researched with.
type researchFlags struct {
	depth      int
	maxSources int
	noModel    bool
	agent      string
	budget     []string
	talk       bool
	outline    string // a file's name, or the headings themselves
	wishes     agent.Wishes
	from       searchFlags // whom to ask
}

// withoutModel are the flags of research without a model, withModel those with one.
var withoutModel, withModel = []string{"depth", "max-sources"},
	[]string{"agent", "budget", "interactive", "language", "outline", "approve-plan"}

func newResearch(e *env) *cobra.Command {
	var f researchFlags
	cmd := &cobra.Command{
		Use:   "research TOPIC",
		Short: "Research a topic: by an agent with a model, or from several queries without one",
		Long: "With a model (llm.base_url, llm.model) an agent plans, searches, reads and writes a report;\n" +
			"every cited sentence is checked before the report is accepted. The work is a run: it is saved on\n" +
			"disk, and after an interrupt, a crash or a question it continues where it was (citewell runs).\n" +
			"-i lets the agent ask you; without it, a run that asks waits for your answer.\n\n" +
			"Without a model, or with --no-model, a topic is split into several queries; all configured\n" +
			"providers are asked at once, the best page of each domain is read, and answers are quoted with\n" +
			"citations. For \"A versus B\" both sides are searched and read. --agent brief does the same as a\n" +
			"run, which you can list, export and ask on (citewell ask).\n\n" +
			"Exit codes: 0 answered; 3 only part of an answer, a budget used up, no source or provider that\n" +
			"answers, or an open question; 1 the model failed, or the run was cancelled or released.",
		Example: `  citewell research "tidal power vs wind power"` + "\n" +
			`  citewell research -i --budget searches=6 --budget wall_time=10m "our backup rules"` + "\n" +
			`  citewell research --docs ~/notes --agent tool_calling_agent "what did we decide about backups"` + "\n" +
			`  citewell research --no-model --depth 3 "larch format" > report.md && citewell verify report.md`,
		Args:              exactly("topic"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, args []string) error { return e.runResearch(cmd, args[0], &f) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", brief.DefaultResearchDepth,
		fmt.Sprintf("without a model: 1 the topic and the things it compares, 2 its parts too, %d more results of "+
			"each query", brief.MaxResearchDepth))
	flags.IntVar(&f.maxSources, "max-sources", brief.DefaultMaxSources,
		fmt.Sprintf("without a model: sources of different domains, 1 to %d", brief.MaxMaxSources))
	flags.BoolVar(&f.noModel, "no-model", false, "use no model, even if one is configured")
	flags.StringVar(&f.agent, "agent", "", "the agent's `NAME`; default: the first configured one")
	flags.StringArrayVar(&f.budget, "budget", nil,
		"a limit for this run as `KEY=VALUE` (repeatable), instead of the configured one: "+budgetForms())
	flags.BoolVarP(&f.talk, "interactive", "i", false,
		"a conversation: answer the agent's questions on the terminal, or with lines of standard input")
	flags.StringVar(&f.wishes.Language, "language", "",
		"`LANGUAGE` of the report, such as de or German; overrides the configured one and the topic's wish")
	flags.StringVar(&f.outline, "outline", "",
		"headings of the report: a `FILE`, or the headings themselves, one on each line")
	flags.BoolVar(&f.wishes.ApprovePlan, "approve-plan", false,
		"search nothing before you have answered the question about the plan (-i, or citewell runs answer)")
	f.from.providerFlag(cmd)
	f.from.sourcesFlag(cmd, "topic")
	freshFlag(cmd, &f.from.fresh)
	f.from.docsFlags(cmd, "research the documents below `DIR` alone, indexing what is new")
	e.referencesFlag(cmd)
	for _, name := range withModel {
		cmd.MarkFlagsMutuallyExclusive("no-model", name)
	}
	e.recordFlag(cmd)
	return cmd
}

// runResearch researches a topic by an agent, or without a model.
func (e *env) runResearch(cmd *cobra.Command, topic string, f *researchFlags) error {
	if err := cmp.Or(f.check(topic), e.checkReferences()); err != nil {
		return err
	}
	if err := f.wish(); err != nil {
		return err
	}
	budget, err := budgetSettings(f.budget)
	if err != nil {
		return err
	}
	e.sets = append(e.sets, budget...)
	a, err := e.open(cmd.Context())
	if err != nil {
		return err
	}
	defer a.Close()
	f.from.again = e.again(a)
	if f.noModel || a.HasModel() != nil && f.agent != app.BriefAgent {
		if name := firstGiven(cmd, withModel); name != "" {
			return &citewell.Error{Code: citewell.CodeModelNotConfigured,
				Message: "--" + name + " is for research by an agent, which needs a chat model",
				Hint:    "set llm.base_url and llm.model"}
		}
		return e.research(cmd.Context(), a, topic, *f)
	}
	if name := firstGiven(cmd, withoutModel); name != "" {
		return usage("--"+name+" is for research without a model, and one is configured",
			"add --no-model, or bound the agent with --budget")
	}
	return e.researchByAgent(cmd.Context(), a, topic, *f)
}

// firstGiven names the first of some flags that was given.
func firstGiven(cmd *cobra.Command, names []string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// check refuses what cannot be researched, before anything is opened.
func (f *researchFlags) check(topic string) error {
	switch {
	case strings.TrimSpace(topic) == "":
		return usage("topic is empty", "say what to research")
	case f.depth < 1 || f.depth > brief.MaxResearchDepth:
		return usage(fmt.Sprintf("--depth is %d; it must be 1 to %d", f.depth, brief.MaxResearchDepth), "")
	case f.maxSources < 1 || f.maxSources > brief.MaxMaxSources:
		return usage(fmt.Sprintf("--max-sources is %d; it must be 1 to %d", f.maxSources, brief.MaxMaxSources), "")
	}
	f.from.depth = brief.DefaultDepth // which research has not
	return f.from.check(topic)
}

// wish reads the outline from where it is, and checks what is wished for.
func (f *researchFlags) wish() error {
	f.wishes.Outline = f.outline
	if info, err := os.Stat(f.outline); err == nil && info.Mode().IsRegular() {
		file, err := os.Open(f.outline)
		if err != nil {
			return err
		}
		defer file.Close()
		data, err := io.ReadAll(io.LimitReader(file, utf8.UTFMax*agent.MaxOutline+1)) // more than may be: Check says so
		if err != nil {
			return err
		}
		f.wishes.Outline = string(data)
	} else if f.outline != "" && !strings.Contains(f.outline, "\n") &&
		strings.HasSuffix(strings.ToLower(f.outline), ".md") {
		return usage("the outline "+f.outline+" is no file", "give a file, or the headings themselves")
	}
	if err := f.wishes.Check(); err != nil {
		return usage(citewell.View(err).Message, citewell.View(err).Hint)
	}
	return nil
}

// research researches one topic without a model and prints the report.
func (e *env) research(ctx context.Context, a *app.App, topic string, f researchFlags) error {
	if f.from.docs != "" {
		if err := e.indexDocs(ctx, a, f.from.docs); err != nil {
			return err
		}
	}
	writer, err := a.Brief(ctx, agentplan.Sources{Providers: f.from.providers, Docs: f.from.docs,
		Documents: f.from.documents()})
	if err != nil {
		return err
	}
	scope, err := f.from.scope(writer)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stderr, "researching without a model: findings are quoted from the sources")
	p := &briefProgress{progress: e.newProgress("researching"), current: map[string]bool{}}
	b, err := writer.Research(ctx, brief.ResearchRequest{Topic: topic, Sources: scope, Depth: f.depth,
		MaxSources: f.maxSources, Progress: p.tell})
	p.end()
	if err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
		return err
	}
	return e.showBrief(ctx, a, b, err, report.Options{Compact: true}, f.from.again)
}

// researchByAgent begins a run of an agent and executes it.
func (e *env) researchByAgent(ctx context.Context, a *app.App, topic string, f researchFlags) error {
	sources := agentplan.Sources{Providers: f.from.providers}
	if f.from.docs != "" {
		if err := e.indexDocs(ctx, a, f.from.docs); err != nil {
			return err
		}
		var err error
		if sources.Docs, err = filepath.Abs(f.from.docs); err != nil { // whoever goes on with it stands elsewhere
			return err
		}
	}
	runs, err := a.NewRuns(ctx, app.RunsOptions{Sources: sources})
	if err != nil {
		return err
	}
	choices := job.Choices{Documents: f.from.documents()}
	if !slices.Equal(f.from.sources, []string{search.Auto}) {
		choices.Sources = f.from.sources
	}
	return e.begin(ctx, a, runs, job.Start{Agent: f.agent, Task: topic, Wishes: f.wishes, Choices: choices,
		Fresh: f.from.fresh}, f.talk)
}

// begin begins a run and executes it.
func (e *env) begin(ctx context.Context, a *app.App, runs *app.Runs, s job.Start, talk bool) error {
	run, err := runs.Start(ctx, s)
	if err != nil {
		return err
	}
	budget, err := job.Granted(run)
	if err != nil {
		return err
	}
	if model, known := priced(a, runs, run.Agent); budget.USD > 0 && !known {
		fmt.Fprintf(e.stderr, "warning: nobody knows what %s costs, so %v USD is no wall; set llm.price\n",
			clean(model), budget.USD)
	}
	again := e.again(a)
	fmt.Fprintf(e.stderr, "run %s (%s); goes on with: %s runs resume %s\n", run.ID, walls(budget), again, run.ID)
	return e.pursue(ctx, runs, run.ID, again, nil, talk)
}

// priced gives the model of an agent, and whether its price is known.
func priced(a *app.App, runs *app.Runs, name string) (model string, known bool) {
	for _, d := range runs.Agents() {
		if d.Name == name {
			model = d.Model
		}
	}
	_, known = a.Config.LLM.Price[model]
	_, own := a.Config.Agents[name].LLM.Price[model]
	return model, known || own
}
