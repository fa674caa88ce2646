package rank

import (
	"math"
	"slices"
)

// Diverse picks n of scored, one after the other, each time the one that is best
// after what the picked ones already say is taken off (maximal marginal relevance).
// Lambda weighs the score against novelty: 1 keeps the order of the scores, 0 looks
// for novelty alone; outside that range the nearer end is taken. Terms gives the
// terms of the text at an index. The scores of the result are the given ones.
func Diverse(scored []Scored, terms func(i int) []string, n int, lambda float64) []Scored {
	n = min(n, len(scored))
	if n <= 0 {
		return nil
	}
	lambda = min(max(lambda, 0), 1)
	candidates := slices.Clone(scored)
	sortScored(candidates)
	top := candidates[0].Score
	ids := map[string]int32{}
	sets := make([][]int32, len(candidates))
	for i, c := range candidates {
		sets[i] = termSet(terms(c.Index), ids)
	}
	nearest := make([]float64, len(candidates)) // likeness to the most similar one picked
	picked := make([]bool, len(candidates))
	chosen := make([]Scored, 0, n)
	for len(chosen) < n {
		best, bestValue := -1, math.Inf(-1)
		for i, c := range candidates {
			if picked[i] {
				continue
			}
			relevance := 0.0
			if top > 0 {
				relevance = c.Score / top
			}
			if value := lambda*relevance - (1-lambda)*nearest[i]; value > bestValue {
				best, bestValue = i, value
			}
		}
		if best < 0 { // only scores that are no numbers are left
			break
		}
		picked[best] = true
		chosen = append(chosen, candidates[best])
		for i := range candidates {
			if !picked[i] {
				nearest[i] = max(nearest[i], cosine(sets[i], sets[best]))
			}
		}
	}
	return chosen
}

// termSet returns the distinct terms as sorted numbers, which ids gives out.
func termSet(terms []string, ids map[string]int32) []int32 {
	set := make([]int32, 0, len(terms))
	for _, term := range terms {
		id, ok := ids[term]
		if !ok {
			id = int32(len(ids))
			ids[term] = id
		}
		set = append(set, id)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// cosine is the likeness of two sorted sets, 0 to 1.
func cosine(a, b []int32) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return float64(shared(a, b)) / math.Sqrt(float64(len(a))*float64(len(b)))
}
