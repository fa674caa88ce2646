package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/report"
	"github.com/spf13/cobra"
)

// searchFlags are what a question may be asked with.
type searchFlags struct {
	depth     int
	compact   bool
	region    string
	timeRange string
	providers []string
	docs      string
	fresh     bool
}

func newSearch(e *env) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   `citewell search "QUERY"`,
		Short: "Search, read, and answer with citations that can be checked",
		Long: "Asks every configured provider at once, reads the best pages and writes a brief:\n" +
			"findings with citations, disagreements, gaps, sources, and what happened on the way.",
		Example: `  citewell search "how does the Skarrow light work"` + "\n" +
			`  citewell search --docs ~/notes "what did we decide about backups"` + "\n" +
			`  citewell search --provider duckduckgo --time-range month "go release" --json`,
		Args: exactly("query"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			return e.search(cmd.Context(), a, args[0], f)
		},
	}
	cmd.Use = "search QUERY"
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", brief.DefaultDepth, fmt.Sprintf("sources to read, 1 to %d", brief.MaxDepth))
	flags.BoolVar(&f.compact, "compact", false, "leave out the extracts and the additional sources")
	flags.StringVar(&f.region, "region", citewell.WholeWorld, "region as `COUNTRY-LANGUAGE`, as in de-de")
	flags.StringVar(&f.timeRange, "time-range", "", "only pages of the last day, week, month or year")
	flags.StringArrayVar(&f.providers, "provider", nil, "ask this provider only (`NAME`, repeatable)")
	flags.StringVar(&f.docs, "docs", "", "answer from the documents below `DIR` alone, indexing what is new")
	flags.BoolVar(&f.fresh, "fresh", false, "do not answer from the cache")
	e.jsonFlag(cmd)
	return cmd
}

// search answers one question and prints the brief.
func (e *env) search(ctx context.Context, a *app.App, query string, f searchFlags) error {
	if f.depth == 0 {
		return usage(fmt.Sprintf("depth is 0; it must be 1 to %d", brief.MaxDepth), "")
	}
	if strings.TrimSpace(query) == "" {
		return usage("query is empty", "say what to look for")
	}
	if f.docs != "" {
		if len(f.providers) > 0 {
			return usage("--docs and --provider exclude each other", "--docs searches the documents of a folder alone")
		}
		if err := e.index(ctx, a, []string{f.docs}, true); err != nil {
			return err
		}
	}
	writer, err := a.Brief(ctx, app.Sources{Providers: f.providers, Docs: f.docs})
	if err != nil {
		return err
	}
	p := e.newProgress()
	b, err := writer.Write(ctx, brief.Request{
		Query: citewell.Query{Text: query, Region: f.region, TimeRange: citewell.TimeRange(f.timeRange)},
		Depth: f.depth, Fresh: f.fresh, Progress: p.tell,
	})
	p.end()
	if b.Schema == "" || err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
		return err
	}
	if e.json {
		if err != nil {
			return e.partial(b, err)
		}
		return e.writeJSON(b)
	}
	if werr := e.writeMarkdown(report.Markdown(b, report.Options{Compact: f.compact, Verification: true})); werr != nil {
		return werr
	}
	return err
}

// partial prints a brief that has nothing but its coverage, with the error that
// says why beside it.
func (e *env) partial(b citewell.Brief, err error) error {
	type failed struct {
		citewell.Brief
		Error citewell.ErrorView `json:"error"`
	}
	if werr := e.writeJSON(failed{b, citewell.View(err)}); werr != nil {
		return werr
	}
	e.json = false
	return alreadyShown{err}
}
