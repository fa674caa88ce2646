package quantity

import (
	"cmp"
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
	Value      float64 // in Unit
	Low, High  float64 // in Unit
	Unit       string  // base unit: m, kg, s, B, K, %, ...; empty for counts and money
	Dimension  string  // count, percent, length, mass, duration, data, money:EUR, mass/volume, ...
	Approx     bool    // the text says about, roughly, nearly, ...
	Raw        string  // as written

	step   float64 // half a unit of the last written place, in Unit
	place  float64 // half its last place that is not zero; 0 where it is not written in digits
	coarse float64 // how much the writer may have rounded, and what the unit itself leaves open
	unit   unit    // as written: figures in the same written unit are compared strictly
	times  float64 // what thousand, Mio., 亿 multiplied by; 1 without them
	every  float64 // seconds of the span of time that a word such as "monthly" tells it of
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
		p := figureParser{s: r.Text(), lang: tongueOf(r.Language()), dates: datesOf(r).spans}
		p.scan()
		return &figures{slices.Clip(p.joined()), p.unclear}
	})
}

type figureParser struct {
	s       string
	lang    *tongue
	dates   []text.Span
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
		if _, _, ok := text.DigitAt(p.s, i); ok {
			i = p.digits(i)
			continue
		}
		r, size := utf8.DecodeRuneInString(p.s[i:])
		switch {
		case unicode.Is(unicode.Han, r) || r == '〇':
			i = max(p.han(i), i+size)
		case unicode.IsLetter(r):
			i = p.word(i)
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
	return p.found[len(p.found)-1].End
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
	if per, at, ok := p.perAfter(end); ok {
		u.dimension, u.factor, u.offset = u.dimension+"/"+per.dimension, u.factor/per.factor, 0
		end = at
	}
	return p.add(start, end, q, scale, u, bare)
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
		Start: start, End: end, Value: value, Low: value, High: value, Approx: q.approx,
		Unit: baseUnitOf(u.dimension), Dimension: u.dimension, Raw: p.s[start:end],
		step: max(q.step*scale*u.factor, 1e-12*math.Abs(value)), unit: u, times: scale, bare: bare,
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

// Supports says whether evidence states the figure f: the same quantity, or one that
// f is a fair rounding of. A sharper figure than the evidence gives is not supported.
// A written bound is held against a written bound as a figure: who says "up to 105 %" is
// not borne out by "up to 80 %".
// "$5 million per year" and "an annual budget of $5 million" are one amount.
func (f Figure) Supports(evidence Figure) bool {
	if f.isRate() != evidence.isRate() {
		f, evidence = f.amount(evidence), evidence.amount(f)
	}
	if f.Dimension != evidence.Dimension {
		return false
	}
	if f.isBound() && evidence.isBound() {
		return f.Low == f.Value == (evidence.Low == evidence.Value) &&
			math.Abs(f.Value-evidence.Value) <= f.slack(evidence)+1e-9*math.Abs(f.Value)
	}
	if f.isBound() && !evidence.isBound() && max(math.Abs(f.Value),
		math.Abs(evidence.Value)) > farthestBound*min(math.Abs(f.Value), math.Abs(evidence.Value)) {
		return false
	}
	slack := f.slack(evidence) + 1e-9*math.Abs(f.Value)
	for _, value := range []float64{evidence.Value, evidence.Low, evidence.High} {
		if f.Low == f.High && math.Abs(value-f.Value) <= slack {
			return true
		}
	}
	return f.Low != f.High && evidence.Low >= f.Low-slack && evidence.High <= f.High+slack
}

func (f Figure) isRate() bool { return strings.Contains(f.Dimension, "/") }

// amount is a rate of money or of things without what it is per, where the other figure,
// which is no rate, is told of the same span of time: "a monthly rent of $900". What is told of
// none may be of a year.
func (f Figure) amount(other Figure) Figure {
	of, _, rate := strings.Cut(f.Dimension, "/")
	per := f.unit.factor
	if !rate || of != DimensionCount && !strings.HasPrefix(of, "money:") ||
		math.Abs(per*cmp.Or(other.every, secondsPerYear)-1) > 1e-9 {
		return f
	}
	f.Value, f.Low, f.High, f.step, f.coarse, f.place = f.Value/per, f.Low/per, f.High/per, f.step/per,
		f.coarse/per, f.place/per
	f.Dimension, f.Unit, f.unit.factor = of, baseUnitOf(of), 1
	return f
}

// farthestBound is how many times larger a bound and the figure that bears it out may be
// than the other: "more than 300" is said of 312, not of 5,000.
const farthestBound = 2

// isBound says whether f is "at least" or "at most" something.
func (f Figure) isBound() bool { return math.IsInf(f.Low, -1) || math.IsInf(f.High, 1) }

// Reverses says whether one figure is "at least" what the other one is "at most".
func (f Figure) Reverses(g Figure) bool {
	return f.Dimension == g.Dimension && f.isBound() && g.isBound() && math.IsInf(f.Low, -1) != math.IsInf(g.Low, -1) &&
		math.Abs(f.Value-g.Value) <= f.slack(g)+1e-9*math.Abs(f.Value)
}

// slack is how far two figures may lie apart and still be the same statement, from
// f's side: what f's last place leaves open, more in another unit or with "about".
func (f Figure) slack(other Figure) float64 {
	slack := f.step
	if f.unit.factor != other.unit.factor {
		slack = f.coarse
	}
	if f.Approx {
		slack = max(slack, 0.05*math.Abs(f.Value))
	}
	return slack
}

// Agrees says whether both figures can be true of the same thing.
func (f Figure) Agrees(g Figure) bool {
	if f.Dimension != g.Dimension {
		return false
	}
	return f.overlaps(g, f.slack(g)+g.slack(f))
}

// Clashes says whether the figures cannot both be true of the same thing, even when
// each is rounded as far as writers do. It is not the opposite of Agrees: what lies
// between is neither.
func (f Figure) Clashes(g Figure) bool {
	if f.Dimension != g.Dimension {
		return false
	}
	larger := max(math.Abs(f.Value), math.Abs(g.Value))
	slack := 0.005 * larger
	if f.Approx || g.Approx {
		slack = max(f.about(larger), g.about(larger))
	}
	return !f.overlaps(g, max(f.coarse+g.coarse, slack))
}

// about is how far off "about" leaves a figure: a tenth, but where it is written to
// more places than that needs, no more than four of its last place: about 600 can be
// 640, about 640 cannot be 590. A twentieth is left in any case.
func (f Figure) about(larger float64) float64 {
	if !f.Approx {
		return 0
	}
	const fourPlaces = 8 // halves of a place
	if f.place == 0 {
		return 0.1 * larger
	}
	return max(0.05*larger, min(0.1*larger, fourPlaces*f.place))
}

// overlaps says whether the two spans of values meet when they lie up to slack
// apart. To lie exactly that far apart is not to meet: 3 is never 4.
func (f Figure) overlaps(g Figure, slack float64) bool {
	slack -= 1e-6 * slack // what floating point leaves over
	return f.Low-slack < g.High && g.Low-slack < f.High
}
