package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// verification writes what ties each statement to the words it cites: a line for
// each citation, `F2 ① PASSAGE START-END VERDICT`, and the quote where it is not
// already the statement itself; below it, indented, what judged and why. Statements
// are numbered in the order in which
// they stand: F1… the findings, D1… the disagreements, N1… the nearest passages. A source whose URL could
// not be written as it is has it here in ASCII, as `S3`.
func verification(w *strings.Builder, b citewell.Brief, shown []citewell.Source) {
	fmt.Fprintf(w, "\n## %s\nBrief %s, made %s. To check every citation again: citewell verify FILE\n",
		verificationHeader, b.ID, b.CreatedAt.UTC().Format(time.RFC3339))
	for i, f := range b.Findings {
		verificationLines(w, fmt.Sprintf("F%d", i+1), f.Text, f.Citations)
	}
	for i, d := range b.Disagreements {
		verificationLines(w, fmt.Sprintf("D%d", i+1), d.Text, d.Citations)
	}
	for i, n := range b.Nearest {
		verificationLines(w, fmt.Sprintf("N%d", i+1), n.Text, n.Citations)
	}
	for _, s := range shown {
		if url := address(s); parseLink(link(url)) != url {
			fmt.Fprintf(w, "- S%d “%s”\n", s.N, within(strconv.QuoteToASCII(url)))
		}
	}
}

func verificationLines(w *strings.Builder, label, text string, citations []citewell.Citation) {
	for i, c := range citations {
		quote := ""
		if i > 0 || label[0] == 'D' || !quotesFirst(text, c) {
			quote = " “" + within(c.Quote) + "”"
		}
		fmt.Fprintf(w, "- %s %s %s %d-%d %s%s\n", label, cite.Mark(c.N), within(c.Passage), c.Start, c.End, verdict(c), quote)
		if plain(c.Reason) != "" {
			fmt.Fprintf(w, "  %s: %s\n", inline(orElse(c.Judge, cite.ByWords)), within(c.Reason))
		}
	}
}
