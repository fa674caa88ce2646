package text

import (
	"math"
	"strings"
)

// A qualifier is a word around a number that loosens it.
type qualifier int

const (
	approximately qualifier = iota + 1
	atLeast
	atMost
)

// qualifiers stand before a number; of several that fit, the longest counts.
var qualifiers = func() map[string]qualifier {
	all := map[string]qualifier{}
	for q, phrases := range map[qualifier]string{
		approximately: `about around approximately approx roughly some nearly almost circa ca c close_to an_estimated estimated ~ ≈ ∼
		 etwa rund ungefähr knapp fast annähernd zirka um_die environ près_de presque autour_de unos unas aproximadamente cerca_de casi alrededor_de circa_di quasi
		 cerca_de ongeveer bijna около примерно почти приблизительно порядка 约 約 大约 大約 近 およそ ほぼ`,
		atLeast: `more_than over at_least above exceeding exceeds exceed upwards_of no_fewer_than no_less_than not_less_than greater_than in_excess_of minimum_of minimum > ≥ >=
		 mehr_als über mindestens wenigstens plus_de au_moins au-delà_de más_de al_menos por_lo_menos più_di oltre almeno mais_de meer_dan minstens
		 более больше свыше не_менее 超过 超過 至少 多于 少なくとも`,
		atMost: `less_than under below fewer_than up_to at_most no_more_than not_more_than maximum_of maximum < ≤ <=
		 weniger_als unter bis_zu höchstens maximal moins_de jusqu'à au_plus menos_de hasta como_máximo meno_di fino_a menos_de minder_dan hoogstens
		 менее меньше до не_более 不到 至多 最多 少于`,
	} {
		for phrase := range strings.FieldsSeq(phrases) {
			all[strings.ReplaceAll(phrase, "_", " ")] = q
		}
	}
	return all
}()

// qualifiersAfter follow a number or its unit.
var qualifiersAfter = map[string]qualifier{"+": atLeast, " or more": atLeast, " or less": atMost, " or fewer": atMost, " and above": atLeast, " oder mehr": atLeast, " oder weniger": atMost,
	" ou plus": atLeast, " ou moins": atMost, " o más": atLeast, " o menos": atMost, "以上": atLeast, "以下": atMost, "以内": atMost, "多": atLeast, "左右": approximately, "前後": approximately}

// qualify looks at the words around f and widens it.
func (p *figureParser) qualify(f *Figure) {
	before := strings.ToLower(strings.TrimRight(p.s[max(0, f.Start-32):f.Start], " \u00a0."))
	if q := endingQualifier(before); q != 0 {
		f.apply(q)
		if q != approximately { // at least about 500
			return
		}
	}
	for after, q := range qualifiersAfter {
		if strings.HasPrefix(p.s[f.End:], after) {
			f.apply(q)
		}
	}
}

// endingQualifier returns the longest qualifier that before ends with as words.
func endingQualifier(before string) qualifier {
	best, found := 0, qualifier(0)
	for phrase, q := range qualifiers {
		head, ok := strings.CutSuffix(before, phrase)
		if !ok || len(phrase) <= best {
			continue
		}
		if first := []rune(phrase)[0]; head != "" && isWordRune(first) && !isUnspaced(first) {
			if last := []rune(head)[len([]rune(head))-1]; isWordRune(last) {
				continue
			}
		}
		best, found = len(phrase), q
	}
	return found
}

func (f *Figure) apply(q qualifier) {
	switch q {
	case approximately:
		f.Approx = true
	case atLeast:
		f.High = math.Inf(1)
	case atMost:
		f.Low = math.Inf(-1)
	}
}

// rangeWords stand between the two ends of a range.
var rangeWords = setOf("- – — − ~ 〜 ～ ‐ ‑ to through bis à a até al до по tot 至 到 から -- …")

// pairWords stand between the ends when a word such as "between" stands before both.
var pairWords = map[string]string{"and": "between", "und": "zwischen", "et": "entre", "y": "entre", "e": "entre tra fra", "и": "между", "en": "tussen"}

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

func (p *figureParser) join(a, b Figure) (Figure, bool) {
	if b.Start < a.End || b.Start-a.End > 16 {
		return a, false
	}
	gap := strings.ToLower(strings.Trim(p.s[a.End:b.Start], " \u00a0\u202f"))
	both := a
	both.End = b.End
	both.Raw = p.s[a.Start:b.End]
	switch {
	case gap == "±" || gap == "+/-":
		if a.bare {
			a = a.inUnitOf(b)
		}
		if a.Dimension != b.Dimension {
			return a, false
		}
		both = a
		both.End, both.Raw = b.End, p.s[a.Start:b.End]
		both.Low, both.High = a.Value-math.Abs(b.Value), a.Value+math.Abs(b.Value)
		return both, true
	case rangeWords[gap] && gap != "", p.isPair(a, gap):
		if a.bare && !b.bare {
			a = a.inUnitOf(b)
		}
		if a.Dimension != b.Dimension || a.Value >= b.Value || a.Low != a.High && !math.IsInf(a.High, 1) {
			return a, false
		}
		both = b
		both.Start, both.Raw = a.Start, p.s[a.Start:b.End]
		both.Low, both.High = a.Value, b.Value
		both.Value = (a.Value + b.Value) / 2
		both.Approx = a.Approx || b.Approx
		both.step, both.coarse = max(a.step, b.step), max(a.coarse, b.coarse)
		return both, true
	case gap == "" && a.Dimension == DimensionCount && a.times > b.times && b.times >= 1e4: // 1億2000万円
		f := a.inUnitOf(Figure{Unit: b.Unit, Dimension: b.Dimension, unit: b.unit, times: 1})
		f.Value += b.Value
		f.Low, f.High, f.End, f.Raw = f.Value, f.Value, b.End, both.Raw
		f.step, f.coarse = b.step, b.coarse
		return f, true
	case gap == "" || gap == "and" || gap == "und" || gap == "et" || gap == "y":
		compound := a.Dimension == b.Dimension && a.Dimension != DimensionCount && b.unit.factor < a.unit.factor && math.Abs(b.Value) < a.unit.factor &&
			(a.Dimension == dimensionTime || a.Dimension == dimensionLength || a.Dimension == "mass" || a.Dimension == "angle")
		if !compound || a.Low != a.High || b.Low != b.High {
			return a, false
		}
		both.Value = a.Value + b.Value
		both.Low, both.High = both.Value, both.Value
		both.step, both.coarse, both.unit = b.step, b.coarse, b.unit
		return both, true
	}
	return a, false
}

// isPair says whether gap joins a to the next figure as in "between a and b".
func (p *figureParser) isPair(a Figure, gap string) bool {
	openers := pairWords[gap]
	if openers == "" {
		return false
	}
	word, _ := wordBefore(p.s, a.Start)
	return word != "" && strings.Contains(" "+openers+" ", " "+strings.ToLower(word)+" ")
}

// inUnitOf gives a bare number the unit and scale of g: the 5 of "5 to 10 million km".
func (f Figure) inUnitOf(g Figure) Figure {
	factor, offset := g.times*g.unit.factor, g.unit.offset
	f.Value, f.Low, f.High = f.Value*factor+offset, f.Low*factor+offset, f.High*factor+offset
	f.step, f.coarse = f.step*factor, f.coarse*factor
	f.Unit, f.Dimension, f.unit, f.times, f.bare = g.Unit, g.Dimension, g.unit, g.times, false
	return f
}
