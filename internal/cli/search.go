package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/region"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/spf13/cobra"
)

// searchFlags are what a question may be asked with.
type searchFlags struct {
	depth     int
	compact   bool
	region    string
	timeRange string
	providers []string
	sources   []string
	since     string
	until     string
	docs      string
	noDocs    bool
	fresh     bool
	again     string // the command line that reaches the same store once more
}

func newSearch(e *env) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Search, read, and answer with citations that can be checked",
		Long: "Asks all configured providers and your indexed documents at once, reads the best pages and\n" +
			"writes a brief: findings with citations, disagreements, gaps, sources, and the outcome of each\n" +
			"provider and page.\n" +
			"Exit code 3 if no provider answered, or if nothing that was read answers the question; the brief\n" +
			"then says so first.",
		Example: `  citewell search "how does the Skarrow light work"` + "\n" +
			`  citewell search --docs ~/notes "what did we decide about backups"` + "\n" +
			`  citewell search --provider duckduckgo --time-range month "go release" --json`,
		Args:              exactly("query"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.depth == 0 && cmd.Flags().Changed("depth") {
				return wrongDepth(f.depth)
			}
			if err := f.check(args[0]); err != nil {
				return err
			}
			f.short(cmd, e)
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			f.again = e.againOver(a, "store.")
			return e.search(cmd.Context(), a, args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&f.depth, "depth", 0, fmt.Sprintf("`SOURCES` to read, 1 to %d; %d if not given, %d if only your own "+
		"documents are asked", brief.MaxDepth, brief.DefaultDepth, brief.DefaultOwnDepth))
	flags.BoolVar(&f.compact, "compact", false, "omit the extracts and the additional sources; default on a terminal")
	flags.StringVar(&f.region, "region", citewell.WholeWorld, "region as `COUNTRY-LANGUAGE`, such as de-de")
	flags.StringVar(&f.timeRange, "time-range", "", "only pages of the last day, week, month or year")
	f.providerFlag(cmd)
	f.sourcesFlag(cmd, "question")
	flags.StringVar(&f.since, "since", "", "only pages published on this `DAY` (YYYY-MM-DD) or later, if "+
		"they are dated")
	flags.StringVar(&f.until, "until", "", "only pages published on this `DAY` (YYYY-MM-DD) or earlier, if "+
		"they are dated")
	f.docsFlags(cmd, "answer from the documents below `DIR` alone, indexing what is new")
	freshFlag(cmd, &f.fresh)
	complete(cmd, "time-range", namesOf(citewell.TimeRanges)...)
	e.recordFlag(cmd)
	return cmd
}

// freshFlag has a command ask providers and read pages again.
func freshFlag(cmd *cobra.Command, fresh *bool) {
	cmd.Flags().BoolVar(fresh, "fresh", false,
		"use no cache: ask providers and read pages again")
}

// docsFlags say which of the user's own documents take part, beside --provider and --sources.
func (f *searchFlags) docsFlags(cmd *cobra.Command, alone string) {
	cmd.Flags().StringVar(&f.docs, "docs", "", alone)
	f.noDocsFlag(cmd)
	for _, name := range []string{"provider", "sources", "no-docs"} {
		cmd.MarkFlagsMutuallyExclusive("docs", name)
	}
}

// noDocsFlag leaves the user's own documents out.
func (f *searchFlags) noDocsFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.noDocs, "no-docs", false,
		"do not ask your indexed documents, which otherwise take part")
}

// documents is whether the user's own documents take part; nil leaves that to the configuration.
func (f *searchFlags) documents() *bool {
	if !f.noDocs {
		return nil
	}
	return new(bool)
}

// sourcesFlag says where to look for what a command is asked.
func (f *searchFlags) sourcesFlag(cmd *cobra.Command, what string) {
	lenses := slices.Sorted(maps.Keys(search.Lenses))
	cmd.Flags().StringSliceVar(&f.sources, "sources", []string{search.Auto},
		"look in these kinds of sources, separated by commas: "+strings.Join(search.KindNames(), ", ")+
			"; or auto: those that the "+what+" calls for; or one lens: "+strings.Join(lenses, ", "))
	complete(cmd, "sources", slices.Concat(search.KindNames(), []string{search.Auto}, lenses)...)
}

// providerFlag names whom to ask, and nobody else.
func (f *searchFlags) providerFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.providers, "provider", nil, "ask this provider only (`NAME`, repeatable): "+
		strings.Join(provider.Names(), ", "))
	complete(cmd, "provider", provider.Names()...)
}

// short makes a brief that a person reads on a terminal compact, unless the flag says otherwise.
func (f *searchFlags) short(cmd *cobra.Command, e *env) {
	if !cmd.Flags().Changed("compact") {
		f.compact = f.compact || isTerminal(e.stdout.w)
	}
}

// namesOf are the values of a list as they are written.
func namesOf[S ~string](list []S) []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	return names
}

func wrongDepth(depth int) error {
	return usage(fmt.Sprintf("--depth is %d; it must be 1 to %d", depth, brief.MaxDepth), "")
}

