package score

import (
	"cmp"
	"slices"
)

func sortDescending(values []float64) {
	slices.SortFunc(values, func(a, b float64) int { return cmp.Compare(b, a) })
}

// A Decision is the score that something was given, and whether it truly is what the
// score speaks for.
type Decision struct {
	Score float64
	True  bool
}

// Balanced is the balanced accuracy at a threshold: the mean of the share of true
// ones that score at least the threshold and of the share of the others that score
// less. A side that is empty counts as 0.
func Balanced(decisions []Decision, threshold float64) float64 {
	var right, all [2]float64
	for _, d := range decisions {
		side := 0
		if d.True {
			side = 1
		}
		all[side]++
		if d.True == (d.Score >= threshold) {
			right[side]++
		}
	}
	return (right[0]/max(all[0], 1) + right[1]/max(all[1], 1)) / 2
}

// BestThreshold is the score of one of the decisions at which Balanced is highest,
// the lowest of several. To be an honest threshold it is used on other decisions.
func BestThreshold(decisions []Decision) float64 {
	thresholds := make([]float64, len(decisions))
	for i, d := range decisions {
		thresholds[i] = d.Score
	}
	slices.Sort(thresholds)
	best, threshold := -1.0, 0.0
	for _, t := range slices.Compact(thresholds) {
		if b := Balanced(decisions, t); b > best {
			best, threshold = b, t
		}
	}
	return threshold
}
