package cli

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/spf13/cobra"
)

func newStoreCopy(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy a store into another, of either backend",
		Long: "Copies everything in the store FROM, of all tenants, into the store TO: a folder, sqlite:DIR, or\n" +
			"postgres://USER@HOST/DATABASE; the word sqlite means the configured folder. TO must be empty, or\n" +
			"an unfinished copy of FROM: a copy that was killed continues when started again. Until it is\n" +
			"finished no other command opens TO.\n\n" +
			"FROM is read as it is at one moment; later writes of others are not copied. The copy is refused\n" +
			"while runs are executed there. At the end every row of TO is read and compared with FROM by\n" +
			"numbers and digests; the same command on a finished copy only does that.\n\n" +
			"Not copied: the cache, leases of runs, and indexes, which are built again. Damaged content in\n" +
			"FROM is named, with exit code 1. Keep a password in PGPASSWORD or ~/.pgpass rather than in a\n" +
			"command.",
		Example: "  citewell store copy sqlite postgres://citewell@db.internal/citewell\n  citewell store copy " +
			"postgres://citewell@db.internal/citewell sqlite:/srv/citewell",
		Args: exactly("store to copy", "store to make"),
		RunE: func(cmd *cobra.Command, args []string) error {
			loaded, err := e.load()
			if err != nil {
				return err
			}
			p := e.newProgress("copying the store")
			said := ""
			report, err := backend.Copy(cmd.Context(), backend.CopyOptions{From: args[0], To: args[1],
				StoreURL: loaded.Config.Store.URL,
				Standard: loaded.Paths.Data, Heard: func(done transfer.Progress) {
					verb := "copying"
					if done.Verifying {
						verb = "verifying"
					}
					p.set(fmt.Sprintf("%s %s · %d", verb, done.Kind, done.Rows))
					if what := verb + " " + done.Kind; what != said {
						said = what
						p.say(what)
					}
				}})
			p.end()
			if err != nil {
				return err
			}
			err = e.show(report, func() error { return e.printCopied(report) })
			if err == nil && len(report.Problems) > 0 {
				err = alreadyShown{&citewell.Error{Code: citewell.CodeStoreFailed, Op: "store.copy",
					Message: "something in the source is damaged"}}
			}
			return err
		},
	}
}

func (e *env) printCopied(r backend.Copied) error {
	for _, k := range r.Kinds {
		if k.Rows == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %d, the same in both (%s)", k.Kind, k.Rows, k.Digest)
		if k.Written < k.Rows {
			line += fmt.Sprintf("; %d were there", k.Rows-k.Written)
		}
		fmt.Fprintln(e.stdout, line)
	}
	for _, problem := range r.Problems {
		fmt.Fprintln(e.stdout, "damaged: "+clean(problem))
	}
	for _, left := range r.Left {
		fmt.Fprintln(e.stdout, "not copied: "+left)
	}
	_, err := fmt.Fprintf(e.stdout, "%s is a copy of %s: %s, %d written now; %s\n", clean(r.To), clean(r.From),
		count(r.Rows, "row"), r.Written, count(len(r.Problems), "problem"))
	return err
}
