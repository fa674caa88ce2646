package cite

import (
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// lexical is what comparing the words of a claim with those of its evidence gave.
type lexical struct {
	score   float64
	opposed string // why the evidence says the opposite; empty where it does not
}

// lexicalSupport looks each content word of the claim up in the evidence. Words that
// stand in one sentence of it count in full, words spread over several for less.
func lexicalSupport(claim, claimLang, evidence, evidenceLang string, weigh func(term string) float64) lexical {
	terms := unique(text.Terms(claim, claimLang))
	if len(terms) == 0 {
		return lexical{}
	}
	var total float64
	for _, term := range terms {
		total += weigh(term)
	}
	type sentence struct {
		text  string
		found float64
	}
	var sentences []sentence
	best := 0.0
	all := map[string]bool{}
	for _, span := range text.Sentences(evidence) {
		words := map[string]bool{}
		for _, term := range text.Terms(evidence[span.Start:span.End], evidenceLang) {
			words[term], all[term] = true, true
		}
		found := covered(terms, words, weigh)
		sentences = append(sentences, sentence{evidence[span.Start:span.End], found})
		best = max(best, found)
	}
	l := lexical{score: (0.5*best + 0.5*covered(terms, all, weigh)) / total}
	for _, s := range sentences {
		if s.found > 0 && s.found >= nearlyBest*best && l.opposed == "" {
			l.opposed = opposition(claim, claimLang, s.text, evidenceLang)
		}
	}
	return l
}

// nearlyBest is the share of the best sentence's words from which another sentence
// counts as speaking of the claim too.
const nearlyBest = 0.7

// covered sums the weights of the terms that words has, whole or by a long common
// beginning (inhibit, inhibitor).
func covered(terms []string, words map[string]bool, weigh func(term string) float64) float64 {
	sum := 0.0
	for _, term := range terms {
		switch {
		case words[term]:
			sum += weigh(term)
		case likeOneOf(term, words):
			sum += 0.8 * weigh(term)
		}
	}
	return sum
}

// weight gives long words more: they say more about what a sentence is about.
func weight(term string) float64 {
	return min(2, 0.5+0.15*float64(utf8.RuneCountInString(term)))
}

func likeOneOf(term string, words map[string]bool) bool {
	const shared = 5
	if len(term) < shared {
		return false
	}
	for word := range words {
		n := 0
		for n < len(word) && n < len(term) && word[n] == term[n] {
			n++
		}
		if n >= shared && 3*n >= 2*max(len(word), len(term)) {
			return true
		}
	}
	return false
}

func unique(terms []string) []string {
	seen := map[string]bool{}
	kept := terms[:0]
	for _, term := range terms {
		if !seen[term] {
			seen[term] = true
			kept = append(kept, term)
		}
	}
	return kept
}
