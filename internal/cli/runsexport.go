package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/report"
	"github.com/spf13/cobra"
)

func newRunsExport(e *env) *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a run's report as Markdown, HTML, JSON, BibTeX, CSL-JSON, RIS or WACZ",
		Long: "Writes the report of a run that has ended. wacz is an archive of every cited page as it was\n" +
			"read. Without --format the file's name decides the format; without a file it is Markdown.",
		Example: "  citewell runs export 2cb604e2 > report.md\n  citewell runs export 2cb604e2 -o report.html\n  " +
			"citewell runs export 2cb604e2 --format wacz -o evidence.wacz",
		Args: exactly("id"),
		RunE: e.withRun(func(ctx context.Context, a *app.App, runs *app.Runs, run job.Status, _ []string) error {
			f, err := exportFormat(format, file)
			if err != nil {
				return err
			}
			if f.Name == report.FormatWACZ && file == "" && isTerminal(e.stdout.w) {
				return usage("wacz is an archive and cannot be shown on a terminal",
					"write it to a file: -o evidence.wacz")
			}
			if err := e.checkReferences(); err != nil {
				return err
			}
			if e.record && f.Name != report.FormatMarkdown {
				return usage("--record is for Markdown", "JSON always carries the whole report, and wacz the "+
					"cited pages")
			}
			r, err := e.reportOf(ctx, runs, run)
			if err == nil && e.style != "" {
				r, err = report.WithReferences(ctx, r, a.Store, e.style)
			}
			if err != nil {
				return err
			}
			write := func(w io.Writer) error { return report.Write(ctx, w, f.Name, r, a.Store) }
			if e.record {
				write = func(w io.Writer) error {
					_, err := io.WriteString(w, e.recorded(report.WithRecord(r)))
					return err
				}
			}
			if file != "" {
				if err := writeWhole(file, write); err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "wrote %s\n", clean(file))
				return nil
			}
			var out bytes.Buffer // nothing is shown of what could not be written whole
			if err := write(&out); err != nil {
				return err
			}
			switch {
			case f.Name == report.FormatMarkdown:
				return e.writeMarkdown(out.String())
			case isTerminal(e.stdout.w):
				_, err = io.WriteString(e.stdout, cleanText(out.String()))
			default:
				_, err = e.stdout.Write(out.Bytes())
			}
			return err
		}),
	}
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	cmd.Flags().StringVar(&format, "format", "", "`FORMAT`: "+strings.Join(names, ", "))
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to `FILE`, which is replaced")
	complete(cmd, "format", names...)
	e.referencesFlag(cmd)
	cmd.Flags().BoolVar(&e.record, "record", false, recordUsage)
	e.hiddenJSON(cmd)
	return cmd
}

const recordUsage = "carry the record in the last line, so that verify needs no store"

// recordFlag lets a command's Markdown carry its record, beside --json, which does so anyway.
func (e *env) recordFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&e.record, "record", false, recordUsage)
	e.jsonFlag(cmd)
	cmd.MarkFlagsMutuallyExclusive("record", "json")
}

// referencesFlag lets a command's report carry a list of references.
func (e *env) referencesFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&e.style, "references", "", "add a list of references in `STYLE`: "+
		strings.Join(report.ReferenceStyles, ", "))
	complete(cmd, "references", report.ReferenceStyles...)
}

// checkReferences refuses a style that is none, before anything is done.
func (e *env) checkReferences() error {
	if e.style == "" || slices.Contains(report.ReferenceStyles, e.style) {
		return nil
	}
	return usage(fmt.Sprintf("%q is no style of references", e.style),
		"use one of "+strings.Join(report.ReferenceStyles, ", "))
}

// exportFormat is the format that is asked for, or that a file's name stands for.
func exportFormat(name, file string) (report.Format, error) {
	if name != "" {
		return report.FormatNamed(name)
	}
	best := report.Formats[0]
	for _, f := range report.Formats {
		if strings.HasSuffix(strings.ToLower(file), f.Extension) &&
			(best.Name == report.FormatMarkdown || len(f.Extension) > len(best.Extension)) {
			best = f
		}
	}
	if extension := strings.ToLower(filepath.Ext(file)); best.Name == report.FormatMarkdown &&
		!slices.Contains([]string{"", ".md", ".markdown", ".txt"}, extension) {
		return best, usage(extension+" stands for no format of a report",
			"say which with --format, or name the file .md, .html, .json, .bib, .csl.json, .ris or .wacz")
	}
	return best, nil
}

// reportOf is the report of a run that has one.
func (e *env) reportOf(ctx context.Context, runs *app.Runs, run job.Status) (citewell.Report, error) {
	if !run.State.Ended() {
		return citewell.Report{}, notReady("the run has not ended: it is "+string(run.State),
			"wait for it: citewell runs watch "+run.ID)
	}
	r, err := runs.Result(ctx, run.ID)
	switch {
	case err != nil:
		return citewell.Report{}, err
	case r.Report == nil:
		return citewell.Report{}, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: "the run has no report: it is " + standing(run.Run),
			Hint:    "its result: citewell runs show " + run.ID}
	}
	return *r.Report, nil
}

// writeWhole writes a file that has its name only once it is whole. What is no file, as
// a link, a pipe or /dev/stdout, stays what it is and is written to.
func writeWhole(name string, write func(io.Writer) error) error {
	flags, whole := os.O_TRUNC, name
	if there, err := os.Lstat(name); err != nil || there.Mode().IsRegular() || there.IsDir() {
		flags, whole = os.O_EXCL, fmt.Sprintf("%s.%08x.part", name, rand.Uint32())
	}
	f, err := os.OpenFile(whole, os.O_CREATE|os.O_WRONLY|flags, 0o666)
	if err == nil {
		err = write(f)
		if err == nil && whole != name {
			err = f.Sync()
		}
		err = cmp.Or(err, f.Close())
		if err == nil && whole != name {
			err = os.Rename(whole, name)
		}
		if err != nil && whole != name {
			os.Remove(whole)
		}
	}
	_, path := errors.AsType[*fs.PathError](err)
	if _, link := errors.AsType[*os.LinkError](err); path || link {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: "write", Message: name + " cannot be written",
			Hint: "is there such a folder, may it be written, and is there room?", Err: err}
	}
	return err
}

// recorded hands on Markdown that should carry its record, and says so if it does not.
func (e *env) recorded(markdown string) string {
	if !report.CarriesRecord(markdown) {
		fmt.Fprintln(e.stderr, "note: the record is larger than verify reads back, so the file does not carry it; "+
			"verify it with this store, or save it with --json")
	}
	return markdown
}