// check refuses what cannot be asked, before anything is opened.
func (f *searchFlags) check(query string) error {
	var err error
	f.region, err = region.Parse(f.region)
	switch {
	case strings.TrimSpace(query) == "":
		return usage("query is empty", "say what to look for")
	case f.depth < 0 || f.depth > brief.MaxDepth:
		return wrongDepth(f.depth)
	case err != nil:
		view := citewell.View(err)
		return usage("--"+view.Message, view.Hint)
	case !citewell.TimeRange(f.timeRange).Valid():
		return usage(fmt.Sprintf("--time-range is %q; it must be one of %s", f.timeRange,
			strings.Join(namesOf(citewell.TimeRanges), ", ")), "")
	case f.noDocs && (slices.Contains(f.providers, searchcall.LocalProvider) ||
		slices.Contains(f.sources, string(search.KindLocal))):
		return usage("--no-docs leaves your documents out, and local asks for them",
			"leave out one of the two")
	case slices.Contains(f.providers, ""):
		return usage("--provider is empty", "there are "+strings.Join(provider.Names(), ", "))
	}
	for name, day := range map[string]string{"--since": f.since, "--until": f.until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return usage(fmt.Sprintf("%s is %q; it must be a day, as in 2024-01-31", name, day), "")
		}
	}
	if f.docs == "" {
		return nil
	}
	if info, err := os.Stat(f.docs); err == nil && !info.IsDir() {
		return usage("--docs "+f.docs+" is no folder", "index single files with citewell index, then search "+
			"--provider local")
	}
	return nil
}

// scope reads where to look.
func (f *searchFlags) scope(writer *brief.Writer) (search.Scope, error) {
	scope, err := writer.Scope(f.sources)
	if err != nil {
		view := citewell.View(err)
		err = usage("--sources: "+view.Message, view.Hint)
	}
	return scope, err
}

// search answers one question and prints the brief.
func (e *env) search(ctx context.Context, a *app.App, query string, f searchFlags) error {
	if f.docs != "" {
		if err := e.indexDocs(ctx, a, f.docs); err != nil {
			return err
		}
	}
	writer, err := a.Brief(ctx, agentplan.Sources{Providers: f.providers, Docs: f.docs, Documents: f.documents()})
	if err != nil {
		return err
	}
	scope, err := f.scope(writer)
	if err != nil {
		return err
	}
	p := &briefProgress{progress: e.newProgress("searching"), current: map[string]bool{}}
	b, err := writer.Write(ctx, brief.Request{
		Query: citewell.Query{Text: query, Region: f.region, TimeRange: citewell.TimeRange(f.timeRange),
			Since: f.since, Until: f.until},
		Sources: scope, Depth: f.depth, Fresh: f.fresh, Progress: p.tell,
	})
	p.end()
	if err != nil && citewell.CodeOf(err) != citewell.CodeAllProvidersFailed {
		return err
	}
	return e.showBrief(ctx, a, b, err, report.Options{Compact: f.compact}, f.again)
}

// showBrief prints a brief, or one that has nothing but its coverage and why.
func (e *env) showBrief(ctx context.Context, a *app.App, b citewell.Brief, failed error, o report.Options,
	again string) error {
	if e.style != "" {
		var err error
		if b, err = report.BriefWithReferences(ctx, b, a.Store, e.style); err != nil {
			return err
		}
	}
	if failed == nil && b.Outcome == citewell.BriefUnanswered {
		failed = alreadyShown{&citewell.Error{Code: citewell.CodeRunIncomplete,
			Message: "nothing that was read answers the question"}}
	}
	if e.json {
		return e.writeBrief(b, failed)
	}
	// On a terminal nobody wants to read what verify needs, and the store has it.
	reading := isTerminal(e.stdout.w) && !e.record
	o.Verification, o.Record, o.Terse = !reading, e.record, reading
	text := report.Markdown(b, o)
	if o.Record {
		text = e.recorded(text)
	}
	if err := e.writeMarkdown(text); err != nil {
		return err
	}
	if reading && len(b.Findings)+len(b.Nearest) > 0 {
		fmt.Fprintf(e.stderr, "Check every citation: %s verify %s\n", again, b.ID)
	}
	return failed
}

// writeBrief prints a brief as JSON; one that has nothing but its coverage comes with the error that says why.
func (e *env) writeBrief(b citewell.Brief, failed error) error {
	if _, shown := errors.AsType[alreadyShown](failed); failed == nil || shown { // the outcome says it
		return cmp.Or(e.writeJSON(b), failed)
	}
	if err := e.writeJSON(struct {
		citewell.Brief
		Error citewell.ErrorView `json:"error"`
	}{b, citewell.View(failed)}); err != nil {
		return err
	}
	return alreadyShown{failed}
}

// again is the command line that reaches the store of a once more, with the settings of this one.
func (e *env) again(a *app.App) string { return e.againOver(a, "") }

// againOver is again with those settings alone whose key has the prefix: verify, for one,
// wants the store and nothing else.
func (e *env) againOver(a *app.App, prefix string) string {
	line := "citewell"
	if e.configFile != "" {
		line += " --config " + shellQuote(e.configFile)
	}
	for _, set := range e.sets {
		key, value, _ := strings.Cut(set, "=")
		switch {
		case !strings.HasPrefix(key, prefix), strings.HasPrefix(key, "budget."): // a run has its own
			continue
		case key == "store.url":
			set = key + "=" + a.StorePlace()
		case httpwire.NamesSecret(key) && !plainNumber.MatchString(value):
			set = key + "=..." // which is for nobody's screen
		}
		line += " --set " + shellQuote(e.secrets.String(set))
	}
	return line
}

var plainNumber = lazyregexp.New(`^[0-9]+$`) // of tokens, say

var shellSafe = lazyregexp.New(`^[A-Za-z0-9_./:=@%+,-]+$`)

// shellQuote writes an argument as it is typed.
func shellQuote(s string) string {
	switch {
	case shellSafe.MatchString(s):
		return s
	case runtime.GOOS == "windows":
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
