package cite

import (
	"cmp"
	"math"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/verbatim"
)

// A scored sentence has a share of a claim's words.
type scored struct {
	citewell.Citation
	score float64
}

// apart is how many bytes another sentence begins away from s; those of other sources are the farthest.
func (s scored) apart(other scored) int {
	if s.N != other.N {
		return math.MaxInt
	}
	return max(s.Start-other.Start, other.Start-s.Start)
}

// overlap reports whether two citations share words of a source.
func overlap(a, b citewell.Citation) bool { return a.N == b.N && a.Start < b.End && b.Start < a.End }

// Sentences returns up to n sentences, whole, by which a reader can judge a claim that no judge has
// decided: those that are cited, then those of the passages with most of the claim's words, best first,
// then those that stand beside the first, for a claim in words of its own may share none with them. There
// are none where words or a judge decided.
func (held Held) Sentences(n int) (sentences []citewell.Citation) {
	if held.Inquiry == nil {
		return nil
	}
	h := beginHolding(Claim{Text: held.Inquiry.Text})
	var passages []citewell.Passage
	for _, s := range held.Inquiry.Passages {
		passages = append(passages, s.Passage)
	}
	terms := h.terms(passages)
	var all []scored
	for _, p := range passages {
		for _, at := range nearcopy.SentencesOf(h.read(p.Text)) {
			start, end, ok := verbatim.Trim(p.Text, at.Start, at.End)
			c := citation(p, start, end)
			known := func(s scored) bool { return overlap(s.Citation, c) }
			if !ok || c.Quote == p.Columns || slices.ContainsFunc(all, known) {
				continue // blank, no row, or in a passage before
			}
			words := c.Quote
			if c.Where = p.Where(); p.IsRow(start, end) {
				c.Columns, words = p.Columns, rowWords(p, start, end, h.said)
			}
			score := terms.shareIn(h.read(words))
			if slices.ContainsFunc(held.Citations, func(o citewell.Citation) bool { return overlap(o, c) }) {
				score += 2 // before all others: a share is at most 1
			}
			all = append(all, scored{c, score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	if i := slices.IndexFunc(all, func(s scored) bool { return s.score == 0 }); i > 0 {
		first := all[0]
		slices.SortStableFunc(all[i:], func(a, b scored) int { return cmp.Compare(first.apart(a), first.apart(b)) })
	}
	for _, s := range all[:min(n, len(all))] {
		sentences = append(sentences, s.Citation)
	}
	return sentences
}
