package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/search/provider"
	"github.com/spf13/cobra"
)

// researchFlags are what a topic may be researched with.
type researchFlags struct {
	depth      int
	maxSources int
	noModel    bool
	from       searchFlags // whom to ask
}

func newResearch(e *env) *cobra.Command {
	var f researchFlags
	cmd := &cobra.Command{
		Use:   "research TOPIC",
		Short: "Research a topic from several queries, with cited quotes and a confidence",
		Long: "Takes a topic apart into several queries, asks every configured provider at once,\n" +
			"reads the best page of each domain and quotes it: findings with citations, how far\n" +
			"they carry, the sources and their quality. It works without a model.\n" +
			"Exit code 3 where no provider answered; the report then says why.",
		Example: `  citewell research "tidal power vs wind power"` + "\n" +
			`  citewell research --depth 3 --max-sources 10 "larch format" > report.md && citewell verify report.md`,
		Args:              exactly("topic"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args[0]); err != nil {
				return err
			}
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			f.from.again = e.again(a)
			return e.research(cmd.Context(), a, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", brief.DefaultResearchDepth, fmt.Sprintf("how far the topic is taken apart, 1 to %d", brief.MaxResearchDepth))
	flags.IntVar(&f.maxSources, "max-sources", brief.DefaultMaxSources, fmt.Sprintf("sources of different domains, 1 to %d", brief.MaxMaxSources))
	flags.BoolVar(&f.noModel, "no-model", false, "use no model, also where one is configured")
	flags.StringArrayVar(&f.from.providers, "provider", nil, "ask this provider only (`NAME`, repeatable): "+strings.Join(provider.Names(), ", "))
	flags.StringVar(&f.from.docs, "docs", "", "research the documents below `DIR` alone, indexing what is new")
	complete(cmd, "provider", provider.Names()...)
	cmd.MarkFlagsMutuallyExclusive("docs", "provider")
	e.jsonFlag(cmd)
	return cmd
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

// research researches one topic and prints the report.
func (e *env) research(ctx context.Context, a *app.App, topic string, f researchFlags) error {
	if f.from.docs != "" {
		if err := e.indexDocs(ctx, a, f.from.docs); err != nil {
			return err
		}
	}
	writer, err := a.Brief(ctx, app.Sources{Providers: f.from.providers, Docs: f.from.docs})
	if err != nil {
		return err
	}
	switch {
	case f.noModel || len(a.Models) == 0:
		fmt.Fprintln(e.stderr, "researching without a model: findings are quoted from the sources")
	default:
		fmt.Fprintln(e.stderr, "researching without a model: the agent that would use", clean(a.Models[0].Name()), "is not in this version; findings are quoted from the sources")
	}
	p := &briefProgress{progress: e.newProgress("researching"), current: map[string]bool{}}
	b, err := writer.Research(ctx, brief.ResearchRequest{Topic: topic, Depth: f.depth, MaxSources: f.maxSources, Progress: p.tell})
	p.end()
	if err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
		return err
	}
	return e.showBrief(b, err, report.Options{}, f.from.again)
}
