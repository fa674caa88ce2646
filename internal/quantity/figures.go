package quantity

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// A Figure is a quantity that a text states: a number with its unit, read in the
// text's language and turned into the base unit of its dimension, so that 1 km and
// 1,000 m are the same figure.
//
// A plain figure has Low == High == Value. A range has Value in the middle; "at
// least" has High = +Inf, "at most" Low = -Inf with Value the bound itself.
type Figure struct {
	Start, End int     // byte span in the text, words like "about" excluded
	From, To   int     // the same with these words
	Value      float64 // in Unit
	Low, High  float64 // in Unit
	Unit       string  // base unit: m, kg, s, B, K, %, ...; empty for counts and money
	Dimension  string  // count, percent, length, mass, duration, data, money:EUR, mass/volume, ...
	Approx     bool    // the text says about, roughly, nearly, ...
	IsShare    bool    // a share in words: half of, one in four
	Raw        string  // as written

	number  float64   // as written, in the written unit
	meant   qualifier // what the words around it say
	isRange bool      // from Low to High, and Value is in the middle

	step   float64 // half a unit of the last written place, in Unit
	place  float64 // half its last place that is not zero; 0 where it is not written in digits
	coarse float64 // how much the writer may have rounded, and what the unit itself leaves open
	unit   unit    // as written: figures in the same written unit are compared strictly
	times  float64 // what thousand, Mio., 亿 multiplied by; 1 without them
	every  float64 // seconds of the span of time that a word such as "monthly" tells it of
	per    unit    // what a rate is per
	perAt  int     // where that begins in the text
	bare   bool    // number without unit and scale: takes those of the other end of a range
}

// Figures returns the quantities that a text states, in order. The language of the reading decides what
// commas and points mean; where it cannot be told, a number that can be read in two ways is left out.
//
// Ordinals, versions, years and dates, times of day, identifiers, numbered headings
// and reference marks are no figures. Callers share the slice and must not change it.
func Figures(r *text.Reading) []Figure { return figuresOf(r).figures }

// Unclear returns the numbers and dates of a text that have two readings in its language,
// such as 03/04/2024 and 1.234, and the dates of calendars that are not turned into
// ours. They are neither Figures nor Dates: nothing can be held against them.
func Unclear(r *text.Reading) []text.Span {
	return slices.Concat(datesOf(r).unclear, figuresOf(r).unclear)
}

// figures are what a reading has of them.
type figures struct {
	figures []Figure
	unclear []text.Span
}

func figuresOf(r *text.Reading) *figures {
	return text.Keep(r, func() *figures {
		p := figureParser{s: r.Text(), lang: tongueOf(r.Language()), dates: slices.Clone(datesOf(r).spans)}
		for _, id := range Identifiers(r) {
			p.dates = append(p.dates, text.Span{Start: id.Start, End: id.End})
		}
		slices.SortFunc(p.dates, func(a, b text.Span) int { return a.Start - b.Start })
		p.scan()
		return &figures{slices.Clip(p.joined()), p.unclear}
	})
}

type figureParser struct {
	s       string
	lang    *tongue
	dates   []text.Span // dates and identifiers, which hold no figure
	found   []Figure
	unclear []text.Span // numbers whose marks can be read in two ways
}

