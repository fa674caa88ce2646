package cite

import (
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// chosen is the sentence of one source, or the two neighbours, that has most of the claim's
// words. A sentence that words find to say it, or to say otherwise, is chosen before all others. Where
// no word is shared, as in another language, it is the first passage, so that a reader sees
// where it was looked for.
func (h *holding) chosen(of int, passages []citewell.Passage) span {
	passages = passages[:min(len(passages), maxSearched)]
	terms := h.terms(passages)
	best, most := span{}, 0.0
	for _, p := range passages {
		sentences := text.Sentences(p.Text)
		for window := 1; window <= 2; window++ {
			for i := 0; i+window <= len(sentences); i++ {
				s := h.quoted(of, p, sentences[i].Start, sentences[i+window-1].End)
				if score := terms.in(s.words, h.claim.Lang) - perSentence*float64(window-1); score > most {
					best, most = s, score
				}
			}
		}
	}
	if most == 0 {
		p := passages[0]
		if start, end, ok := trimSpan(p.Text, 0, len(p.Text)); ok {
			return h.quoted(of, p, start, end)
		}
		return h.quoted(of, p, 0, len(p.Text))
	}
	return best
}

// perSentence is the share of the claim's words that a second sentence must add to be cited
// with the first.
const perSentence = 0.1

// weighted are the content words of a claim, each with the share of the whole that it counts.
type weighted map[string]float64

// terms weighs the claim's content words. Long words say more about what a sentence is
// about, and words that nearly all passages have tell least.
func (h *holding) terms(passages []citewell.Passage) weighted {
	const enough = 4 // passages to tell rare words from common ones by
	in := map[string]int{}
	for _, p := range passages {
		for _, term := range unique(text.Terms(p.Text, h.claim.Lang)) {
			in[term]++
		}
	}
	terms, all := weighted{}, 0.0
	for _, term := range unique(text.Terms(h.claim.Text, h.claim.Lang)) {
		terms[term] = min(2, 0.5+0.15*float64(utf8.RuneCountInString(term)))
		if len(passages) >= enough {
			terms[term] *= 1 - 0.9*float64(in[term])/float64(len(passages))
		}
		all += terms[term]
	}
	for term := range terms {
		terms[term] /= all
	}
	return terms
}

// in is the share of the terms that a text has.
func (w weighted) in(s, lang string) (share float64) {
	has := text.Terms(s, lang)
	for term, weight := range w {
		best := 0.0
		for _, other := range has {
			best = max(best, like(term, other))
		}
		share += best * weight
	}
	return share
}

// like says how much two terms are the same word: 1 where they are, 0.8 where they
// have a long common beginning (inhibit, inhibitor).
func like(a, b string) float64 {
	if a == b {
		return 1
	}
	const shared = 5
	if len(a) < shared || len(b) < shared || a[:shared] != b[:shared] {
		return 0
	}
	n := shared
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if 3*n >= 2*max(len(a), len(b)) {
		return 0.8
	}
	return 0
}
