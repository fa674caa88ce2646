package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/text"
)

// verification writes what ties each statement to the words it cites, folded: a line for
// each citation, `F2 ① PASSAGE START-END VERDICT`, with the quote where the statement does not
// have it already, and who says why where words do not say that it is supported. Statements are
// numbered in the order in which they stand: F1… the findings, D1… the disagreements, N1… the
// nearest passages.
// Below it stands, where o.Data asks for it, what the text was written from.
func verification(w *strings.Builder, b citewell.Brief, o Options) {
	fmt.Fprintf(w, "\n## %s\nBrief %s, made %s. To check every citation again: citewell verify FILE\n",
		verificationHeader, b.ID, b.CreatedAt.UTC().Format(time.RFC3339))
	var entries strings.Builder
	n := 0
	list := func(kind string, i int, said string, citations []citewell.Citation) {
		n += len(citations)
		for _, c := range citations {
			entry(&entries, fmt.Sprintf("%s%d %s", kind, i+1, cite.Mark(c.N)), c, !strings.Contains(plain(said), plain(c.Quote)))
		}
	}
	for i, f := range b.Findings {
		list("F", i, f.Text, f.Citations)
	}
	for i, d := range b.Disagreements {
		list("D", i, d.Text, d.Citations)
	}
	for i, near := range b.Nearest {
		list("N", i, near.Text, near.Citations)
	}
	folded(w, n, entries.String())
	if o.Data {
		w.WriteString(dataLine(Written{Brief: &b, Compact: o.Compact}))
	}
}

// entry writes one citation: its passage, the bytes of the source's text, what the check
// found, and the words.
func entry(w *strings.Builder, label string, c citewell.Citation, quoted bool) {
	fmt.Fprintf(w, "- %s %s %d-%d %s", label, within(c.Passage), c.Start, c.End, verdict(c))
	if quoted {
		fmt.Fprintf(w, " “%s”", within(c.Quote))
	}
	if standsAs(c) != citewell.VerdictSupported && plain(c.Reason) != "" {
		fmt.Fprintf(w, " (%s: %s)", within(cmp.Or(c.By, cite.ByWords)), within(c.Reason))
	}
	if c.Caveat != "" {
		fmt.Fprintf(w, " (%s)", within(c.Caveat))
	}
	w.WriteByte('\n')
}

// folded writes the lines of n citations so that a reader opens them where they are wanted.
func folded(w *strings.Builder, n int, entries string) {
	if n > 0 {
		fmt.Fprintf(w, "\n<details><summary>%s: source, passage, bytes of its text, verdict</summary>\n\n%s\n</details>\n", text.Count(n, "citation"), entries)
	}
}
