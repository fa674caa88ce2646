package cite

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// chosen returns the sentence of one source, or the two neighbouring sentences, with most of the claim's
// words. A sentence that supports the claim by words, or contradicts it, comes first. If no
// word is shared, as in another language, the span is the first passage, to show the reader where to look.
func (h *holding) chosen(of int, passages []citewell.Passage) span {
	passages = passages[:min(len(passages), maxSearched)]
	terms := h.terms(passages)
	type scored struct {
		span
		score float64
	}
	var all []scored
	for _, p := range passages {
		sentences := h.read(p.Text).Sentences()
		for window := 1; window <= 2; window++ {
			for i := 0; i+window <= len(sentences); i++ {
				s := h.quoted(of, p, sentences[i].Start, sentences[i+window-1].End)
				if score := terms.shareIn(s.words) - perSentence*float64(window-1); score > 0 {
					all = append(all, scored{s, score})
				}
			}
		}
	}
	if len(all) == 0 {
		p := passages[0]
		if start, end, ok := verbatim.Trim(p.Text, 0, len(p.Text)); ok {
			return h.quoted(of, p, start, end)
		}
		return h.quoted(of, p, 0, len(p.Text))
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	best, decided := all[0].span, false
	for _, s := range all[:min(len(all), closest)] {
		if s.score < nearlyMost*all[0].score {
			break
		}
		switch nearcopy.Compare(h.said, s.words, nil).Verdict {
		case citewell.VerdictSupported:
			return s.span
		case citewell.VerdictContradicted:
			if !decided {
				best, decided = s.span, true
			}
		}
	}
	return best
}

// Bounds of the sentences that are compared with the claim.
const (
	closest    = 6   // sentences
	nearlyMost = 0.8 // of the best sentence's score
)

// perSentence is the share of the claim's words that a second sentence must add to be cited
// with the first.
const perSentence = 0.1

// A weightedTerm is a content word of a claim with its share of the total weight.
type weightedTerm struct {
	text  string
	share float64
}

// terms weighs the claim's content words: long words count more, and words that occur in nearly all
// passages count least.
func (h *holding) terms(passages []citewell.Passage) (terms weightedTerms) {
	const enough = 4 // passages to tell rare words from common ones by
	in := map[string]int{}
	for _, p := range passages {
		for _, term := range unique(h.read(p.Text).Terms()) {
			in[term]++
		}
	}
	all := 0.0
	for _, term := range unique(h.said.Terms()) {
		weight := min(2, 0.5+0.15*float64(utf8.RuneCountInString(term)))
		if len(passages) >= enough {
			weight *= 1 - 0.9*float64(in[term])/float64(len(passages))
		}
		terms = append(terms, weightedTerm{term, weight})
		all += weight
	}
	for i := range terms {
		terms[i].share /= all
	}
	return terms
}

type weightedTerms []weightedTerm

// shareIn returns the share of the terms that occur in a text.
func (w weightedTerms) shareIn(r *text.Reading) (share float64) {
	has := r.Terms()
	for _, term := range w {
		best := 0.0
		for _, other := range has {
			best = max(best, nearcopy.Like(term.text, other))
		}
		share += best * term.share
	}
	return share
}
