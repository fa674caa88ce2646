package relevance

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// maxMeant bounds a text that is embedded or ranked again, in bytes: models of these kinds
// read some hundred words.
const maxMeant = 4000

// Meant is the text of a passage as an embedding model or a reranker reads it: below
// the title of its document and its heading, which say what it speaks of. Whoever asks
// for the vector of a passage asks for that of this text, so that one that is kept
// serves all.
func Meant(title string, p citewell.Passage) string {
	var b strings.Builder
	for _, part := range []string{title, p.Above(), p.Text} {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(part)
	}
	return text.Prefix(b.String(), maxMeant)
}

// ByBoth ranks texts by two scores of which neither has a scale that is known: each
// counts by how many standard deviations it lies from the mean of its kind. A text whose
// second score is not known, a NaN, counts as the mean there.
func ByBoth(first, second []float64) []Scored {
	scores := make([]float64, len(first))
	for _, kind := range [][]float64{first, second} {
		mean, deviation := spread(kind)
		for i, x := range kind {
			if deviation > 0 && !math.IsNaN(x) {
				scores[i] += (x - mean) / deviation
			}
		}
	}
	ranked := make([]Scored, len(scores))
	for i, score := range scores {
		ranked[i] = Scored{i, score}
	}
	slices.SortStableFunc(ranked, func(a, b Scored) int { return cmp.Compare(b.Score, a.Score) })
	return ranked
}

// spread is the mean and the standard deviation of the numbers among xs.
func spread(xs []float64) (mean, deviation float64) {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, x := range xs {
		if !math.IsNaN(x) {
			n, sum, squares = n+1, sum+x, squares+x*x
		}
	}
	if n == 0 {
		return 0, 0
	}
	mean = sum / n
	return mean, math.Sqrt(max(0, squares/n-mean*mean))
}
