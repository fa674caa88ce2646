package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/watch"
	"github.com/citewell/citewell/search"
	"github.com/spf13/cobra"
)

// newsShown is how many rounds citewell watch show tells of.
const newsShown = 1

func newWatch(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Ask a question on a schedule, and show what is new",
		Long: "A watch asks its question every day, say, each time as a run of an agent within its budget, and\n" +
			"shows what is new since the last time: findings, changed figures, sources, retractions. citewell\n" +
			"serve and citewell worker begin and execute its rounds, whichever comes first; citewell watch\n" +
			"run does so here. Rounds that nobody was there for are not repeated.",
		Args: noSuchCommand,
		RunE: showHelp,
	}
	e.hiddenJSON(cmd)
	cmd.AddCommand(newWatchAdd(e), newWatchList(e), newWatchRun(e), newWatchShow(e), newWatchRemove(e))
	return cmd
}

func newWatchAdd(e *env) *cobra.Command {
	var asked watch.Asked
	var every string
	var from searchFlags
	cmd := &cobra.Command{
		Use:   "add QUESTION",
		Short: "Watch a question; its first round begins at once",
		Example: "  citewell watch add \"what is known of tidal power in estuaries\" --every 1d --sources " +
			"scholarly\n  " +
			"citewell watch add \"go releases\" --every 12h --provider feeds",
		Args: exactly("question"),
		RunE: e.withRuns(func(ctx context.Context, a *app.App, runs *app.Runs, args []string) error {
			asked.Question = args[0]
			if !slices.Equal(from.sources, []string{search.Auto}) {
				asked.Choices.Sources = from.sources
			}
			asked.Choices.Providers, asked.Choices.Documents = from.providers, from.documents()
			interval, err := watch.ParseEvery(every)
			if err != nil {
				view := citewell.View(err)
				return usage("--"+view.Message, view.Hint)
			}
			w, err := runs.Watches.Add(ctx, "", asked, interval)
			if err != nil {
				return err
			}
			again := e.again(a)
			return e.show(w, func() error {
				_, err := fmt.Fprintf(e.stdout, "watch %s: every %s, agent %s\n%s watch run %s executes its first "+
					"round here; %s serve or worker does without you\n",
					w.ID, every, w.Agent, again, w.ID, again)
				return err
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&every, "every", watch.DefaultEvery, "`TIME` from one round to the next: 90m, 12h, 1d, 2w; "+
		"at least "+watch.InWords(runstore.MinWatchEvery))
	flags.StringVar(&asked.Agent, "agent", "", "the agent's `NAME`; default: the first configured one")
	from.sourcesFlag(cmd, "question")
	from.providerFlag(cmd)
	from.noDocsFlag(cmd)
	e.jsonFlag(cmd)
	return cmd
}

func newWatchList(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List watches, and when each is due", Args: cobra.NoArgs,
		RunE: e.withRuns(func(ctx context.Context, _ *app.App, runs *app.Runs, _ []string) error {
			all, err := runs.Watches.List(ctx)
			if err != nil {
				return err
			}
			if e.json {
				return e.writeJSON(map[string]any{"watches": all})
			}
			if len(all) == 0 {
				fmt.Fprintln(e.stderr, "nothing is watched: citewell watch add QUESTION")
			}
			table := tabwriter.NewWriter(e.stdout, 0, 4, 2, ' ', 0)
			for _, w := range all {
				fmt.Fprintf(table, "%s\t%s\tnext %s\t%s\n", w.ID, count(int(w.Rounds), "round"),
					w.NextAt.Local().Format("2006-01-02 15:04"), clean(firstLine(w.Question)))
			}
			return table.Flush()
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

func newWatchRun(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run ID",
		Short: "Ask now, here, and show what is new",
		Long: "Begins a round now, or takes the one in progress, executes it in this process, and shows what is\n" +
			"new. Exit code 3 if the round found nothing.",
		Example: "  citewell watch run 3f9a01bc",
		Args:    exactly("id"),
		RunE: e.withRuns(func(ctx context.Context, _ *app.App, runs *app.Runs, args []string) error {
			w, err := findWatch(ctx, runs, args[0])
			if err != nil {
				return err
			}
			id, err := runs.Watches.Begin(ctx, w.ID)
			if err != nil {
				return err
			}
			p := &pursuit{env: e, runs: runs, id: id}
			if _, err := p.execute(ctx); err != nil {
				return err
			}
			if w, err = runs.Watches.Watch(ctx, w.ID); err != nil {
				return err
			}
			return e.showNews(ctx, runs, w)
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

func newWatchShow(e *env) *cobra.Command {
	var feed bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what the last round found that earlier ones had not",
		Long: "Shows what the last round found that earlier ones had not: as Markdown if the output is a file\n" +
			"or another program, like briefs and reports. --json has the words without its escapes.",
		Example: "  citewell watch show 3f9a01bc\n  citewell watch show 3f9a01bc --feed > news.xml",
		Args:    exactly("id"),
		RunE: e.withRuns(func(ctx context.Context, _ *app.App, runs *app.Runs, args []string) error {
			w, err := findWatch(ctx, runs, args[0])
			if err != nil {
				return err
			}
			if !feed {
				return e.showNews(ctx, runs, w)
			}
			news, err := runs.Watches.News(ctx, w, watch.FeedRounds)
			if err != nil {
				return err
			}
			atom, err := watch.Feed(w, news, watch.Links{})
			if err != nil {
				return err
			}
			_, err = e.stdout.Write(atom)
			return err
		}),
	}
	cmd.Flags().BoolVar(&feed, "feed", false,
		fmt.Sprintf("print an Atom feed of the last %d finished rounds", watch.FeedRounds))
	e.jsonFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("feed", "json")
	return cmd
}

// showNews prints what the last round of a watch found.
func (e *env) showNews(ctx context.Context, runs *app.Runs, w watch.Watch) error {
	all, err := runs.Watches.News(ctx, w, newsShown)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "watch",
			Message: "no run of this watch is kept any more", Hint: "citewell watch run " + w.ID + " asks now"}
	}
	news := all[0]
	if err := e.show(news, func() error { return e.writeMarkdown(news.Markdown()) }); err != nil {
		return err
	}
	if news.Ended() && !news.Answered() {
		return alreadyShown{&citewell.Error{Code: citewell.CodeRunIncomplete, Message: news.Title()}}
	}
	return nil
}

func newWatchRemove(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove ID", Short: "Remove a watch; its runs and their reports stay", Args: exactly("id"),
		RunE: e.withRuns(func(ctx context.Context, _ *app.App, runs *app.Runs, args []string) error {
			w, err := findWatch(ctx, runs, args[0])
			if err != nil {
				return err
			}
			if err := runs.Watches.Remove(ctx, w.ID); err != nil {
				return err
			}
			return e.say(map[string]string{"removed": w.ID}, "removed watch %s", w.ID)
		}),
	}
	e.jsonFlag(cmd)
	return cmd
}

// findWatch finds a watch by its id or the beginning of it.
func findWatch(ctx context.Context, runs *app.Runs, name string) (watch.Watch, error) {
	all, err := runs.Watches.List(ctx)
	if err != nil {
		return watch.Watch{}, err
	}
	meant := slices.DeleteFunc(all, func(w watch.Watch) bool { return name == "" || !strings.HasPrefix(w.ID, name) })
	switch len(meant) {
	case 1:
		return meant[0], nil
	case 0:
		return watch.Watch{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "watch",
			Message: fmt.Sprintf("there is no watch %.40q", name), Hint: "citewell watch list has them all"}
	}
	return watch.Watch{}, usage(fmt.Sprintf("%q is the beginning of %d watches", name, len(meant)),
		"give more of the id")
}
