package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/library"
	"github.com/spf13/cobra"
)

func newIndex(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "index PATH|URL...",
		Short: "Bring your own documents into the local index",
		Long: "Indexes files, folders and URLs (text, Markdown, HTML). What has not changed is left\n" +
			"alone, what is gone is forgotten. Then: citewell search --provider local QUERY",
		Args: func(_ *cobra.Command, args []string) error {
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
			return e.index(cmd.Context(), a, args, false)
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

// index indexes targets and says what became of them; quiet says it on stderr, as
// a step of something else.
func (e *env) index(ctx context.Context, a *app.App, targets []string, quiet bool) error {
	live := isTerminal(e.stderr) && !e.plain()
	seen := 0
	sum, err := a.Library().Index(ctx, targets, func(event library.Event) {
		seen++
		switch {
		case live:
			line := clean(fmt.Sprintf("%d documents · %s", seen, event.URL))
			fmt.Fprintf(e.stderr, "\r\x1b[2K%.76s", line)
		case event.State == library.Failed && !quiet:
			fmt.Fprintf(e.stderr, "%s: %s (%s)\n", clean(event.URL), event.State, event.Reason)
		}
	})
	if live {
		fmt.Fprint(e.stderr, "\r\x1b[2K")
	}
	if err != nil {
		return err
	}
	if e.json && !quiet {
		return e.writeJSON(sum)
	}
	line := fmt.Sprintf("%d indexed, %d unchanged, %d removed, %d skipped, %d failed", sum.Indexed, sum.Unchanged, sum.Removed, sum.Skipped, sum.Failed)
	if len(sum.Reasons) > 0 {
		var reasons []string
		for _, reason := range slices.Sorted(maps.Keys(sum.Reasons)) {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason, sum.Reasons[reason]))
		}
		line += " (" + strings.Join(reasons, ", ") + ")"
	}
	if quiet {
		fmt.Fprintln(e.stderr, line)
		return nil
	}
	_, err = fmt.Fprintln(e.stdout, line)
	return err
}
