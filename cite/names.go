package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/quantity"
)

// capitalised gives the words of a sentence that may be names: those with a capital
// letter, the first included unless it is a function word. In German, where every noun
// has one, only those that stand where a name needs no article: first, or right behind
// a preposition.
func (s sentence) capitalised() []int {
	dates := quantity.Dates(s.text, s.lang)
	var names []int
	for i, w := range s.words {
		initial, _ := utf8.DecodeRuneInString(s.text[w.start:w.end])
		if !unicode.IsUpper(initial) || !w.content || w.directed() || w.hyphenated || utf8.RuneCountInString(w.low) < 2 {
			continue
		}
		if s.lang == "de" && i > 0 && !bareBefore[s.words[i-1].low] {
			continue
		}
		if !slices.ContainsFunc(dates, func(d quantity.Date) bool { return w.start < d.End && d.Start < w.end }) {
			names = append(names, i)
		}
	}
	return names
}

// bareBefore are German prepositions that a name follows without an article.
var bareBefore = wordSet("in von aus nach bei für mit gegen durch und")

// unnamed gives a name of the claim that the evidence has nowhere, where the sentence
// that says the rest of the claim has another name in its place, which the claim lacks.
// Without another name it may be the same thing: "the city" for Lyon.
func (s sentence) unnamed(shown sentence, all []word) string {
	for _, i := range s.capitalised() {
		name, raw := s.words[i], s.raw(i)
		if named(name, all) || isAbbreviation(strings.ToUpper(raw)) && shown.spelledOut(name.low) > 0 {
			continue
		}
		for _, j := range shown.capitalised() {
			rival, written := shown.words[j], shown.raw(j)
			switch {
			case !sameSlot(s, i, shown, j) || named(rival, s.words) || firstLetters(rival.low) == firstLetters(name.low):
			case isAbbreviation(written) && s.spelledOut(rival.low) > 0 || len(written) == 2 && strings.ToUpper(written) == written:
			case s.saidBut(i, shown):
				return raw
			}
		}
	}
	return ""
}

// sameSlot says whether two words stand in the same place: the same word is before them,
// or the same behind them.
func sameSlot(s sentence, i int, shown sentence, j int) bool {
	at := func(s sentence, i int) string {
		if i < 0 || i >= len(s.words) {
			return ""
		}
		return s.words[i].term
	}
	before, behind := at(s, i-1), at(s, i+1)
	return before != "" && before == at(shown, j-1) || behind != "" && behind == at(shown, j+1)
}

// saidBut says whether the sentence shown has nearly all words of the claim but one.
func (s sentence) saidBut(name int, shown sentence) bool {
	const nearlyAll = 0.75
	var found, all float64
	for i, w := range s.words {
		if !w.content || i == name {
			continue
		}
		all++
		best := 0.0
		for _, other := range shown.words {
			if other.content {
				best = max(best, like(w.term, other.term))
			}
		}
		found += best
	}
	return all > 0 && found >= nearlyAll*all
}

// named says whether a name is among words, inflected or joined to another.
func named(name word, words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool {
		return like(name.term, w.term) > 0 || strings.Contains(w.low, name.low) || len(w.low) >= 4 && strings.Contains(name.low, w.low)
	})
}

// firstLetters are the first four letters of a word: France and French share them, and
// so do most forms of a name.
func firstLetters(low string) string {
	runes := []rune(low)
	return string(runes[:min(4, len(runes))])
}
