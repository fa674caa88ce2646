package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/spf13/cobra"
)

func newStoreUsage(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "usage",
		Short: "Measure what fills the disk",
		Long: "Measures the files of pages and texts, the pages of the database, and the cache. It reads the\n" +
			"whole database once. The bytes of files are their lengths; a file system rounds each up to a\n" +
			"block.",
		Args: cobra.NoArgs,
		RunE: e.withStore("measuring the store", func(cmd *cobra.Command, a *app.App,
			_ []string) (func() error, error) {
			usage, err := a.StoreUsage(cmd.Context())
			return func() error { return e.show(usage, func() error { return e.printUsage(usage) }) }, err
		}),
	}
}

// printUsage shows the parts that there are, in a table, and then what they are of.
func (e *env) printUsage(u upkeep.Usage) error {
	w := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(in, part string, bytes int64, note string) {
		fmt.Fprintf(w, "%s\t%s\t%d bytes\t%s\t\n", in, part, bytes, note)
	}
	for _, p := range u.Parts {
		note := ""
		if p.Count > 0 {
			note = strconv.Itoa(p.Count)
		}
		if p.Bytes > 0 || p.Count > 0 {
			row(p.In, p.Part, p.Bytes, note)
		}
	}
	row("", "all", u.Bytes, "")
	if u.FreeBytes > 0 {
		row("", "free on the disk", u.FreeBytes, "")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	line := fmt.Sprintf("%s, %s, %s", count(u.Snapshots.Count, "snapshot"), count(u.Briefs, "brief"),
		count(u.Runs, "run"))
	if u.Snapshots.Count > 0 {
		line += fmt.Sprintf("; snapshots were last read from %s to %s", u.Snapshots.Oldest.Format(time.DateOnly),
			u.Snapshots.Newest.Format(time.DateOnly))
	}
	fmt.Fprintln(e.stdout, line)
	for _, list := range []struct {
		what, items string
		of          []upkeep.UsageIndex
	}{{"index", "document", u.Indexes}, {"collection", "vector", u.Collections}} {
		for _, index := range list.of {
			fmt.Fprintf(e.stdout, "%s %s: %s, %d bytes\n", list.what, clean(index.Name), count(index.Items, list.items),
				index.Bytes)
		}
	}
	return nil
}

func newStorePrune(e *env) *cobra.Command {
	var age string
	var q upkeep.PruneQuery
	cmd := &cobra.Command{
		Use:   "prune --older-than AGE",
		Short: "Remove old pages and texts that nothing refers to",
		Long: "Removes pages and texts that were last fetched or read longer ago than AGE and that no brief,\n" +
			"run or indexed document refers to, and expired cache entries. --runs and --briefs first remove\n" +
			"ended runs and briefs of that age. Then the database shrinks. Citations of remaining briefs and\n" +
			"runs verify as before.\n\n" +
			"Others may use the store meanwhile. The files are deleted an hour later, when the store is next\n" +
			"opened: a backup in progress may still copy them. Shrinking needs no room on the disk beyond the\n" +
			"write-ahead log's, at most 64 MiB.",
		Example: "  citewell store prune --older-than 30d --dry-run\n  citewell store prune --older-than 90d " +
			"--runs --briefs",
		Args: cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) (err error) {
			q.OlderThan, err = parseAge(age)
			return err
		},
		RunE: e.withStore("letting go of what nothing names", func(cmd *cobra.Command, a *app.App,
			_ []string) (func() error, error) {
			pruned, err := a.PruneStore(cmd.Context(), q)
			return func() error { return e.show(pruned, func() error { return e.printPruned(pruned) }) }, err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&age, "older-than", "", "remove only what is older than this `AGE`, such as 30d or 720h")
	flags.BoolVar(&q.DryRun, "dry-run", false, "only show what would be removed")
	flags.BoolVar(&q.Runs, "runs", false, "also remove runs that ended longer ago, with their reports")
	flags.BoolVar(&q.Briefs, "briefs", false, "also remove older briefs of searches")
	return cmd
}

// parseAge reads an age such as 30d or 720h.
func parseAge(s string) (time.Duration, error) {
	const hint = "as in --older-than 30d; with --dry-run it only says what would go"
	if s == "" {
		return 0, usage("--older-than is missing: nothing is removed without an age", hint)
	}
	age, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		age = time.Duration(n) * 24 * time.Hour
		if n > 36500 {
			err = strconv.ErrRange
		}
	}
	if err != nil {
		return 0, usage(fmt.Sprintf("--older-than is %.60q; it must be a number of days or a time, such as 30d or 720h",
			s), hint)
	}
	if err := (upkeep.PruneQuery{OlderThan: age}).Check("store.prune"); err != nil {
		return 0, err
	}
	return age, nil
}

func (e *env) printPruned(p app.StorePruned) error {
	verb := "let go of"
	if p.DryRun {
		verb = "would let go of"
	}
	_, err := fmt.Fprintf(e.stdout, "%s %s, %s, %s; %s of %d bytes; %d expired in the cache\n", verb,
		count(p.Runs, "run"), count(p.Briefs, "brief"), count(p.Snapshots, "snapshot"), count(p.Contents, "file"),
		p.ContentBytes, p.CacheEntries)
	if err == nil && p.Kept > 0 {
		_, err = fmt.Fprintf(e.stdout, "kept %s of that age, which something names\n", count(p.Kept, "snapshot"))
	}
	if err == nil && !p.DryRun {
		_, err = fmt.Fprintf(e.stdout, "the database shrank by %d bytes; the files go when the store is next opened "+
			"an hour from now\n", p.DatabaseBytes)
	}
	return err
}
