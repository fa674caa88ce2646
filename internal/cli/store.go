package cli

import (
	"fmt"
	"path/filepath"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/spf13/cobra"
)

func newStore(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Measure, back up, copy, check and prune the store",
		Args:  noSuchCommand,
		RunE:  showHelp,
	}
	backup := &cobra.Command{
		Use:   "backup DIR",
		Short: "Copy the whole store, as it is at one moment, into a new folder",
		Long: "Copies the whole store, snapshots included, into a new folder. Others may use the store\n" +
			"meanwhile. The folder gets its name only once it is complete; an existing one is never touched.\n" +
			"To use it: citewell --set store.url=sqlite:DIR ...\n\n" +
			"A damaged snapshot is named and left out, with exit code 1.",
		Args: exactly("folder"),
		RunE: e.withStore("copying the store", func(cmd *cobra.Command, a *app.App,
			args []string) (func() error, error) {
			report, err := a.DB.Backup(cmd.Context(), args[0])
			return func() error {
				return e.writeReport(report, report.Problems, 0, fmt.Sprintf("%s: %s, %d bytes",
					filepath.ToSlash(report.Path), count(report.Contents, "content"), report.Bytes))
			}, err
		}),
	}
	check := &cobra.Command{
		Use:   "check",
		Short: "Read the whole store and list everything that is damaged",
		Long: "Reads the whole store and compares it with its checksums and hashes: the pages of the database,\n" +
			"every record, the text index with its documents, the files of the snapshots. A search reads only\n" +
			"what it needs and would not notice damage. Exit code 1 if anything is damaged.",
		Args: cobra.NoArgs,
		RunE: e.withStore("reading the store", func(cmd *cobra.Command, a *app.App, _ []string) (func() error, error) {
			report, err := a.DB.Check(cmd.Context())
			return func() error {
				return e.writeReport(report, report.Problems, report.More, fmt.Sprintf("read %s, %s, %s, %s",
					count(report.Pages, "page"), count(report.Records, "record"), count(report.Documents, "document"),
					count(report.Contents, "content")))
			}, err
		}),
	}
	drop := &cobra.Command{
		Use:   "drop-collection NAME",
		Short: "Remove a collection of vectors",
		Long: "Removes a collection with all its vectors, so that another model can make it again. The vectors\n" +
			"of search_index are in index:NAME, by default index:knowledge. Its texts stay and are found by\n" +
			"their words, and by meaning again once search_index has received them again.",
		Example: "  citewell store drop-collection index:knowledge",
		Args:    exactly("collection"),
		RunE: e.withStore("removing the collection", func(cmd *cobra.Command, a *app.App,
			args []string) (func() error, error) {
			err := a.DropCollection(cmd.Context(), args[0])
			return func() error { return e.say(map[string]string{"dropped": args[0]}, "dropped %s", clean(args[0])) },
				err
		}),
	}
	e.hiddenJSON(cmd)
	for _, sub := range []*cobra.Command{backup, check, newStoreCopy(e), drop, newStoreUsage(e), newStorePrune(e)} {
		e.jsonFlag(sub)
		cmd.AddCommand(sub)
	}
	return cmd
}

// withStore opens the store, shows that work is done, and then what came of it.
func (e *env) withStore(doing string, work func(*cobra.Command, *app.App,
	[]string) (show func() error, err error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		loaded, err := e.load()
		if err != nil {
			return err
		}
		a, err := e.openAs(cmd.Context(), app.Options{Config: loaded, StoreIsThere: true})
		if err != nil {
			return err
		}
		defer a.Close()
		p := e.newProgress(doing)
		show, err := work(cmd, a, args)
		p.end()
		if err != nil {
			return err
		}
		return show()
	}
}

// writeReport shows a report and returns an error where it has problems.
func (e *env) writeReport(report any, problems []string, more int, line string) error {
	if e.json {
		if err := e.writeJSON(report); err != nil {
			return err
		}
	} else {
		for _, problem := range problems {
			fmt.Fprintln(e.stdout, "damaged: "+clean(problem))
		}
		if more > 0 {
			fmt.Fprintf(e.stdout, "damaged: %d more\n", more)
		}
		if _, err := fmt.Fprintf(e.stdout, "%s; %s\n", clean(line), count(len(problems)+more, "problem")); err != nil {
			return err
		}
	}
	if len(problems) > 0 {
		return alreadyShown{&citewell.Error{Code: citewell.CodeStoreFailed, Op: "store.check",
			Message: "the store is damaged"}}
	}
	return nil
}
