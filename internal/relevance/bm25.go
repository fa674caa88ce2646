package relevance

import (
	"cmp"
	"math"
	"slices"
)

// The usual parameters of BM25: how soon more of the same word stops counting, and
// how much a long text is held against it.
const (
	k1 = 1.2
	b  = 0.75
)

// Scored is one text of those that were given, and how well it did.
type Scored struct {
	Index int
	Score float64
}

// BM25 scores each of docs for the query, in the order of docs. Both are terms as
// text.Terms makes them; a term that the query repeats counts as often. To ask the
// same documents again and again, make an Index.
func BM25(query []string, docs [][]string) []float64 {
	wanted := make(map[string]bool, len(query))
	for _, term := range query {
		wanted[term] = true
	}
	return newIndex(docs, wanted).Score(query)
}

// An Index answers many queries over the same documents.
type Index struct {
	postings map[string][]posting
	norms    []float64 // k1·(1−b+b·length/mean) of each document
}

// A posting says how often a term occurs in a document.
type posting struct{ doc, count int32 }

// NewIndex makes an Index of documents given as terms.
func NewIndex(docs [][]string) *Index { return newIndex(docs, nil) }

// newIndex makes an index of the wanted terms only, or of all where wanted is nil.
func newIndex(docs [][]string, wanted map[string]bool) *Index {
	x := &Index{postings: map[string][]posting{}, norms: make([]float64, len(docs))}
	total := 0
	for i, doc := range docs {
		total += len(doc)
		for _, term := range doc {
			if wanted != nil && !wanted[term] {
				continue
			}
			list := x.postings[term]
			if n := len(list); n > 0 && list[n-1].doc == int32(i) {
				list[n-1].count++
				continue
			}
			x.postings[term] = append(list, posting{int32(i), 1})
		}
	}
	mean := float64(total) / float64(max(len(docs), 1))
	for i, doc := range docs {
		x.norms[i] = LengthNorm(float64(len(doc)), mean)
	}
	return x
}

// Score scores every document of the index for the query, in the order they were
// given.
func (x *Index) Score(query []string) []float64 {
	scores := make([]float64, len(x.norms))
	for _, term := range query {
		list := x.postings[term]
		weight := InverseFrequency(len(list), len(x.norms))
		for _, p := range list {
			scores[p.doc] += weight * Saturated(float64(p.count), x.norms[p.doc])
		}
	}
	return scores
}

// InverseFrequency is the weight of a term that in of total documents have; it is
// never negative.
func InverseFrequency(in, total int) float64 {
	return math.Log1p((float64(total-in) + 0.5) / (float64(in) + 0.5))
}

// LengthNorm is how much the length of a text, beside the mean, weakens what occurs in it.
func LengthNorm(length, mean float64) float64 {
	if mean == 0 {
		return k1
	}
	return k1 * (1 - b + b*length/mean)
}

// Saturated is the share of a term's weight that count occurrences earn, below 1.
func Saturated(count, norm float64) float64 {
	if count == 0 {
		return 0
	}
	return count / (count + norm)
}

// Sorted returns the scores above zero, best first.
func Sorted(scores []float64) []Scored {
	ranking := make([]Scored, 0, len(scores))
	for i, score := range scores {
		if score > 0 {
			ranking = append(ranking, Scored{i, score})
		}
	}
	sortScored(ranking)
	return ranking
}

// sortScored puts the best first; equals stay in the order of the input.
func sortScored(ranking []Scored) {
	slices.SortFunc(ranking, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
	})
}
