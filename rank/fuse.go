package rank

// fuseDepth is the constant of reciprocal rank fusion: how gently the weight falls
// from one rank to the next. 60 is the value of the paper.
const fuseDepth = 60

// Fuse makes one ranking of several by reciprocal ranks. Each list holds indices into
// the same slice, best first; scores are not compared, so lists of any origin go
// together. An index that a list repeats counts at its first place.
func Fuse(lists ...[]int) []Scored {
	place := map[int]int{} // index → where it is in ranking
	var ranking []Scored
	for _, list := range lists {
		seen := make(map[int]bool, len(list))
		rank := 0
		for _, index := range list {
			if seen[index] {
				continue
			}
			seen[index] = true
			rank++
			at, known := place[index]
			if !known {
				at = len(ranking)
				place[index] = at
				ranking = append(ranking, Scored{Index: index})
			}
			ranking[at].Score += 1 / float64(fuseDepth+rank)
		}
	}
	sortScored(ranking)
	return ranking
}
