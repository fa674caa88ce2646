package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blankAt skips one space, plain or not, at s[i].
func blankAt(s string, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' {
		return i + size
	}
	return i
}

// scaleAfter reads thousand, Mio., 亿 and the like after a number and returns where
// they end and what they multiply by.
func (p *figureParser) scaleAfter(end int, money bool) (int, float64) {
	factor := 1.0
	at := end
	for {
		i := blankAt(p.s, at)
		if i < len(p.s) && p.s[i] == '-' && i == at {
			i++
		}
		r, size := utf8.DecodeRuneInString(p.s[i:])
		if scale := cjkScales[r]; scale != 0 {
			for scale != 0 { // 百万 is one scale of two signs
				factor *= scale
				at, i = i+size, i+size
				r, size = utf8.DecodeRuneInString(p.s[i:])
				scale = cjkScales[r]
			}
			return at, factor
		}
		word, wordEnd := wordAt(p.s, i)
		scale := scales[p.lang][word]
		if scale == 0 {
			scale = scales[""][word]
		}
		if i == at && scale == 0 && wordEnd-i == 1 { // glued: 5k, 5M, $5m, $5b
			switch c := p.s[i]; {
			case c == 'k' || c == 'K':
				scale = 1e3
			case c == 'M' || c == 'm' && money:
				scale = 1e6
			case (c == 'B' || c == 'b') && money:
				scale = 1e9
			case c == 'T' && money:
				scale = 1e12
			}
		}
		if scale == 0 {
			return at, factor
		}
		factor *= scale
		at = wordEnd
		if at < len(p.s) && p.s[at] == '.' && abbreviatedScales[word] {
			at++
		}
	}
}

// abbreviatedScales take a full stop that is not the end of a sentence.
var abbreviatedScales = setOf("mio mrd tsd mill bio тыс млн млрд трлн mln mld tys mn bn")

// unitAfter reads the unit at or one space after s[end:], of the number that begins
// at s[start] and has a scale or not.
func (p *figureParser) unitAfter(start, end int, scaled bool) (int, unit, bool) {
	i := blankAt(p.s, end)
	if i == end && i < len(p.s) && (p.s[i] == '-' || strings.HasPrefix(p.s[i:], "‑")) {
		_, size := utf8.DecodeRuneInString(p.s[i:])
		if r, _ := utf8.DecodeRuneInString(p.s[i+size:]); unicode.IsLetter(r) {
			i += size
		}
	}
	if at, u, ok := longestUnit(p.s, i); ok {
		return at, u, true
	}
	if rest := p.s[i:]; strings.HasPrefix(rest, "in") && boundaryAfter(p.s, i+2) && p.afterFeet(start) {
		return i + 2, unitWords["inch"], true
	}
	for _, of := range genitives[p.lang] { // millones de euros, millions d'euros
		if rest, ok := strings.CutPrefix(p.s[i:], of); ok && scaled {
			if at, u, ok := longestUnit(p.s, len(p.s)-len(rest)); ok {
				return at, u, true
			}
		}
	}
	return end, unit{}, false
}

var genitives = map[string][]string{"es": {"de "}, "fr": {"de ", "d'", "d’"}, "pt": {"de "}, "it": {"di "}}

// afterFeet says whether the number at s[start] follows a length in feet, so that
// "in" is the inch and not the preposition.
func (p *figureParser) afterFeet(start int) bool {
	if len(p.found) == 0 {
		return false
	}
	last := p.found[len(p.found)-1]
	return last.unit == unitWords["feet"] && strings.Trim(p.s[last.End:start], " ,") == ""
}

// longestUnit finds the longest unit, symbol or words, at s[i].
func longestUnit(s string, i int) (int, unit, bool) {
	const longest = 40 // bytes; the longest entry is shorter
	rest := s[i:min(len(s), i+longest)]
	if rest == "" {
		return i, unit{}, false
	}
	best, found := 0, unit{}
	for end := 1; end <= len(rest); end++ {
		if end < len(rest) && !utf8.RuneStart(rest[end]) {
			continue
		}
		u, ok := symbols[rest[:end]]
		if ok && boundaryAfter(s, i+end) {
			best, found = end, u
		}
	}
	lower := rest
	if lowered := strings.ToLower(rest); len(lowered) == len(rest) { // offsets must hold
		lower = lowered
	}
	for end := best + 1; end <= len(lower); end++ {
		if end < len(lower) && !utf8.RuneStart(lower[end]) {
			continue
		}
		u, ok := unitWords[lower[:end]]
		if ok && boundaryAfter(s, i+end) {
			best, found = end, u
		}
	}
	return i + best, found, best > 0
}

// boundaryAfter says whether a unit may end at s[i]: not in the middle of a word,
// except in scripts that write no spaces.
func boundaryAfter(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, size := utf8.DecodeRuneInString(s[i:])
	if size == 0 || isUnspaced(before) || !unicode.IsLetter(before) {
		return true
	}
	return !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '_' || isUnspaced(after)
}

