package cite

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// A word is one word of a sentence with what the lists know of it.
type word struct {
	low        string // folded
	term       string // as in text.Terms; low for a function word
	start, end int    // in the text the sentence is of
	content    bool   // no function word
	clause     int    // number of the clause it stands in
	poles      []pole
	relation   bool
	neutral    bool
	proof      bool // "no evidence", "no benefit": denied, it denies an effect
	negation   bool
	refusal    bool // a verb that denies the next one, with whatever stands between
	denied     bool // a negation is about it
	hyphenated bool // joined to the word before
	comma      bool // a comma stands before it
}

func (w word) directed() bool { return len(w.poles) > 0 || w.relation || w.neutral || w.proof }

// sign returns the side of the word on an axis, 0 where it has none.
func (w word) sign(axis string) int {
	for _, p := range w.poles {
		if p.axis == axis {
			return p.sign
		}
	}
	return 0
}

// readWords reads a sentence word by word.
func readWords(s string, lang string) []word {
	tokens := text.Words(s)
	terms := text.TermTokens(s, lang)
	words := make([]word, len(tokens))
	clause, at, end := 0, 0, 0
	directions, related, neutral, proving := poles(lang), relations(lang), neutrals(lang), proofs(lang)
	breaks := ";:.!?؛؟"
	if strings.Contains(s, " | ") { // rows of a table: cells apart, a row a line
		breaks += "|\n"
	}
	for i, t := range tokens {
		w := word{low: t.Text, term: t.Text, start: t.Start, end: t.End}
		for at < len(terms) && terms[at].Start < t.Start {
			at++
		}
		if at < len(terms) && terms[at].Start == t.Start {
			w.term, w.content = terms[at].Text, true
		}
		between := s[min(end, t.Start):t.Start]                                          // pairs of characters overlap
		ofNumber := len(between) == 1 && digitSize(s, t.Start) > 0 && lastDigit(s[:end]) // 17:30
		if i > 0 && strings.ContainsAny(between, breaks) && !ofNumber || clauseBreaks[w.low] && !(w.low == "yet" && i+1 < len(tokens) && tokens[i+1].Text == "to") {
			clause++
		}
		w.hyphenated = i > 0 && isHyphen(between)
		w.comma = i > 0 && strings.ContainsAny(between, ",،，")
		w.clause = clause
		w.poles, w.relation, w.neutral = directions[w.term], related[w.term], neutral[w.term]
		w.proof = proving[w.term]
		w.negation = isNegation(lang, w.low)
		w.content = w.content && !negations[lang][w.low] && !(lang == "en" && w.low == "one" && i > 0 && words[i-1].low == "no")
		words[i], end = w, t.End
	}
	if lang == "en" {
		markRatios(s, words)
	}
	if lang == "de" {
		markSeparable(words)
	}
	markRefused(words, lang)
	affirm(words, lang)
	markDenied(words, lang)
	return words
}

// lastDigit says whether s ends with a digit.
func lastDigit(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	_, ok := text.Digit(r)
	return ok
}

// markRatios reads "hazard ratio 0.71 (0.60 to 0.85)" as less, and 1.4 as more; one
// whose interval has 1 in it as no effect.
func markRatios(s string, words []word) {
	const reach = 14 // words from the ratio to its figure
	for i := range words {
		switch words[i].low {
		case "ratio", "ratios", "or", "hr", "rr", "risk":
		default:
			continue
		}
		if words[i].low == "or" && s[words[i].start:words[i].end] != "OR" || words[i].low == "risk" && (i == 0 || words[i-1].low != "relative") {
			continue
		}
		var values []float64
		for j := i + 1; j < len(words) && j <= i+reach && len(values) < 3; j++ {
			raw := s[words[j].start:words[j].end]
			if v, err := strconv.ParseFloat(raw, 64); err == nil && strings.Contains(raw, ".") && v < 30 {
				values = append(values, v)
			} else if len(values) > 0 && words[j].content && words[j].low != "ci" && words[j].low != "confidence" && words[j].low != "interval" && raw != "95" {
				break
			}
		}
		switch {
		case len(values) == 0:
		case len(values) == 3 && values[1] < 1 && values[2] > 1:
			words[i].neutral = true
		case values[0] > 1:
			words[i].poles = []pole{{amount, 1}}
		case values[0] < 1:
			words[i].poles = []pole{{amount, -1}}
		}
	}
}

