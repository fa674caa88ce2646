package nearcopy

import (
	"slices"
)

// Bounds of an alignment, whose time is the product of both lengths.
const (
	maxAligned = 160 // pieces of a claim; a longer one is not a single statement
	maxStretch = 400 // pieces of a stretch of evidence
)

// An alignment ties pieces of a claim to like pieces of one stretch of its evidence.
type alignment struct {
	claim, shown []piece
	at           []int // for each piece of the claim, the tied piece of the stretch or -1
	back         []int // for each piece of the stretch, the tied piece of the claim or -1
	how          []tie // for each piece of the claim
}

// A tie tells how the order of a tied piece compares with the stretch.
type tie byte

const (
	untied tie = iota
	inOrder
	inBlock     // within a block that moved as a whole
	turnedRound // in another order
)

// align ties two runs of pieces in three passes: pieces in the same order; among the rest, pieces in the
// same order again, which are moved blocks; then all other like pieces, whose order is turned round.
func align(claim, shown []piece) alignment {
	a := alignment{
		claim: claim,
		shown: shown,
		at:    make([]int, len(claim)),
		back:  make([]int, len(shown)),
		how:   make([]tie, len(claim)),
	}
	for i := range a.at {
		a.at[i] = -1
	}
	for j := range a.back {
		a.back[j] = -1
	}
	for _, how := range []tie{inOrder, inBlock, turnedRound} {
		a.tie(how)
	}
	return a
}

// tie finds the heaviest chain of free pieces in the same order on both sides. Neighbouring pieces weigh
// more than pieces far apart.
func (a *alignment) tie(how tie) {
	var rows, columns []int
	for i := range a.claim {
		if a.at[i] < 0 {
			rows = append(rows, i)
		}
	}
	for j := range a.shown {
		if a.back[j] < 0 {
			columns = append(columns, j)
		}
	}
	if len(rows) == 0 || len(columns) == 0 {
		return
	}
	const together = 0.15
	width := len(columns) + 1
	best := make([]float64, (len(rows)+1)*width) // best[i*width+j]: of the rows from i and the columns from j
	likes := make([]float64, len(rows)*len(columns))
	step := func(i, j int) float64 {
		alike := likes[i*len(columns)+j]
		if alike == 0 {
			return -1
		}
		value := alike * a.claim[rows[i]].weight()
		if i+1 < len(rows) && j+1 < len(columns) && likes[(i+1)*len(columns)+j+1] > 0 {
			value += together
		}
		return value + best[(i+1)*width+j+1]
	}
	for i := len(rows) - 1; i >= 0; i-- {
		for j := len(columns) - 1; j >= 0; j-- {
			likes[i*len(columns)+j] = a.claim[rows[i]].like(a.shown[columns[j]])
			best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1], step(i, j))
		}
	}
	for i, j := 0, 0; i < len(rows) && j < len(columns); {
		switch best[i*width+j] {
		case step(i, j):
			a.at[rows[i]], a.back[columns[j]], a.how[rows[i]] = columns[j], rows[i], how
			i, j = i+1, j+1
		case best[(i+1)*width+j]:
			i++
		default:
			j++
		}
	}
}

// share returns the tied share of the claim's content, without figures and dates.
func (a alignment) share() float64 {
	tied, all := 0.0, 0.0
	for i, p := range a.claim {
		if p.content && p.figure == nil && p.date == nil {
			all++
			if a.at[i] >= 0 {
				tied += p.like(a.shown[a.at[i]])
			}
		}
	}
	if all == 0 {
		return 0
	}
	return tied / all
}

// A gap holds the untied pieces between two neighbouring ties of the kept order.
type gap struct{ claim, shown []int }

// without returns the gap without one piece of each side.
func (g gap) without(i, j int) gap {
	not := func(k int) func(int) bool { return func(other int) bool { return other == k } }
	return gap{slices.DeleteFunc(slices.Clone(g.claim), not(i)), slices.DeleteFunc(slices.Clone(g.shown), not(j))}
}

// gaps returns all gaps in the order of the claim.
func (a alignment) gaps() []gap {
	var gaps []gap
	i, j := 0, 0
	for end := 0; end <= len(a.claim); end++ {
		if end < len(a.claim) && a.how[end] != inOrder {
			continue
		}
		stop := len(a.shown)
		if end < len(a.claim) {
			stop = a.at[end]
		}
		var g gap
		for ; i < end; i++ {
			if a.at[i] < 0 {
				g.claim = append(g.claim, i)
			}
		}
		for ; j < stop; j++ {
			if a.back[j] < 0 {
				g.shown = append(g.shown, j)
			}
		}
		gaps = append(gaps, g)
		i, j = end+1, stop+1
	}
	return gaps
}