// perAfter reads "/day", "per litre" and the like after a unit.
func (p *figureParser) perAfter(end int) (unit, int, bool) {
	i := blankAt(p.s, end)
	rest := p.s[i:]
	var at int
	switch {
	case strings.HasPrefix(rest, "/"):
		at = i + 1
	default:
		word, wordEnd := wordAt(p.s, i)
		if !perWords[word] || wordEnd == i || blankAt(p.s, wordEnd) == wordEnd || i == end {
			return unit{}, 0, false
		}
		at = wordEnd
	}
	at = blankAt(p.s, at)
	if to, u, ok := longestUnit(p.s, at); ok && u.offset == 0 {
		return u, to, true
	}
	word, wordEnd := wordAt(p.s, at)
	if wordEnd == at {
		return unit{}, 0, false
	}
	return unit{dimension: word, factor: 1}, wordEnd, true
}

var perWords = setOf("per pro par por each every je за в 毎")

// currencyBefore returns the currency written right before s[start] and where it
// begins.
func (p *figureParser) currencyBefore(start int) (dimension string, at int) {
	end := len(strings.TrimRight(p.s[:start], " \u00a0\u202f"))
	if start-end > 3 {
		return "", start
	}
	for length := 4; length >= 1; length-- {
		from := end - length
		if from < 0 || !utf8.RuneStart(p.s[from]) {
			continue
		}
		d, ok := currencySigns[p.s[from:end]]
		if !ok {
			continue
		}
		before, size := utf8.DecodeLastRuneInString(p.s[:from])
		first, _ := utf8.DecodeRuneInString(p.s[from:])
		if size > 0 && unicode.IsLetter(before) && unicode.IsLetter(first) && !isUnspaced(before) {
			continue
		}
		return d, from
	}
	return "", start
}

// currencyEnds says whether a currency's letters stand right before s[i].
func (p *figureParser) currencyEnds(i int) bool {
	d, _ := p.currencyBefore(i)
	return d != ""
}

// numberInWords reads "twelve", "two hundred and fifty", "half a million", "a dozen".
func (p *figureParser) numberInWords(i int) (end int, q quantity, ok bool) {
	if prev, size := utf8.DecodeLastRuneInString(p.s[:i]); size > 0 && (unicode.IsLetter(prev) || unicode.IsDigit(prev) || prev == '-' || prev == '\'' || prev == '’') {
		return i, q, false
	}
	table := numberWords[p.lang]
	if table == nil {
		return i, q, false
	}
	word, at := wordAt(p.s, i)
	value, isNumber := table[word]
	switch {
	case p.lang == "en" && (word == "a" || word == "half"):
		next := at
		factor := 1.0
		if word == "half" {
			factor = 0.5
			article, to := wordAt(p.s, blankAt(p.s, at))
			if article != "a" {
				return i, q, false
			}
			next = to
		}
		scaleWord, _ := wordAt(p.s, blankAt(p.s, next))
		if scales[""][scaleWord] == 0 || len(scaleWord) < 5 {
			return i, q, false
		}
		return next, quantity{value: factor, step: 1e-3, coarse: 0.05}, true
	case !isNumber:
		return i, q, false
	}
	if at < len(p.s) && (p.s[at] == '\'' || strings.HasPrefix(p.s[at:], "’")) {
		return i, q, false
	}
	if p.lang != "en" {
		return at, quantity{value: value, step: 0.5, coarse: 0.5, small: true}, true
	}
	if word == "one" && !p.countsSomething(at) {
		return i, q, false
	}
	total, current, first := 0.0, value, true
	for first || current != 0 {
		first = false
		next := blankAt(p.s, at)
		if next < len(p.s) && p.s[next] == '-' {
			next++
		}
		w, to := wordAt(p.s, next)
		if w == "and" && (current >= 100 || total > 0) {
			if after, end := wordAt(p.s, blankAt(p.s, to)); table[after] > 0 && current >= 100 {
				w, to = after, end
			}
		}
		v := table[w]
		switch {
		case w == "hundred" && current < 100:
			current *= 100
		case w == "thousand" || w == "million" || w == "billion" || w == "trillion":
			if to == next {
				return at, q, false
			}
			total += current * scales[""][w]
			current = 0
			if after, end := wordAt(p.s, blankAt(p.s, to)); table[after] > 0 {
				current, to = table[after], end
			}
		case v > 0 && v < 10 && current >= 20 && int(current)%10 == 0, v >= 10 && current >= 100 && int(current)%100 == 0:
			current += v
		default:
			return at, quantity{value: total + current, step: 0.5, coarse: 0.5, small: true}, true
		}
		at = to
	}
	return at, quantity{value: total, step: 0.5, coarse: 0.05 * total}, true
}

// countsSomething says whether what follows "one" is a unit or a scale, so that it is
// the number and not the pronoun.
func (p *figureParser) countsSomething(at int) bool {
	i := blankAt(p.s, at)
	word, _ := wordAt(p.s, i)
	if scales["en"][word]+scales[""][word] != 0 {
		return true
	}
	_, _, ok := longestUnit(p.s, i)
	return ok && len(word) > 2
}
