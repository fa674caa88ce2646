package quantity

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

var vulgarFractions = map[rune]float64{'½': 0.5, '¼': 0.25, '¾': 0.75, '⅓': 1.0 / 3, '⅔': 2.0 / 3, '⅛': 0.125,
	'⅜': 0.375, '⅝': 0.625, '⅞': 0.875, '⅕': 0.2, '⅖': 0.4, '⅗': 0.6, '⅘': 0.8}

// longestWord is how much of a run of letters is looked at, in bytes: no word of the
// tables is longer, and text without spaces is one run.
const longestWord = 120

// wordAt returns the run of letters that begins at s[i], lower case, and its end.
func wordAt(s string, i int) (string, int) {
	end := i
	for end < len(s) && end-i < longestWord {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) {
			break
		}
		end += size
	}
	return strings.ToLower(s[i:end]), end
}

// wordBefore returns the letters that end at or just before s[i], skipping spaces and
// one full stop of an abbreviation, as written, with their start.
func wordBefore(s string, i int) (string, int) {
	end := len(strings.TrimRight(s[:i], " \u00a0\u202f"))
	if end > 0 && s[end-1] == '.' {
		end--
	}
	start := end
	for start > 0 && end-start < longestWord {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) {
			break
		}
		start -= size
	}
	return s[start:end], start
}

// isSpacelessAt says whether the rune at s[i] belongs to a script that writes no
// spaces, where a letter beside a digit does not make an identifier.
func isUnspacedAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return text.IsUnspaced(r)
}

// skipGlued goes past what is written together with a number that is no figure, so
// that the rest of an identifier, address or time is not read as another one.
func (p *figureParser) skipGlued(i int) int {
	for i < len(p.s) {
		r, size := utf8.DecodeRuneInString(p.s[i:])
		joins := strings.ContainsRune("-_./:@#'’·,", r)
		if joins {
			next, _ := utf8.DecodeRuneInString(p.s[i+size:])
			joins = unicode.IsDigit(next) || r != ',' && r != '-' && unicode.IsLetter(next) && !text.IsUnspaced(next)
		}
		if !joins && (!unicode.IsLetter(r) && !unicode.IsDigit(r) || text.IsUnspaced(r)) {
			return i
		}
		i += size
	}
	return i
}

// labelWords stand before numbers that name a thing and do not count it, in any language.
var labelWords = sync.OnceValue(func() map[string]bool { return lang.EverywhereOf(lang.BeforeNumbers, "names") })

// notNames open a sentence before a number and are no names, in any language.
var notNames = sync.OnceValue(func() map[string]bool { return lang.EverywhereOf(lang.BeforeNumbers, "counts") })

// isLabel says whether the number at s[i] names something: a version, a time, part
// of an address or identifier, an ordinal, a numbered heading, a reference mark.
func (p *figureParser) isLabel(i int, n numeral) bool {
	return p.endsIdentifier(i) || p.beginsIdentifier(n.end) || isReferenceMark(p.s, i, n) || p.numbersHeading(i, n) ||
		p.ordinalAfter(n) || n.places == 0 && p.ordinalCounter(n.end) || p.isClock(i, n.end) || afterLabelWord(p.s, i)
}

// endsIdentifier says whether what is written right before the number at s[i] makes it
// part of an address or an identifier: #12, B12, a/12, 10:12, 555-0199-12.
func (p *figureParser) endsIdentifier(i int) bool {
	before, size := utf8.DecodeLastRuneInString(p.s[:i])
	earlier, _ := utf8.DecodeLastRuneInString(p.s[:i-size])
	switch {
	case before == ':':
		return unicode.IsDigit(earlier)
	case strings.ContainsRune("#_@№§/\\=&^第", before):
		return true
	case unicode.IsLetter(before):
		currency, _ := p.currencyBefore(i)
		return !text.IsUnspaced(before) && currency == "" && !afterArabicPrefix(p.s, i)
	case isHyphen(before) && unicode.IsDigit(earlier):
		return p.manyHyphens(i)
	}
	return before == '-' && (earlier == '-' || unicode.IsLetter(earlier) && !text.IsUnspaced(earlier))
}

