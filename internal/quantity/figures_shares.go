package quantity

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// shareParts are the keys of the words for parts of a whole, and into how many it is parted.
var shareParts = map[string]float64{"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}

// shareInWords reads "two thirds of the fees", "half of them" and "one in four" at s[i] as a percentage, and returns
// where to go on, or i.
func (p *figureParser) shareInWords(i int) int {
	if !p.lang.Knows(lang.Shares) || i > 0 && p.s[i-1] != ' ' && p.s[i-1] != '\n' && p.s[i-1] != '(' {
		return i
	}
	word, at := wordAt(p.s, i)
	parts := p.partsOf(word)
	count := p.lang.valueOf(word, false)
	if articles()[word] || word == "a" && p.lang.Is(lang.ScaleArticles) {
		count = 1
	}
	before, _ := wordBefore(p.s, i)
	half := before == "a" || before != "" && before == p.lang.joint // one and a half of it
	if parts != 2 && (count < 1 || count > 9) || half {
		return i
	}
	if end := p.inMany(i, at, count); end > i {
		return end
	}
	if parts != 2 {
		next := blankAt(p.s, at)
		if next == at && strings.HasPrefix(p.s[at:], "-") {
			next++
		}
		word, at = wordAt(p.s, next)
		parts = p.partsOf(word)
	}
	of, behind := wordAt(p.s, blankAt(p.s, at))
	if parts == 0 || !slices.Contains(p.lang.Of(lang.Shares, "of"), of) || p.measures(blankAt(p.s, behind)) {
		return i
	}
	return p.share(i, at, max(1, count)/parts)
}

// partsOf returns into how many parts a word such as "thirds" parts a whole, 0 for any other word.
func (p *figureParser) partsOf(word string) float64 {
	return shareParts[p.lang.Keys(lang.Shares)[word]]
}

// measures reports whether a unit or a scale stands at s[at], perhaps behind an article: a quarter of an hour.
func (p *figureParser) measures(at int) bool {
	word, end := wordAt(p.s, at)
	if word == "a" || word == "an" || articles()[word] {
		at = blankAt(p.s, end)
		word, _ = wordAt(p.s, at)
	}
	_, _, unit := longestUnit(p.s, p.lang, at)
	return unit || p.scaleOf(word) != 0
}

// shareInDigits reads "1 in 4" and "2/3 of" at s[i] as a percentage, and returns where to go on, or i.
func (p *figureParser) shareInDigits(i int) int {
	if !p.lang.Knows(lang.Shares) || p.endsIdentifier(i) {
		return i
	}
	if part, end := p.fractionAt(i); part > 0 {
		if of, _ := wordAt(p.s, blankAt(p.s, end)); slices.Contains(p.lang.Of(lang.Shares, "of"), of) {
			return p.share(i, end, part)
		}
		return i
	}
	d, size, ok := text.DigitAt(p.s, i)
	if _, _, more := text.DigitAt(p.s, i+size); !ok || more {
		return i
	}
	return p.inMany(i, i+size, float64(d))
}

// inMany reads the "in four" behind a number that ends at s[at], for the share that begins at s[i].
func (p *figureParser) inMany(i, at int, count float64) int {
	in, end := wordAt(p.s, blankAt(p.s, at))
	if count < 1 || blankAt(p.s, at) == at || !slices.Contains(p.lang.Of(lang.Shares, "in"), in) {
		return i
	}
	from := blankAt(p.s, end)
	n := parseNumeral(p.s, from, p.lang)
	if !n.readable || n.end == from {
		word, to := wordAt(p.s, from)
		n = numeral{value: p.lang.valueOf(word, false), end: to}
	}
	_, _, measured := longestUnit(p.s, p.lang, blankAt(p.s, n.end))
	if n.value <= count || n.value > 1000 || n.places > 0 || measured {
		return i
	}
	return p.share(i, n.end, count/n.value)
}

// share keeps a share of a whole as a percentage.
func (p *figureParser) share(start, end int, part float64) int {
	q := quantity{value: 100 * part, step: 0.5, coarse: 0.5}
	if p.add(start, end, q, 1, unit{dimension: DimensionPercent, factor: 1}, false) {
		p.found[len(p.found)-1].IsShare = true
	}
	return p.lastEnd()
}

// fractionAt reads a fraction of less than one, such as 3/4, at s[i].
func (p *figureParser) fractionAt(i int) (value float64, end int) {
	read := func(at int) (n float64, end int) {
		for end = at; end < len(p.s) && end-at < 3 && p.s[end] >= '0' && p.s[end] <= '9'; end++ {
			n = 10*n + float64(p.s[end]-'0')
		}
		return n, end
	}
	above, at := read(i)
	if above == 0 || !strings.HasPrefix(p.s[at:], "/") {
		return 0, i
	}
	below, end := read(at + 1)
	if below <= above || below > 16 || strings.HasPrefix(p.s[end:], "/") || p.gluedToWord(end) {
		return 0, i
	}
	return above / below, end
}
