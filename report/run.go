package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
)

// OfRun renders the report of a run as the Markdown of its file: title, time,
// content, the cited sources, and a Verification section with the words behind each
// cited sentence. The content is the run's own Markdown, without HTML and with links to
// cited sources only. It ends in exactly one newline.
func OfRun(r citewell.Report) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# %s\n\n*Created: %s*\n\n%s\n\n---\n\n## %s\n", title(r.Title), r.CreatedAt.UTC().Format(time.DateTime), strings.TrimSpace(r.Content), sourcesHeader)
	if len(r.Sources) == 0 {
		w.WriteString("\nNo source is cited.\n")
	}
	for _, s := range r.Sources {
		fmt.Fprintf(&w, "\n[%d] %s - %s\n", s.N, inline(orElse(cut(plain(s.Title), maxTitle), untitled)), link(address(s)))
		if warning := plain(s.Warning); warning != "" {
			fmt.Fprintf(&w, "⚠ %s\n", within(cut(warning, maxWarning)))
		}
	}
	fmt.Fprintf(&w, "\n## %s\n\nRun %s, outcome %s. To check every citation again: citewell verify RUN\n", verificationHeader, within(r.ID), within(string(r.Outcome)))
	for i, f := range r.Findings {
		label := fmt.Sprintf("F%d", i+1)
		fmt.Fprintf(&w, "\n%s “%s”\n\n", label, within(cut(f.Text, maxSnippet)))
		for _, c := range f.Citations {
			fmt.Fprintf(&w, "- %s [%d] %s %d-%d %s “%s”\n", label, c.N, within(c.Passage), c.Start, c.End, verdict(c), within(c.Quote))
			if plain(c.Reason) != "" {
				fmt.Fprintf(&w, "  %s: %s\n", inline(c.Judge), within(c.Reason))
			}
		}
	}
	if len(r.Unverified) > 0 {
		w.WriteString("\n### Not verified\n\n")
		for _, u := range r.Unverified {
			fmt.Fprintf(&w, "- “%s”: %s\n", within(cut(u.Text, maxSnippet)), within(u.Detail))
		}
	}
	if n := len(r.Removed); n > 0 {
		fmt.Fprintf(&w, "\nAddresses that are no cited source were removed: %d.\n", n)
	}
	return w.String()
}