// beginsIdentifier says whether what is written right behind the number that ends at
// s[end] makes it part of an address or an identifier.
func (p *figureParser) beginsIdentifier(end int) bool {
	switch after, next := twoRunes(p.s[end:]); after {
	case '_', '@':
		return true
	case ':', '/':
		return unicode.IsDigit(next)
	case '-':
		return unicode.IsDigit(next) && p.manyHyphens(end+1)
	}
	return false
}

// isReferenceMark says whether the number at s[i] stands in brackets, alone or in a list.
func isReferenceMark(s string, i int, n numeral) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := twoRunes(s[n.end:])
	switch before {
	case '[':
		return strings.ContainsRune("],;–-", after)
	case ',', ' ':
		return after == ']' && n.value < 1000 && n.places == 0
	case '(':
		return after == ')' && n.places == 0 && n.value < 100
	}
	return false
}

// numbersHeading says whether the number at s[i] stands before a heading or an item of a
// list, at the start of its line: "3. ", "3)", "2.1 Overview".
func (p *figureParser) numbersHeading(i int, n numeral) bool {
	if !atLineStart(p.s, i) {
		return false
	}
	after, next := twoRunes(p.s[n.end:])
	if n.places == 0 && n.value < 1000 && (after == ')' || after == '.' && unicode.IsSpace(next)) {
		return true
	}
	if n.places != 1 || p.s[n.end-2] != '.' || after != ' ' || !unicode.IsUpper(next) {
		return false
	}
	_, scale := p.scaleAfter(n.end, false)
	_, _, measured := longestUnit(p.s, p.lang, n.end+1)
	return scale == 1 && !measured
}

// afterLabelWord says whether the number at s[i] follows a word such as chapter.
func afterLabelWord(s string, i int) bool {
	word, _ := wordBefore(s, i)
	return labelWords()[strings.ToLower(word)] && (s[i-1] == ' ' || s[i-1] == '.' || s[i-1] >= utf8.RuneSelf)
}

// twoRunes are the first two of s, utf8.RuneError where there are none.
func twoRunes(s string) (first, second rune) {
	first, size := utf8.DecodeRuneInString(s)
	second, _ = utf8.DecodeRuneInString(s[size:])
	return first, second
}

// afterArabicPrefix says whether the letters right before s[i] are nothing but an
// Arabic conjunction, preposition or article, which are written against a number.
func afterArabicPrefix(s string, i int) bool {
	const longest = 8 // bytes
	start := i
	for start > 0 && i-start <= longest {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) {
			break
		}
		start -= size
	}
	return arabicPrefixes[s[start:i]]
}

var arabicPrefixes = text.SetOf("و ف ب ل ك ال وال بال بـ لـ الـ كـ وبـ وب ول ولـ")

// ordinalAfter says whether what follows the digits makes them an ordinal: 3rd, 2e,
// 1º, 5-й, and in languages that write so, "3. " before a word.
func (p *figureParser) ordinalAfter(n numeral) bool {
	rest := p.s[n.end:]
	if n.places != 0 {
		return false
	}
	if r, ok := strings.CutPrefix(rest, "."); ok && (strings.HasPrefix(r, "º") || strings.HasPrefix(r, "ª")) {
		return true // 1.º
	}
	if strings.HasPrefix(rest, "º") && !strings.HasPrefix(rest, "ºC") && !strings.HasPrefix(rest, "ºF") ||
		strings.HasPrefix(rest, "ª") {
		return true
	}
	if r, ok := strings.CutPrefix(rest, "-"); ok {
		if first, _ := utf8.DecodeRuneInString(r); unicode.Is(unicode.Cyrillic, first) {
			w, _ := wordAt(r, 0)
			return utf8.RuneCountInString(w) <= 3
		}
	}
	if !p.lang.Is(lang.OrdinalDot) {
		return false
	}
	if r, ok := strings.CutPrefix(rest, ". "); ok && n.value < 100 {
		first, _ := utf8.DecodeRuneInString(r)
		return unicode.IsLetter(first)
	}
	return false
}

// manyHyphens says whether the digits around s[i] are a chain such as 555-0199-12,
// which is an identifier, not a range.
func (p *figureParser) manyHyphens(i int) bool {
	from, to := i, i
	inChain := func(c byte) bool { return c >= '0' && c <= '9' || c == '-' }
	for from > 0 && inChain(p.s[from-1]) {
		from--
	}
	for to < len(p.s) && inChain(p.s[to]) {
		to++
	}
	return strings.Count(strings.Trim(p.s[from:to], "-"), "-") >= 2
}

