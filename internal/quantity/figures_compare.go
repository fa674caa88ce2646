package quantity

import (
	"math"
	"slices"
	"strings"
)

// Supports reports whether evidence states the figure f: the same quantity, or a finer one that f is a rounding of.
// Rounding goes one way: "2.46" bears out "2.5" and "2", and "2" does not bear out "2.46". A half is rounded up, and
// nothing is rounded to 0, but for a temperature.
//
// A bound needs a bound or figure that keeps it, a range needs the same range, and a figure needs more than a bound or
// a range that it lies in. "$5 million per year" and "an annual budget of $5 million" are one amount.
func (f Figure) Supports(evidence Figure) bool {
	f, evidence, ok := comparable(f, evidence)
	switch {
	case !ok, f.meant == exactly && evidence.Approx:
		return false
	case f.isBound():
		return f.keptBy(evidence)
	case evidence.isBound(), f.isRange != evidence.isRange:
		return false
	case f.isRange:
		return f.at(f.Low).rounds(evidence.at(evidence.Low)) && f.at(f.High).rounds(evidence.at(evidence.High))
	case f.meant == nearly && evidence.meant == plain:
		return evidence.below(f) && math.Abs(f.Value-evidence.Value) <= f.slack(evidence)
	case f.meant == nearly && evidence.meant != nearly:
		return false
	case f.Approx:
		return math.Abs(f.Value-evidence.Value) <= f.slack(evidence)
	}
	return f.rounds(evidence)
}

// Repeats reports whether f says in other words what evidence says, or rounds it. A bound repeats only a bound at the
// same value: another one follows from the evidence in some sentences only.
func (f Figure) Repeats(evidence Figure) bool {
	g, h, _ := comparable(f, evidence)
	return f.Supports(evidence) && (!f.isBound() || h.isBound() && math.Abs(g.Value-h.Value) <= g.apart(h))
}

// Same reports whether both figures say the same, and neither rounds the other.
func (f Figure) Same(g Figure) bool {
	return f.meant == g.meant && f.Approx == g.Approx && f.Repeats(g) && g.Repeats(f)
}

// Names reports whether evidence gives the number of f, or both ends of its range, whatever the words around them say:
// "4,000" is named by "nearly 4,000" and by "4,000 to 5,000", and "640 GWh a year" by "640 GWh of power a year".
func (f Figure) Names(evidence Figure) bool {
	if f.perAt > 0 && !evidence.isRate() {
		f = f.withoutPer()
	} else if evidence.perAt > 0 && !f.isRate() {
		evidence = evidence.withoutPer()
	}
	f, evidence, ok := comparable(f, evidence)
	stated := []float64{evidence.Value}
	if evidence.isRange {
		stated = []float64{evidence.Low, evidence.High}
	}
	named := func(value float64) bool {
		return slices.ContainsFunc(stated, func(other float64) bool { return f.at(value).rounds(evidence.at(other)) })
	}
	if f.isRange {
		return ok && named(f.Low) && named(f.High)
	}
	return ok && named(f.Value)
}

// comparable returns two figures in one dimension, if they have one: rates as amounts where only one is a rate, and
// degrees that do not name their scale in that of the other.
func comparable(f, g Figure) (Figure, Figure, bool) {
	if f.isRate() != g.isRate() {
		f, g = f.amount(g), g.amount(f)
	}
	if f.Dimension == "angle" && g.Dimension == "temperature" {
		f = f.inUnitOf(Figure{Unit: g.Unit, Dimension: g.Dimension, unit: g.unit, times: 1})
	}
	return f, g, f.Dimension == g.Dimension
}

// at is f with another value.
func (f Figure) at(value float64) Figure {
	f.Value, f.number = value, (value-f.unit.offset)/f.unit.factor
	return f
}

// rounds reports whether f is the value of the evidence, rounded half up to the last place of f.
func (f Figure) rounds(evidence Figure) bool {
	apart := math.Abs(f.Value - evidence.Value)
	slack := f.slack(evidence)
	if f.number == 0 && f.unit.offset == 0 {
		slack = 0
	}
	rest := 1e-9 * max(math.Abs(f.Value), math.Abs(evidence.Value)) // what floating point leaves over
	if evidence.below(f) != (f.number < 0) {                        // rounded away from zero
		return apart <= slack+rest
	}
	return apart < slack-rest || apart <= rest
}

func (f Figure) below(g Figure) bool { return f.Value < g.Value }

// farthestBound is how many times larger a bound and the figure that bears it out may be
// than the other: "more than 300" is said of 312, not of 5,000.
const farthestBound = 2

