package cite

import (
	"slices"

	"github.com/citewell/citewell/text"
)

// turners are words beside which a denial says what may be said without one: "not until
// May" is "only from May", "granted unless it rains" is "not granted when it rains".
var turners = map[string]map[string]bool{
	"en": text.SetOf("only until till unless except"),
	"de": text.SetOf("nur erst bis ausser sondern"),
	"fr": text.SetOf("seulement seul seule seuls seules sauf"),
	"es": text.SetOf("solo sólo solamente hasta salvo excepto sino"),
}

// contrasts are denials that behind a comma deny the second of two things.
var contrasts = map[string]map[string]bool{
	"en": text.SetOf("not"), "de": text.SetOf("nicht"), "fr": text.SetOf("pas non"), "es": text.SetOf("no"),
	"it": text.SetOf("non"), "pt": text.SetOf("não"), "nl": text.SetOf("niet"), "ru": text.SetOf("не"),
}

// turnsDenial says whether a denial in one of two sentences may say the same as none in the other:
// beside a turner that the other lacks, or of the second of two things, "the door, not the
// weather".
func turnsDenial(a, b sentence) bool { return a.turns(b) || b.turns(a) }

func (s sentence) turns(other sentence) bool {
	for i, w := range s.words {
		switch {
		case s.contrasts(i):
			return true
		case !s.turner(i) || slices.ContainsFunc(other.words, func(o word) bool { return o.low == w.low }):
		case slices.ContainsFunc(other.words, func(o word) bool { return o.negation }),
			slices.ContainsFunc(s.words, func(o word) bool { return o.negation && o.clause == w.clause }):
			return true
		}
	}
	return false
}

// turner says whether the word at i is a turner there: "the only bridge" is none, and "que"
// is one behind a "ne" that has no other word of denial.
func (s sentence) turner(i int) bool {
	low := s.words[i].low
	if s.lang == "fr" && (low == "que" || elided(low, "qu")) {
		j := i - 1
		for ; j >= 0 && s.words[j].clause == s.words[i].clause && !s.words[j].negation; j-- {
		}
		return j >= 0 && (s.words[j].low == "ne" || elided(s.words[j].low, "n"))
	}
	return turners[s.lang][low] && !(low == "only" && i > 0 && s.words[i-1].low == "the")
}

// contrasts says whether the denial at i is of the second of two things.
func (s sentence) contrasts(i int) bool {
	w := s.words[i]
	return i > 0 && w.negation && (s.words[i-1].low == "but" || w.comma && s.words[i-1].content && contrasts[s.lang][w.low])
}