func isHyphen(r rune) bool {
	return r == '-' || r == '‐' || r == '‑' || r == '–' || r == '−' || r == '—'
}

func atLineStart(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t")
	return before == "" || before[len(before)-1] == '\n'
}

// negative says whether the sign before s[i] makes the number negative: a minus that
// nothing is written against.
func (p *figureParser) negative(i int) bool {
	r, size := utf8.DecodeLastRuneInString(p.s[:i])
	if r != '-' && r != '−' && r != '–' || size == 0 {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(p.s[:i-size])
	return size == 0 || r != '–' && (unicode.IsSpace(before) || before == '(')
}

// gluedToWord says whether a letter follows the digits directly and is no unit, as
// in 3rd, 4x4 or 2FA.
func (p *figureParser) gluedToWord(end int) bool {
	r, _ := utf8.DecodeRuneInString(p.s[end:])
	return unicode.IsLetter(r) && !text.IsUnspaced(r)
}

// isName says whether a bare number belongs to the capitalised name before it, as in
// Windows 11 or Python 3.11, or is a year that nothing else marks.
func (p *figureParser) isName(start int, q quantity) bool {
	if !q.plain || start == 0 || p.s[start-1] != ' ' {
		return false
	}
	word, at := wordBefore(p.s, start)
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) || at+len(word) != start-1 {
		return false
	}
	if math.Trunc(q.value) == q.value && q.value >= 10000 {
		return false
	}
	whole := math.Trunc(q.value) == q.value
	if p.lang.Is(lang.NounCapitals) && whole {
		return false // every noun is a name by its first letter; labelWords has those that matter
	}
	if p.lang.Is(lang.HyphenNames) && whole && opensSentence(p.s, at) {
		return false // names take a hyphen before their number
	}
	lower := strings.ToLower(word)
	_, qualifier := qualifiers().before[lower]
	return !qualifier && !notNames()[lower] && !text.IsStop(p.lang.Code, lower) && !text.IsStop("en", lower)
}

// opensSentence says whether the word at s[at] begins a sentence.
func opensSentence(s string, at int) bool {
	before := strings.TrimRight(s[:at], " \t\u00a0\"'«“„(")
	return before == "" || strings.ContainsRune(".!?\n…", rune(before[len(before)-1]))
}

// exponent reads ×10⁶, x 10^6, e6 after a number.
func (p *figureParser) exponent(end int) (int, float64) {
	rest := p.s[end:]
	trimmed := strings.TrimLeft(rest, " \u00a0")
	for _, times := range []string{"×", "x", "·", "*", "⋅"} {
		after, ok := strings.CutPrefix(trimmed, times)
		if !ok {
			continue
		}
		after, ok = strings.CutPrefix(strings.TrimLeft(after, " \u00a0"), "10")
		if !ok {
			continue
		}
		if power, size, ok := powerAt(after); ok {
			return len(p.s) - len(after) + size, math.Pow(10, power)
		}
	}
	if len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		if power, size, ok := powerAt("^" + rest[1:]); ok {
			return end + size, math.Pow(10, power)
		}
	}
	return end, 1
}

// powerAt reads ^6, ^-6, ⁶ or ⁻⁶ at the start of s.
func powerAt(s string) (power float64, size int, ok bool) {
	const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	sign, digits := 1.0, 0
	caret := strings.HasPrefix(s, "^")
	if caret {
		size = 1
	}
	for size < len(s) && digits < 3 {
		r, n := utf8.DecodeRuneInString(s[size:])
		at := strings.IndexRune(raised, r)
		switch {
		case digits == 0 && (r == '⁻' || caret && (r == '-' || r == '−' || r == '+')):
			if r != '+' {
				sign = -1
			}
		case !caret && at >= 0:
			power = power*10 + float64(utf8.RuneCountInString(raised[:at]))
			digits++
		case caret && r >= '0' && r <= '9':
			power = power*10 + float64(r-'0')
			digits++
		default:
			return sign * power, size, digits > 0
		}
		size += n
	}
	return sign * power, size, digits > 0
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