// keptBy reports whether the evidence keeps the bound f.
func (f Figure) keptBy(evidence Figure) bool {
	mine, theirs := math.Abs(f.Value), math.Abs(evidence.Value)
	if max(mine, theirs) > farthestBound*min(mine, theirs) {
		return false
	}
	slack := f.apart(evidence)
	low, high := evidence.reach()
	within := f.Value - high
	if math.IsInf(f.High, 1) {
		within = low - f.Value
	}
	switch {
	case math.IsInf(f.Low, -1) && evidence.isBound() && math.Abs(within) > slack: // "up to 105" beside "up to 80"
		return false
	case f.meant == upTo:
		return math.Abs(within) <= slack && evidence.meant != lessThan && !evidence.Approx
	case f.meant == evidence.meant || f.meant != moreThan && f.meant != lessThan,
		f.meant == lessThan && evidence.meant == nearly:
		return within >= -slack
	}
	return within > slack
}

// apart is how far the value of the evidence may lie from that of the bound f and still be the same.
func (f Figure) apart(evidence Figure) float64 {
	if f.unit.factor != evidence.unit.factor {
		return f.slack(evidence)
	}
	return 1e-9 * math.Abs(f.Value)
}

// reach returns the least and the greatest value that f leaves open.
func (f Figure) reach() (low, high float64) {
	low, high = f.Low, f.High
	if f.Approx {
		around := aboutShare * math.Abs(f.Value)
		low -= around
		if f.meant != nearly {
			high += around
		}
	}
	return low, high
}

func (f Figure) isRate() bool { return strings.Contains(f.Dimension, "/") }

// amount returns a rate of money or of things without what it is per, if the other figure, which is no rate, is told of
// the same span of time: "a monthly rent of $900".
func (f Figure) amount(other Figure) Figure {
	of, _, _ := strings.Cut(f.Dimension, "/")
	if !f.isRate() || of != DimensionCount && !strings.HasPrefix(of, "money:") ||
		math.Abs(f.unit.factor*other.every-1) > 1e-9 {
		return f
	}
	return f.withoutPer()
}

// withoutPer returns the amount of a rate.
func (f Figure) withoutPer() Figure {
	per := f.per.factor
	f.Value, f.Low, f.High, f.step, f.coarse, f.place = f.Value*per, f.Low*per, f.High*per, f.step*per, f.coarse*per,
		f.place*per
	f.Dimension = strings.TrimSuffix(f.Dimension, "/"+f.per.dimension)
	f.Unit, f.unit.factor, f.unit.dimension = baseUnitOf(f.Dimension), f.unit.factor*per, f.Dimension
	return f
}

// Yearly returns the amount of a figure that is told per year, as it is written without that, and reports whether it
// is.
func (f Figure) Yearly() (Figure, bool) {
	if f.per.dimension != dimensionTime || f.per.factor != secondsPerYear || f.perAt == 0 {
		return f, false
	}
	f = f.withoutPer()
	f.Raw, f.End = f.Raw[:f.perAt-f.Start], f.perAt
	return f, true
}

// isBound reports whether f is "at least" or "at most" something.
func (f Figure) isBound() bool { return math.IsInf(f.Low, -1) || math.IsInf(f.High, 1) }

// Reverses reports whether one figure is "at least", or "more than", what the other one is at most or nearly.
func (f Figure) Reverses(g Figure) bool {
	below := func(f Figure) bool { return math.IsInf(f.Low, -1) || f.meant == nearly }
	opposed := below(f) && math.IsInf(g.High, 1) || below(g) && math.IsInf(f.High, 1)
	return f.Dimension == g.Dimension && opposed && math.Abs(f.Value-g.Value) <= f.slack(g)+1e-9*math.Abs(f.Value)
}

// aboutShare is how far off "about" leaves a figure, at least.
const aboutShare = 0.05

// slack is how far the value that f is a rounding of may lie away: half of f's last place, more in another unit or with
// "about".
func (f Figure) slack(other Figure) float64 {
	slack := f.step
	if f.unit.factor != other.unit.factor {
		slack = f.coarse
	}
	if f.Approx {
		slack = max(slack, aboutShare*math.Abs(f.Value))
	}
	return slack
}

// Agrees reports whether both figures can be true of the same thing: one is a rounding of the other, or they have a
// value in common.
func (f Figure) Agrees(g Figure) bool {
	if f.Dimension != g.Dimension {
		return false
	}
	if f.Low == f.High && g.Low == g.High {
		return f.Supports(g) || g.Supports(f)
	}
	return f.overlaps(g, f.slack(g)+g.slack(f))
}

// Clashes reports whether the figures cannot both be true of the same thing, even when
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
	} else if (f.number == 0) != (g.number == 0) && f.unit.offset == 0 { // nothing is rounded to 0
		return !f.overlaps(g, 1e-9*larger)
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
	return max(aboutShare*larger, min(0.1*larger, fourPlaces*f.place))
}

// overlaps reports whether the two spans of values meet when they lie up to slack
// apart. To lie exactly that far apart is not to meet: 3 is never 4.
func (f Figure) overlaps(g Figure, slack float64) bool {
	slack -= 1e-6 * slack // what floating point leaves over
	return f.Low-slack < g.High && g.Low-slack < f.High
}
