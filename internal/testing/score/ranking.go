package score

import "math"

// NDCG is the normalised discounted cumulative gain of the first k places of a
// ranking, best first: each place's gain over the binary logarithm of the place
// plus one, as a share of what the best order would have. Without gains it is 0.
func NDCG(ranking []string, gains map[string]float64, k int) float64 {
	got, ideal := 0.0, 0.0
	for i, id := range ranking[:min(k, len(ranking))] {
		got += gains[id] / math.Log2(float64(i+2))
	}
	best := make([]float64, 0, len(gains))
	for _, gain := range gains {
		best = append(best, gain)
	}
	sortDescending(best)
	for i, gain := range best[:min(k, len(best))] {
		ideal += gain / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return got / ideal
}

// Recall is the share of what is relevant (gain above 0) that the first k places of
// a ranking have; 0 where nothing is.
func Recall(ranking []string, gains map[string]float64, k int) float64 {
	found, relevant := 0, 0
	for _, gain := range gains {
		if gain > 0 {
			relevant++
		}
	}
	for _, id := range ranking[:min(k, len(ranking))] {
		if gains[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(max(relevant, 1))
}
