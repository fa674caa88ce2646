package quantity

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// rangeMarks stand between the two ends of a range, beside the words of languages.
var rangeMarks = text.SetOf("- – — − ~ 〜 ～ ‐ ‑ -- …")

var rangeWords = sync.OnceValue(func() map[string]bool { return lang.EverywhereOf(lang.Ranges, "between") })

// joinsRange reports whether a word or mark stands between the two ends of a range.
func joinsRange(gap string) bool { return rangeMarks[gap] || rangeWords()[gap] }

// joined puts together what belongs together: the two ends of a range, a value and
// its ±, feet and inches, hours and minutes, 1億2000万.
func (p *figureParser) joined() []Figure {
	out := p.found[:0:0]
	for _, f := range p.found {
		if len(out) > 0 {
			if both, ok := p.join(out[len(out)-1], f); ok {
				out[len(out)-1] = both
				continue
			}
		}
		out = append(out, f)
	}
	return out
}

// join makes one figure of two neighbours that belong together, and says whether they do.
func (p *figureParser) join(a, b Figure) (Figure, bool) {
	if b.Start < a.End || b.Start-a.End > 16 {
		return a, false
	}
	gap := strings.ToLower(strings.Trim(p.s[a.End:b.Start], " \u00a0\u202f"))
	var both Figure
	var ok bool
	switch {
	case gap == "±" || gap == "+/-":
		both, ok = withTolerance(a, b)
	case joinsRange(gap):
		both, ok = rangeOf(a, b)
	case gap != "" && pairedBy(p.s, a.Start, gap) >= 0:
		a.From = pairedBy(p.s, a.Start, gap)
		both, ok = rangeOf(a, b)
	case gap == "" && a.Dimension == DimensionCount && a.times > b.times &&
		(b.times >= 1e4 || p.continues(a, b)):
		both, ok = chained(a, b), true
	case gap == "" || gap == "and" || gap == "und" || gap == "et" || gap == "y":
		both, ok = compound(a, b)
	}
	both.Start, both.End, both.Raw = a.Start, b.End, p.s[a.Start:b.End]
	both.From, both.To = a.From, b.To
	both.number = (both.Value - both.unit.offset) / both.unit.factor
	return both, ok
}

// withTolerance is a value a and its ±b.
func withTolerance(a, b Figure) (Figure, bool) {
	if a.bare {
		a = a.inUnitOf(b)
	}
	a.Low, a.High = a.Value-math.Abs(b.Value), a.Value+math.Abs(b.Value)
	return a, a.Dimension == b.Dimension
}

// rangeOf is the range from a to b; there is none where a is not the smaller one.
func rangeOf(a, b Figure) (Figure, bool) {
	if a.bare && !b.bare {
		a = a.inUnitOf(b)
	}
	if a.Dimension != b.Dimension || a.Value >= b.Value || a.Low != a.High && !math.IsInf(a.High, 1) {
		return a, false
	}
	both := b
	both.Low, both.High = a.Value, b.Value
	both.Value = (a.Value + b.Value) / 2
	both.isRange = true
	both.Approx, both.meant = a.Approx || b.Approx, a.meant
	both.step, both.coarse, both.place = max(a.step, b.step), max(a.coarse, b.coarse), max(a.place, b.place)
	return both, true
}

// chained is the number whose upper part is a: 1億2000万円, 37万8000.
func chained(a, b Figure) Figure {
	both := a.inUnitOf(Figure{Unit: b.Unit, Dimension: b.Dimension, unit: b.unit, times: 1})
	both.Value += b.Value
	both.Low, both.High = both.Value, both.Value
	both.step, both.coarse, both.place = b.step, b.coarse, b.place
	return both
}

// compound is a measure in two units, of which b's is the smaller: feet and inches.
func compound(a, b Figure) (Figure, bool) {
	switch a.Dimension {
	case dimensionTime, dimensionLength, "mass", "angle":
	default:
		return a, false
	}
	if a.Dimension != b.Dimension || b.unit.factor >= a.unit.factor || math.Abs(b.Value) >= a.unit.factor ||
		a.Low != a.High || b.Low != b.High {
		return a, false
	}
	both := a
	both.Value += b.Value
	both.Low, both.High = both.Value, both.Value
	both.step, both.coarse, both.place, both.unit = b.step, b.coarse, b.place, b.unit
	return both, true
}

// continues says whether b is the lower part of the number whose upper part is a, as
// in 37万8000 and the Korean 3억 5000.
func (p *figureParser) continues(a, b Figure) bool {
	r, _ := utf8.DecodeLastRuneInString(p.s[:a.End])
	return cjkScales[r] != 0 && (b.Start == a.End || p.lang.Is(lang.Counters) && !p.lang.Is(lang.Segments)) &&
		b.Value < a.times*max(b.unit.factor, 1) && a.Low == a.High
}

// pairedBy returns where the word begins that stands before the number at s[start] and, with the word gap behind it,
// makes it the lower end of a range, as in "between a and b"; -1 where there is none.
func pairedBy(s string, start int, gap string) int {
	word, at := wordBefore(s, start)
	for _, l := range lang.All() {
		if slices.Contains(l.Of(lang.Ranges, "pair"), gap) &&
			slices.Contains(l.Of(lang.Ranges, "before pair"), strings.ToLower(word)) {
			return at
		}
	}
	return -1
}

// inUnitOf gives a bare number the unit and scale of g: the 5 of "5 to 10 million km".
func (f Figure) inUnitOf(g Figure) Figure {
	factor, offset := g.times*g.unit.factor, g.unit.offset
	f.Value, f.Low, f.High = f.Value*factor+offset, f.Low*factor+offset, f.High*factor+offset
	f.step, f.coarse, f.place = f.step*factor, f.coarse*factor, f.place*factor
	f.Unit, f.Dimension, f.unit, f.times, f.bare = g.Unit, g.Dimension, g.unit, g.times, false
	return f
}
