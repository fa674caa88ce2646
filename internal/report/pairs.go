package report

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// A Pair is a finding that two reports have, or that one of them has.
type Pair struct {
	A, B    int  // the places of it among the findings; below 0 where that report has it not
	Figures bool // both have it, with other figures
}

// leastAlike is how many of the words of two findings are the same where they are one.
const leastAlike = 0.5

// Pairs puts together what is one finding: what quotes the same words, else what is most
// alike by its own. What only one of them has stands where it stood.
func Pairs(a, b []citewell.Finding) (pairs []Pair) {
	taken := map[int]bool{}
	for i := range a {
		best, most := -1, 0.0
		for k := range b {
			if taken[k] {
				continue
			}
			alike := alike(a[i].Text, b[k].Text)
			if quotesSame(a[i], b[k]) {
				alike++
			}
			if alike >= leastAlike && alike > most {
				best, most = k, alike
			}
		}
		if best < 0 {
			pairs = append(pairs, Pair{A: i, B: -1})
			continue
		}
		taken[best] = true
		pairs = append(pairs, Pair{i, best, !slices.Equal(figures(a[i].Text), figures(b[best].Text))})
	}
	for k := range b {
		if !taken[k] {
			pairs = append(pairs, Pair{A: -1, B: k})
		}
	}
	return pairs
}

func quotesSame(a, b citewell.Finding) bool {
	return slices.ContainsFunc(a.Citations, func(c citewell.Citation) bool {
		return slices.ContainsFunc(b.Citations, func(d citewell.Citation) bool { return c.Quote == d.Quote })
	})
}

// alike is the part of the words of both that both have.
func alike(a, b string) float64 {
	in, both, all := map[string]bool{}, 0, map[string]bool{}
	for _, w := range text.Terms(a, "") {
		in[w], all[w] = true, true
	}
	for _, w := range text.Terms(b, "") {
		if in[w] {
			both, in[w] = both+1, false
		}
		all[w] = true
	}
	if len(all) == 0 {
		return 0
	}
	return float64(both) / float64(len(all))
}

// figures are the digits that a text has, in their order.
func figures(s string) []string {
	all := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && r != '.' && r != ',' })
	for i := range all {
		all[i] = strings.Trim(all[i], ".,")
	}
	return slices.DeleteFunc(all, func(f string) bool { return f == "" })
}
