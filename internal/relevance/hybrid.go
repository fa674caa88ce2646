package relevance

import (
	"cmp"
	"slices"
)

// A Ranking is what one index found, best first, and how much it counts.
type Ranking struct {
	IDs    []string
	Weight float64 // 1 when 0
}

// A Ranked is one id of a fused ranking.
type Ranked struct {
	ID    string
	Score float64
}

// fuseDepth is the constant of reciprocal rank fusion: how gently the weight falls
// from one rank to the next. 60 is the value of the paper.
const fuseDepth = 60

// Hybrid makes one ranking of several by reciprocal ranks:
// an id earns weight / (60 + rank) from each ranking that has it, and one that a
// ranking repeats counts at its first place. Scores of different kinds (words,
// embeddings) so go together without being compared. Equal scores are ordered by id.
func Hybrid(rankings ...Ranking) []Ranked {
	scores := map[string]float64{}
	for _, ranking := range rankings {
		weight := cmp.Or(ranking.Weight, 1)
		seen := make(map[string]bool, len(ranking.IDs))
		for _, id := range ranking.IDs {
			if !seen[id] {
				seen[id] = true
				scores[id] += weight / float64(fuseDepth+len(seen))
			}
		}
	}
	fused := make([]Ranked, 0, len(scores))
	for id, score := range scores {
		fused = append(fused, Ranked{id, score})
	}
	slices.SortFunc(fused, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return fused
}