func (p *figureParser) scan() {
	for i := 0; i < len(p.s); {
		for len(p.dates) > 0 && p.dates[0].End <= i {
			p.dates = p.dates[1:]
		}
		if len(p.dates) > 0 && i >= p.dates[0].Start {
			i = p.dates[0].End
			continue
		}
		if _, _, ok := text.DigitAt(p.s, i); ok || opensFraction(p.s, i) {
			i = p.digits(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(p.s[i:])
		switch {
		case unicode.Is(unicode.Han, r) || r == '〇':
			i = max(p.han(i), i+size)
		case unicode.In(r, unicode.Hiragana, unicode.Katakana): // a number may be written against it
			i += size
		case unicode.IsLetter(r):
			i = max(p.hangul(i), p.word(i))
		case vulgarFractions[r] != 0:
			p.keep(i, i+size, quantity{value: vulgarFractions[r], step: 0.005, coarse: 0.005})
			i = max(i+size, p.lastEnd())
		default:
			i += size
		}
	}
}

func (p *figureParser) lastEnd() int {
	if len(p.found) == 0 {
		return 0
	}
	return p.found[len(p.found)-1].To
}

// A quantity is a number on its way to becoming a figure.
type quantity struct {
	value, step, coarse float64
	plain               bool // bare digits without grouping, which may be a year or a name's number
	approx              bool
	scale               float64 // what its last word multiplied by, which a half behind it is a half of
	unit                string  // in words, where the number's word names it
}

// digits reads the number at s[i], keeps it if it is a figure and returns where to
// go on.
func (p *figureParser) digits(i int) int {
	if end := p.shareInDigits(i); end > i {
		return end
	}
	n := parseNumeral(p.s, i, p.lang)
	end := n.end
	if !n.readable && n.ambiguous {
		p.unclear = append(p.unclear, text.Span{Start: i, End: end})
	}
	if !n.readable || p.isLabel(i, n) {
		return p.skipGlued(end)
	}
	q := quantity{value: n.value, step: n.step, coarse: n.coarse, plain: !n.grouped}
	if r, size := utf8.DecodeRuneInString(p.s[end:]); vulgarFractions[r] != 0 && n.places == 0 {
		q.value, q.step, q.coarse = q.value+vulgarFractions[r], 0.005, 0.005
		end += size
	} else if part, to := p.fractionAt(blankAt(p.s, end)); part > 0 && n.places == 0 && to > end { // 2 1/2
		q.value, q.step, q.coarse, end = q.value+part, 0.005, 0.005, to
	}
	end, factor := p.exponent(end)
	q.value, q.step, q.coarse = q.value*factor, q.step*factor, q.coarse*factor
	start := i
	if p.negative(i) {
		q.value = -q.value
		_, size := utf8.DecodeLastRuneInString(p.s[:i])
		start -= size
	}
	if !p.keep(start, end, q) {
		return p.skipGlued(end)
	}
	return p.lastEnd()
}

// word reads a number in words at s[i], or skips the word.
func (p *figureParser) word(i int) int {
	if end := p.shareInWords(i); end > i {
		return end
	}
	end, q, ok := p.numberInWords(i)
	if !ok {
		_, end = wordAt(p.s, i)
		if !isUnspacedAt(p.s, i) && !arabicPrefixes[p.s[i:end]] { // identifiers such as B12 and sha256 are one word
			end = p.skipGlued(end)
		}
		return end
	}
	p.keep(i, end, q)
	return max(end, p.lastEnd())
}

// largest is beyond what anybody measures; it keeps comparisons clear of the ends of
// floating point.
const largest = 1e200

// keep completes a quantity whose digits are s[start:end] with its scale, unit and
// qualifiers, and says whether it is a figure.
func (p *figureParser) keep(start, end int, q quantity) bool {
	digitsEnd := end
	sign, before := p.currencyBefore(start)
	if sign == "" {
		sign, before = p.percentBefore(start)
	}
	if sign != "" && before < p.lastEnd() { // the $ of "0$0" is that of the first
		sign = ""
	}
	scaled := max(q.scale, 1)
	if at, part := p.partBehind(end); part > 0 {
		q, end = q.with(part*scaled, scaled), at
	}
	end, scale := p.scaleAfter(end, sign != "")
	if at, part := p.partBehind(end); part > 0 && scale != 1 {
		q, end = q.with(part, 1), at
	}
	end, u, hasUnit := p.unitAfter(start, end, scale != 1 || q.scale != 0)
	if q.unit != "" {
		u, hasUnit = units().words[q.unit]
	}
	if at, part := p.partBehind(end); part > 0 && hasUnit && (u.dimension == dimensionTime || scale != 1) {
		q, end = q.with(part*scaled, scaled), at
	}
	if !hasUnit && digitsEnd == end && p.gluedToWord(end) {
		return false
	}
	if sign != "" {
		start = before
		if !hasUnit || strings.HasPrefix(u.dimension, "money:") {
			u, hasUnit = unit{dimension: sign, factor: 1}, true
		}
	}
	bare := !hasUnit && scale == 1
	if !hasUnit {
		u = unit{dimension: DimensionCount, factor: 1}
		if bare && p.isName(start, q) {
			return false
		}
	}
	per, at, ok := p.perAfter(end)
	if !ok {
		return p.add(start, end, q, scale, u, bare)
	}
	u.dimension, u.factor, u.offset = u.dimension+"/"+per.dimension, u.factor/per.factor, 0
	if !p.add(start, at, q, scale, u, bare) {
		return false
	}
	f := &p.found[len(p.found)-1]
	f.per, f.perAt = per, end
	return true
}

// with adds a half or a quarter of a scale to a quantity, which is then as exact as one with a decimal place.
func (q quantity) with(part, scale float64) quantity {
	q.value += part
	q.step, q.coarse = min(q.step, 0.05*scale), min(q.coarse, 0.05*scale)
	return q
}

// add makes a figure of a quantity whose scale and unit are known, and says whether
// it is one.
func (p *figureParser) add(start, end int, q quantity, scale float64, u unit, bare bool) bool {
	value := q.value*scale*u.factor + u.offset
	if step := q.step * scale * u.factor; !(math.Abs(value) < largest && step > 1/largest) {
		return false
	}
	f := Figure{
		Start: start, End: end, From: start, To: end, Value: value, Low: value, High: value, Approx: q.approx,
		Unit: baseUnitOf(u.dimension), Dimension: u.dimension, Raw: p.s[start:end],
		step: max(q.step*scale*u.factor, 1e-12*math.Abs(value)), unit: u, times: scale, bare: bare,
		number: q.value * scale,
	}
	f.place = q.coarse * scale * u.factor
	f.coarse = max(f.step, min(q.coarse*scale*u.factor, 0.005*math.Abs(value)), u.spread*math.Abs(value))
	p.qualify(&f)
	f.every = p.periodBefore(start)
	p.found = append(p.found, f)
	return true
}

// baseUnitOf names the unit that values of a dimension are in, compound ones too.
func baseUnitOf(dimension string) string {
	parts := strings.Split(dimension, "/")
	for i, part := range parts {
		if base, ok := units().base[part]; ok {
			parts[i] = base
		}
	}
	return strings.Join(parts, "/")
}

// Plain says whether f is a bare count: its digits are its value, which those of "3
// million" are not.
func (f Figure) Plain() bool { return f.Dimension == DimensionCount && f.times == 1 }
