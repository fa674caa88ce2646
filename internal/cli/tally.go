package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/report"
)

// A tally counts verdicts.
type tally map[citewell.Verdict]int

// String lists the verdicts that occur with their counts, the best first: "2 supported, 1 undecided".
func (t tally) String() string {
	var parts []string
	for _, w := range slices.Backward(report.Verdicts) {
		if n := t[w.Verdict]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w.Verdict))
		}
	}
	return strings.Join(parts, ", ")
}

// byJudge says who gave a verdict, if a judge did.
func byJudge(by string) string {
	if by == "" || by == cite.ByWords {
		return ""
	}
	return " by " + clean(by)
}
