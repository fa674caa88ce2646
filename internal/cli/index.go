package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/library"
)

// everyDocuments is after how many documents a line says that the work goes on, where single documents are not told.
const everyDocuments = 500

// mostUnread is how many documents that were not read are named where an answer is what counts.
const mostUnread = 3

func newIndex(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index PATH|URL...",
		Short: "Index your own documents",
		Long: "Indexes files, folders and URLs: text, Markdown, HTML, PDF, docx, odt, ods, rtf, pptx, xlsx,\n" +
			"CSV, EPUB, captions (WebVTT, SubRip), JSON, XML, feeds, also packed with gzip. Unchanged files\n" +
			"are skipped, missing ones are removed from the index, hidden ones are ignored. To search them:\n" +
			"citewell search --provider local QUERY\n\n" +
			"A document that cannot be read is named and does not stop the others. Exit code 1 or 4 if there\n" +
			"were documents to read and none of them could be read.",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("a file, a folder or a URL is missing", "as in: citewell index ~/notes")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			return e.index(cmd.Context(), a, args)
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

// index indexes targets and says what became of them.
func (e *env) index(ctx context.Context, a *app.App, targets []string) error {
	p := e.newProgress("indexing")
	seen := 0
	var first error // why the first that could not be indexed could not
	sum, err := a.Library().Index(ctx, targets, func(event library.Event) {
		if event.State != library.Embedded {
			seen++
		}
		line := fmt.Sprintf("%s %s", event.State, event.URL)
		switch {
		case event.Err != nil:
			view := citewell.View(event.Err)
			if first == nil {
				first = &citewell.Error{Code: view.Code, Message: "nothing could be indexed: " + event.URL + ": " +
					view.Message, Hint: view.Hint, Err: event.Err}
			}
			fmt.Fprintln(e.stderr, clean(line+": "+view.Message))
		case event.State != library.Unchanged:
			p.say(line)
		}
		p.set(fmt.Sprintf("%s · %s", count(seen, "document"), line))
	})
	p.end()
	e.warnVectors(sum)
	if err != nil {
		return err
	}
	if sum.Indexed+sum.Unchanged+sum.Removed == 0 && first != nil {
		return first
	}
	if e.json {
		return e.writeJSON(sum)
	}
	if seen == 0 {
		fmt.Fprintln(e.stderr, "no document was found there; hidden files are passed over")
	}
	_, err = fmt.Fprintln(e.stdout, summary(sum))
	return err
}

// indexDocs indexes a folder as the first step of a search in it.
func (e *env) indexDocs(ctx context.Context, a *app.App, dir string) error {
	p := e.newProgress("indexing")
	seen := 0
	var unread []string
	sum, err := a.Library().Index(ctx, []string{dir}, func(event library.Event) {
		if event.Err != nil && len(unread) < mostUnread {
			unread = append(unread, clean(event.URL+": "+citewell.View(event.Err).Message))
		}
		if event.State != library.Embedded {
			seen++
		}
		p.set(fmt.Sprintf("%s · %s %s", count(seen, "document"), event.State, event.URL))
		if seen%everyDocuments == 0 {
			p.say(count(seen, "document") + " looked at")
		}
	})
	p.end()
	e.warnVectors(sum)
	if err != nil {
		return err
	}
	if sum.Indexed+sum.Unchanged == 0 {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "index",
			Message: fmt.Sprintf("%s holds no document that can be read: %s", dir, summary(sum)),
			Hint:    "citewell index --help lists the formats; hidden files are skipped"}
	}
	if changed := changes(sum); changed != "" {
		fmt.Fprintln(e.stderr, changed)
		for _, line := range unread {
			fmt.Fprintln(e.stderr, "  not read:", line)
		}
		if more := sum.Skipped + sum.Failed - len(unread); more > 0 {
			fmt.Fprintf(e.stderr, "  and %d more: citewell index %s names all\n", more, shellQuote(dir))
		}
	}
	return nil
}

// changes says what indexing a folder again has changed; nothing where nothing has.
func changes(sum library.Summary) string {
	var said []string
	for _, part := range []struct {
		n    int
		what string
	}{{sum.Indexed, "indexed"}, {sum.Removed, "removed"}} {
		if part.n > 0 {
			said = append(said, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if n := sum.Skipped + sum.Failed; len(said) > 0 && n > 0 {
		said = append(said, fmt.Sprintf("%d not read", n))
	}
	return strings.Join(said, ", ")
}

// warnVectors says why documents are not found by meaning that should be.
func (e *env) warnVectors(sum library.Summary) {
	if sum.Warning != "" {
		fmt.Fprintln(e.stderr, clean("warning: "+sum.Warning))
	}
}

func summary(sum library.Summary) string {
	line := fmt.Sprintf("%d indexed, %d unchanged, %d removed, %d skipped, %d failed", sum.Indexed, sum.Unchanged,
		sum.Removed, sum.Skipped, sum.Failed)
	if sum.Embedded > 0 {
		line += fmt.Sprintf(", %d embedded", sum.Embedded)
	}
	if sum.WithoutVectors > 0 {
		line += fmt.Sprintf(", %d without vectors", sum.WithoutVectors)
	}
	if len(sum.Reasons) == 0 {
		return line
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(sum.Reasons)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", reason, sum.Reasons[reason]))
	}
	return line + " (" + strings.Join(reasons, ", ") + ")"
}