func isHyphen(between string) bool {
	return between == "-" || between == "‐" || between == "‑" || between == "–"
}

func isNegation(lang, low string) bool {
	if negations[lang][low] {
		return true
	}
	switch lang {
	case "en":
		return strings.HasSuffix(low, "n't") || strings.HasSuffix(low, "n’t")
	case "ar": // "and not" is one word
		rest, ok := strings.CutPrefix(low, "و")
		if !ok {
			rest, ok = strings.CutPrefix(low, "ف")
		}
		return ok && negations[lang][rest]
	case "fr":
		return strings.HasPrefix(low, "n'") || strings.HasPrefix(low, "n’")
	}
	return false
}

// notDenying are words that take a negation's force away when they follow it.
var notDenying = text.SetOf("only just merely necessarily solely nur seulement sólo solo solamente soltanto apenas alleen только فقط менее")

// markDenied marks the words that negations are about: the next directed word of the
// clause, or else its next content word. Where a language puts the negation behind
// the verb, a directed word before it will do. A second negation in the same clause
// only strengthens the first ("ne … pas", "no … ningún", "neither … nor").
func markDenied(words []word, lang string) {
	const near = 8 // words between two negations that are one
	last := -1
	for i := range words {
		if !words[i].negation || !denies(words, i, lang) {
			continue
		}
		if last >= 0 && i-last <= near && words[i].clause == words[last].clause && (lang != "en" || words[i].low == "nor") {
			continue
		}
		last = i
		head := deniedBy(words, i, lang)
		if head < 0 {
			continue
		}
		words[head].denied = !words[head].denied
		if next := head + 1; !words[head].directed() && next < len(words) && words[next].content && words[next].clause == words[head].clause {
			words[next].denied = true
		}
	}
}

// Words of a bound, and those behind them: "no more than", "not take more than 5".
const reachOfBound = 3

var (
	bounding  = text.SetOf("more less fewer later earlier mehr weniger später früher plus moins más menos più meno mais meer minder более менее больше меньше")
	boundThan = text.SetOf("than als que de di do da dan чем")
)

// denies says whether the negation at i has its force: "not only" and "no less than" do
// not, and the "pas" of "ne pas" adds none.
func denies(words []word, i int, lang string) bool {
	for k := i + 1; k <= i+reachOfBound && k+1 < len(words); k++ {
		if bounding[words[k].low] && boundThan[words[k+1].low] && (k == i+1 && words[i].low == "no" && lang == "en" || k+2 < len(words) && digitSize(words[k+2].low, 0) > 0) {
			return false
		}
	}
	if lang == "ar" && i+2 < len(words) && (words[i+2].low == "عن" || words[i+2].low == "على") && words[i+1].sign(amount) != 0 {
		return false // لا يقل عن: at least
	}
	return !(i+1 < len(words) && notDenying[words[i+1].low] || lang == "fr" && i > 0 && words[i].low == "pas" && words[i-1].negation)
}

// deniedBy returns the word that the negation at i is about, -1 where there is none.
func deniedBy(words []word, i int, lang string) int {
	const reach = 5
	if words[i].content { // n'augmente: the verb itself
		return i
	}
	inClause := func(j int) bool { return words[j].clause == words[i].clause }
	end := i + 1
	for end < len(words) && inClause(end) && (end <= i+reach && !words[end].comma || words[i].refusal && lang == "de" && end <= i+2*reach) {
		end++
	}
	for j := i + 1; j < end; j++ {
		if words[j].directed() {
			return j
		}
	}
	if lang != "en" {
		for j := i - 1; j >= 0 && j >= i-reach && inClause(j); j-- {
			if words[j].directed() && words[j].sign("order") == 0 {
				return j
			}
		}
	}
	for j := i + 1; j < end; j++ {
		if words[j].content && words[j].low != "one" { // "no one": whatever follows
			return j
		}
	}
	if lang != "en" {
		for j := i - 1; j >= 0 && inClause(j); j-- {
			if words[j].content {
				return j
			}
		}
	}
	return -1
}
