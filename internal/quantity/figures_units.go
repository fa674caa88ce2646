package quantity

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
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
		if to, scale := cjkScale(p.s, i); scale != 1 {
			if _, _, ok := longestUnit(p.s, p.lang, i); ok { // 兆瓦 is the megawatt
				return at, factor
			}
			return to, factor * scale
		}
		if i == at && strings.HasPrefix(p.s[i:], "-") {
			if to, scale := cjkScale(p.s, i+1); scale != 1 {
				return to, factor * scale
			}
			i++
		}
		word, wordEnd := wordAt(p.s, i)
		scale := p.scaleOf(word)
		if scale == 0 && wordEnd-i == 1 {
			scale = p.letterScale(i, i == at, money)
		}
		if scale == 0 {
			return at, factor
		}
		factor *= scale
		at = wordEnd
		if strings.HasPrefix(p.s[at:], ".") && abbreviatedScales[word] {
			at++
		}
	}
}

// cjkScale reads the scales at s[i] that are one sign each, such as 百万, and returns
// where they end and what they multiply by, 1 where there are none.
func cjkScale(s string, i int) (end int, factor float64) {
	factor = 1
	for {
		r, size := utf8.DecodeRuneInString(s[i:])
		scale := cjkScales[r]
		if scale == 0 {
			return i, factor
		}
		factor, i = factor*scale, i+size
	}
}

// scaleOf is what a word of the language multiplies by, or else a word of any language;
// 0 for any other word.
func (p *figureParser) scaleOf(word string) float64 {
	return cmp.Or(p.lang.scales[word], scales()[word])
}

// letterScale is what the letter at s[i] multiplies by: before the sign of a currency as
// in 5 M€, or glued to the number as in 5k and $5m; 0 where it is no scale.
func (p *figureParser) letterScale(i int, glued, money bool) float64 {
	currency := strings.HasPrefix(p.s[i+1:], "€") || strings.HasPrefix(p.s[i+1:], "$") ||
		strings.HasPrefix(p.s[i+1:], "£")
	switch c := p.s[i]; c {
	case 'k', 'K', 'M':
		if glued || currency {
			return letterScales[c]
		}
	case 'm', 'b', 'B', 'T':
		if money && glued {
			return letterScales[c]
		}
	}
	return 0
}

var letterScales = map[byte]float64{'k': 1e3, 'K': 1e3, 'M': 1e6, 'm': 1e6, 'b': 1e9, 'B': 1e9, 'T': 1e12}

// abbreviatedScales take a full stop that is not the end of a sentence.
var abbreviatedScales = text.SetOf("mio mrd tsd mill bio тыс млн млрд трлн mln mld tys mn bn тис")

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
	if at, u, ok := longestUnit(p.s, p.lang, i); ok {
		return at, u, true
	}
	if rest := p.s[i:]; strings.HasPrefix(rest, "in") && boundaryAfter(p.s, i+2) && p.afterFeet(start) {
		return i + 2, units().words["inch"], true
	}
	for _, of := range p.lang.genitives { // millones de euros, millions d'euros
		if rest, ok := strings.CutPrefix(p.s[i:], of); ok && scaled {
			if at, u, ok := longestUnit(p.s, p.lang, len(p.s)-len(rest)); ok {
				return at, u, true
			}
		}
	}
	return end, unit{}, false
}

// afterFeet says whether the number at s[start] follows a length in feet, so that
// "in" is the inch and not the preposition.
func (p *figureParser) afterFeet(start int) bool {
	if len(p.found) == 0 {
		return false
	}
	last := p.found[len(p.found)-1]
	return last.unit == units().words["feet"] && strings.Trim(p.s[last.End:start], " ,") == ""
}

// longestUnit finds the longest unit, symbol or words, at s[i].
func longestUnit(s string, in *tongue, i int) (int, unit, bool) {
	const longest = 40 // bytes; the longest entry is shorter
	rest := s[i:min(len(s), i+longest)]
	if rest == "" {
		return i, unit{}, false
	}
	table := units()
	best, found := 0, unit{}
	for end := 1; end <= len(rest); end++ {
		if end < len(rest) && !utf8.RuneStart(rest[end]) {
			continue
		}
		u, ok := table.symbols[rest[:end]]
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
		u, ok := table.only[in.Code][lower[:end]]
		if !ok {
			u, ok = table.words[lower[:end]]
		}
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
	if size == 0 || text.IsUnspaced(before) && !unicode.Is(unicode.Hangul, before) || !unicode.IsLetter(before) &&
		!unicode.Is(unicode.M, before) {
		return true
	}
	if after == '\'' || after == '’' { // d'euros is no day
		next, _ := utf8.DecodeRuneInString(s[i+size:])
		return !unicode.IsLetter(next) || next == 's'
	}
	if unicode.Is(unicode.Hangul, before) { // a particle follows: 5킬로미터를
		return true
	}
	if unicode.Is(unicode.Mc, after) {
		return false
	}
	return !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '_' || text.IsUnspaced(after)
}

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
		u, ok := units().symbols[p.s[from:end]]
		if !ok || !strings.HasPrefix(u.dimension, "money:") {
			continue
		}
		before, size := utf8.DecodeLastRuneInString(p.s[:from])
		first, _ := utf8.DecodeRuneInString(p.s[from:])
		if size > 0 && unicode.IsLetter(before) && unicode.IsLetter(first) && !text.IsUnspaced(before) {
			continue
		}
		return u.dimension, from
	}
	return "", start
}

// percentBefore returns the percent sign, or word, that Turkish and some Arabic writing
// put before the number, and where it begins.
func (p *figureParser) percentBefore(start int) (dimension string, at int) {
	if !p.lang.Is(lang.PercentFirst) {
		return "", start
	}
	const farthest = 8 // bytes; yüzde and a space
	from := max(0, start-farthest)
	for from < start && !utf8.RuneStart(p.s[from]) {
		from++
	}
	before := strings.TrimRight(p.s[from:start], " ")
	for _, sign := range [...]string{"%", "٪", "yüzde"} {
		head, ok := strings.CutSuffix(strings.ToLower(before), sign)
		if last, _ := utf8.DecodeLastRuneInString(head); ok && len(head)+len(sign) == len(before) &&
			!unicode.IsLetter(last) && !unicode.IsDigit(last) {
			return DimensionPercent, from + len(head)
		}
	}
	return "", start
}
