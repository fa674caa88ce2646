package relevance

import (
	"cmp"
	"math"
	"slices"
)

// shingleWords is how many words in a row make one shingle.
const shingleWords = 3

// Clusters puts texts that are near-duplicates of one another, directly or by way of
// others, under one label: the index of the first of them. The answer is exact, and
// the time far below that of comparing every pair as long as most texts differ. Texts
// that share no shingle are never together, whatever the threshold.
func Clusters(docs [][]string, threshold float64) []int {
	sets := make([][]uint64, len(docs))
	frequency := map[uint64]int{}
	for i, doc := range docs {
		sets[i] = shingles(doc)
		for _, shingle := range sets[i] {
			frequency[shingle]++
		}
	}
	labels := make([]int, len(docs))
	for i := range labels {
		labels[i] = i
	}
	// Two sets that are alike enough share one of their rarest shingles: only so
	// many of each need to be looked up.
	seenIn := map[uint64][]int{}
	for i, set := range sets {
		compared := map[int]bool{}
		for _, shingle := range rarest(set, frequency, threshold) {
			for _, j := range seenIn[shingle] {
				if !compared[j] && root(labels, i) != root(labels, j) {
					compared[j] = true
					if jaccard(set, sets[j]) >= threshold {
						join(labels, i, j)
					}
				}
			}
			if frequency[shingle] > 1 {
				seenIn[shingle] = append(seenIn[shingle], i)
			}
		}
	}
	for i := range labels {
		labels[i] = root(labels, i)
	}
	return labels
}

// rarest returns so many of the rarest shingles of a set that any set with at least
// the threshold in common has one of them too.
func rarest(set []uint64, frequency map[uint64]int, threshold float64) []uint64 {
	type counted struct {
		shingle uint64
		count   int
	}
	ordered := make([]counted, len(set))
	for i, shingle := range set {
		ordered[i] = counted{shingle, frequency[shingle]}
	}
	slices.SortFunc(ordered, func(a, b counted) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.shingle, b.shingle))
	})
	needed := int(math.Ceil(threshold*float64(len(set)) - 1e-9))
	rare := make([]uint64, min(max(len(set)-needed+1, 0), len(set)))
	for i := range rare {
		rare[i] = ordered[i].shingle
	}
	return rare
}

// root returns the first member of i's cluster.
func root(labels []int, i int) int {
	for labels[i] != i {
		labels[i] = labels[labels[i]]
		i = labels[i]
	}
	return i
}

func join(labels []int, i, j int) {
	a, b := root(labels, i), root(labels, j)
	labels[max(a, b)] = min(a, b)
}

// shingles returns the distinct runs of three words as sorted hashes; a text of fewer
// words is one run.
func shingles(words []string) []uint64 {
	if len(words) == 0 {
		return nil
	}
	hashes := make([]uint64, len(words))
	for i, word := range words {
		hashes[i] = hashWord(word)
	}
	width := min(shingleWords, len(words))
	set := make([]uint64, 0, len(words)-width+1)
	for i := 0; i+width <= len(words); i++ {
		hash := uint64(width)
		for _, word := range hashes[i : i+width] {
			hash = mix(hash ^ word)
		}
		set = append(set, hash)
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// hashWord is FNV-1a, the same in every process.
func hashWord(word string) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(word) {
		hash = (hash ^ uint64(word[i])) * 1099511628211
	}
	return hash
}

// mix spreads every bit of x over all of the result, so that the order of the words in
// a shingle counts; it is the last step of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// jaccard is the share of two sorted sets' union that both have.
func jaccard(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := shared(a, b)
	return float64(common) / float64(len(a)+len(b)-common)
}

// shared counts what two sorted sets have in common.
func shared[T cmp.Ordered](a, b []T) int {
	count := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			count++
			i++
			j++
		}
	}
	return count
}
