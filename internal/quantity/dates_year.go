package quantity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// spanInDigits reads a time span that begins with digits: the 1990s, the 19th century.
func (r *dateReader) spanInDigits(i int, _ dateNumber) int { return r.timeSpan(i) }

// decade marks 80s and 80er as no figure: whose century it is, is not told.
func (r *dateReader) decade(i int, n dateNumber) int {
	if n.digits != 2 || n.value%10 != 0 {
		return i
	}
	word, end := wordAt(r.s, n.end)
	if word != "s" && word != "er" && word != "ern" {
		return i
	}
	r.spans = append(r.spans, text.Span{Start: i, End: end})
	return end
}

// year reads a year that stands alone, where the words around it say that it is one.
func (r *dateReader) year(i int, n dateNumber) int {
	if !n.isYear() || r.runsOn(n.end) {
		return i
	}
	previous, _ := wordBefore(r.s, i)
	previous = strings.ToLower(previous)
	marked := yearWords()[previous] || monthNumber(r.lang, previous) != 0 || r.afterYear(i)
	at := blankAt(r.s, n.end)
	next, _ := wordAt(r.s, at)
	if at > n.end {
		switch {
		case yearWordsAfter()[next]:
			marked = true
		case r.measured(at), next != "" && !marked && !text.IsStop(r.lang.Code, next) && r.counts(n.value, at):
			return i
		}
	}
	if r.otherYear(n.value) && !yearWordsAfter()[next] {
		if marked {
			return r.leave(i, n.end)
		}
		return i
	}
	recent := n.value >= 1900 && n.value <= 2099 || i > 0 && r.s[i-1] == '('
	if !marked && (!recent || labelWords()[previous]) || strings.HasPrefix(r.s[n.end:], "-") && !r.yearRange(n.end+1) {
		return i
	}
	return r.add(i, n.end, n.value, 0, 0)
}

// runsOn says whether what is written against digits that end at s[end] makes something
// else of them than a year: 1990s, 2000€, 1.999,5.
func (r *dateReader) runsOn(end int) bool {
	after, _ := utf8.DecodeRuneInString(r.s[end:])
	switch {
	case unicode.IsLetter(after):
		letters, _ := wordAt(r.s, end)
		return !r.lang.Is(lang.Proclitics) || !yearWordsAfter()[letters]
	case strings.ContainsRune(",.:'", after):
		_, _, digit := text.DigitAt(r.s, end+1)
		return digit
	}
	return strings.ContainsRune("_%°€$£×/@", after)
}

// counts says whether a year before the word at s[at] is rather a number of what the word
// names.
func (r *dateReader) counts(year, at int) bool {
	first, _ := utf8.DecodeRuneInString(r.s[at:])
	noun := unicode.IsLower(first)
	if r.lang.Is(lang.NounCapitals) { // 1931 eröffnet, but 1931 Besucher
		noun = !noun
	}
	return noun || year < 1900
}

// otherYear says whether a year in Arabic or Persian may be that of another calendar,
// in which we live in the 15th century.
func (r *dateReader) otherYear(year int) bool {
	return r.lang.Is(lang.HijriYears) && year >= 1300 && year < 1500
}

// measured says whether a unit or a scale follows: 2000 km is no year.
func (r *dateReader) measured(at int) bool {
	word, _ := wordAt(r.s, at)
	if scales()[word] != 0 && word != "md" && word != "mil" {
		return true
	}
	_, u, ok := longestUnit(r.s, r.lang, at)
	return ok && !yearWordsAfter()[word] && !text.IsStop(r.lang.Code, word) && u.dimension != ""
}

// afterYear says whether the number at s[i] ends a range of years that began with
// one that was read.
func (r *dateReader) afterYear(i int) bool {
	if len(r.dates) == 0 {
		return false
	}
	last := r.dates[len(r.dates)-1]
	gap := r.s[last.End:i]
	return last.Year != 0 && len(gap) <= 5 && joinsRange(strings.TrimSpace(gap))
}

// yearRange says whether what follows the hyphen after a year is another year.
func (r *dateReader) yearRange(i int) bool {
	n := r.number(i)
	if n.digits == 0 {
		first, _ := utf8.DecodeRuneInString(r.s[min(i, len(r.s)):])
		return !unicode.IsLetter(first)
	}
	return n.isYear() || n.digits == 2 && !r.goesOn(n.end)
}
