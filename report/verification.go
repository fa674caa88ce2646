package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

const verificationHeader = "## Verification"

// verification writes what ties each statement to the words it cites: a line for
// each citation, `F2 ① PASSAGE START-END VERDICT`, and the quote where it is not
// already the statement itself. Statements are numbered in the order in which
// they stand: F1… the findings, D1… the disagreements.
func verification(w *strings.Builder, b citewell.Brief) {
	fmt.Fprintf(w, "\n%s\nBrief %s, made %s. To check every citation again: citewell verify FILE\n",
		verificationHeader, b.ID, b.CreatedAt.UTC().Format(time.RFC3339))
	for i, f := range b.Findings {
		verificationLines(w, fmt.Sprintf("F%d", i+1), f.Text, f.Citations)
	}
	for i, d := range b.Disagreements {
		verificationLines(w, fmt.Sprintf("D%d", i+1), d.Text, d.Citations)
	}
}

func verificationLines(w *strings.Builder, label, text string, citations []citewell.Citation) {
	for i, c := range citations {
		quote := ""
		if i > 0 || plain(c.Quote) != plain(text) {
			quote = " “" + inline(c.Quote) + "”"
		}
		fmt.Fprintf(w, "- %s %s %s %d-%d %s%s\n", label, cite.Mark(c.N), c.Passage, c.Start, c.End, c.Verdict, quote)
	}
}
