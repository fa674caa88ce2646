package quantity

import (
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A qualifier is a word around a number that loosens it.
type qualifier int

const (
	approximately qualifier = iota + 1
	atLeast
	atMost
)

// qualifiersByEnd are the same phrases by their last character.
var qualifiersByEnd = sync.OnceValue(func() map[rune][]string {
	by := map[rune][]string{}
	for phrase := range qualifiers() {
		last, _ := utf8.DecodeLastRuneInString(phrase)
		by[last] = append(by[last], phrase)
	}
	return by
})

// qualifiers stand before a number; of several that fit, the longest counts.
var qualifiers = sync.OnceValue(func() map[string]qualifier {
	all := map[string]qualifier{}
	for q, phrases := range map[qualifier]string{
		approximately: `about around approximately approx roughly some nearly almost circa ca c close_to an_estimated estimated ~ ≈ ∼
		 etwa rund ungefähr knapp fast annähernd zirka um_die gegen environ près_de presque autour_de quelque dans_les unos unas aproximadamente cerca_de casi alrededor_de en_torno_a circa_di quasi all'incirca
		 cerca_de por_volta_de ongeveer bijna zo'n ruim около примерно почти приблизительно порядка близько приблизно майже 约 約 大约 大約 近 将近 將近 およそ ほぼ おおよそ 약
		 حوالي نحو قرابة زهاء ما_يقارب ما_يقرب_من بنحو بحوالي تقريبا حدود تقریبا نزدیک_به लगभग करीब क़रीब yaklaşık`,
		atLeast: `more_than over at_least above exceeding exceeds exceed exceeded upwards_of no_fewer_than no_less_than not_less_than greater_than in_excess_of minimum_of minimum > ≥ >=
		 mehr_als über mindestens wenigstens plus_de dépasse dépasser dépassent au_moins au-delà_de pas_moins_de más_de supera superan superar excede exceden exceder al_menos por_lo_menos no_menos_de più_di oltre almeno mais_de pelo_menos meer_dan minstens
		 более больше свыше превышает превышают превышать не_менее понад більше щонайменше 超过 超過 至少 多于 少なくとも 逾 超 最低 최소
		 أكثر_من اكثر_من يزيد_على يزيد_عن تزيد_عن تزيد_على ما_لا_يقل_عن لا_يقل_عن لا_تقل_عن على_الأقل يتجاوز تتجاوز تجاوز بأكثر_من بیش_از حداقل कम_से_कम`,
		atMost: `less_than under below fewer_than up_to at_most no_more_than not_more_than maximum_of maximum < ≤ <=
		 weniger_als unter bis_zu höchstens maximal moins_de jusqu'à jusqu’à au_plus pas_plus_de menos_de hasta como_máximo no_más_de meno_di fino_a menos_de até minder_dan hoogstens
		 менее меньше до не_более менше щонайбільше 不到 至多 最多 少于 不足 不超过 不超過 최대
		 أقل_من اقل_من يقل_عن تقل_عن لا_يزيد_على لا_يزيد_عن لا_تزيد_عن لا_يتجاوز لا_تتجاوز يصل_إلى تصل_إلى ما_يصل_إلى بأقل_من کمتر_از حداکثر`,
	} {
		for phrase := range strings.FieldsSeq(phrases) {
			all[strings.ReplaceAll(phrase, "_", " ")] = q
		}
	}
	return all
})

// qualifiersAfter follow a number or its unit.
var qualifiersAfter = map[string]qualifier{"+": atLeast, " or more": atLeast, " or less": atMost, " or fewer": atMost,
	" and above": atLeast, " oder mehr": atLeast, " oder weniger": atMost,
	" ou plus": atLeast, " ou moins": atMost, " o más": atLeast, " o menos": atMost, "以上": atLeast, "以下": atMost,
	"以内": atMost, "以內": atMost, "多": atLeast, "余": atLeast, "餘": atLeast, "左右": approximately, "上下": approximately,
	"前後": approximately,
	"未満": atMost, "超": atLeast, "余り": atLeast, "弱": approximately, "強": approximately, "ほど": approximately,
	"程度": approximately, " o di più": atLeast, " ou mais": atLeast, " of meer": atLeast, " или более": atLeast,
	" 이상": atLeast, "이상": atLeast, " 이하": atMost, "이하": atMost, " 미만": atMost, "미만": atMost, "여": atLeast,
	" تقريبا": approximately, " على الأقل": atLeast, " أو أكثر": atLeast, " से अधिक": atLeast, " से ज्यादा": atLeast,
	" से कम": atMost}

// qualify looks at the words around f and widens it.
func (p *figureParser) qualify(f *Figure) {
	before := strings.ToLower(strings.TrimRight(p.s[max(0, f.Start-32):f.Start], " \u00a0."))
	if q := endingQualifier(before); q != 0 {
		f.apply(q)
		if q != approximately { // at least about 500
			return
		}
	}
	loosens := func(rest string) bool {
		for after, q := range qualifiersAfter {
			if strings.HasPrefix(rest, after) {
				f.apply(q)
				return true
			}
		}
		return false
	}
	rest := p.s[f.End:]
	if loosens(rest) || !p.lang.Is(lang.Counters) {
		return
	}
	for _, counter := range counters { // 2人以上
		if counted, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), counter); ok && loosens(counted) {
			return
		}
	}
}

// endingQualifier returns the longest qualifier that before ends with as words.
func endingQualifier(before string) qualifier {
	best, found, turns := 0, qualifier(0), false
	end, _ := utf8.DecodeLastRuneInString(before)
	for _, phrase := range qualifiersByEnd()[end] {
		head, ok := strings.CutSuffix(before, phrase)
		if !ok || len(phrase) <= best {
			continue
		}
		if first, _ := utf8.DecodeRuneInString(phrase); head != "" && isWordRune(first) && !text.IsUnspaced(first) {
			if last, _ := utf8.DecodeLastRuneInString(head); isWordRune(last) {
				continue
			}
		}
		best, found, turns = len(phrase), qualifiers()[phrase], !firm[strings.ReplaceAll(phrase, " ", "_")]
	}
	if turns && found != approximately && deniedAtEnd(before[:len(before)-best]) {
		return map[qualifier]qualifier{atLeast: atMost, atMost: atLeast}[found]
	}
	return found
}

// firm are bounds that a denial does not turn round: "ne va pas jusqu'à", "does not stop after
// at most".
var firm = text.SetOf("at_least at_most up_to mindestens wenigstens höchstens maximal bis_zu au_moins au_plus " +
	"jusqu'à " +
	"jusqu’à al_menos por_lo_menos como_máximo hasta almeno fino_a pelo_menos até minstens hoogstens до не_менее " +
	"не_более minimum maximum")

// denying are words that deny a bound behind them: "must not exceed", "cannot hold more
// than", "ne doit pas dépasser".
var denying = text.SetOf("not never cannot nor nicht nie pas jamais no nunca non mai não niet не нельзя")

// deniedAtEnd says whether one of the last words of a text denies what follows: with at most
// a verb between.
func deniedAtEnd(before string) bool {
	const reach = 3 // words
	words := strings.Fields(before[strings.LastIndexAny(before, ".,;:!?()")+1:])
	for _, word := range words[max(0, len(words)-reach):] {
		if denying[word] || strings.HasSuffix(word, "n't") || strings.HasSuffix(word, "n’t") {
			return true
		}
	}
	return false
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
var rangeWords = text.SetOf("- – — − ~ 〜 ～ ‐ ‑ to through bis à a até al до по tot 至 到 から -- … إلى الى تا से ila ile")

// pairWords stand between the ends when a word such as "between" stands before both.
var pairWords = map[string]string{"and": "between", "und": "zwischen", "et": "entre", "y": "entre",
	"e": "entre tra fra", "и": "между", "en": "tussen", "و": "بين", "і": "між", "та": "між"}

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
	case rangeWords[gap], p.isPair(a, gap):
		both, ok = rangeOf(a, b)
	case gap == "" && a.Dimension == DimensionCount && a.times > b.times &&
		(b.times >= 1e4 || a.times >= 1e4 && p.continues(a, b)):
		both, ok = chained(a, b), true
	case gap == "" || gap == "and" || gap == "und" || gap == "et" || gap == "y":
		both, ok = compound(a, b)
	}
	both.Start, both.End, both.Raw = a.Start, b.End, p.s[a.Start:b.End]
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
	both.Approx = a.Approx || b.Approx
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
	f.step, f.coarse, f.place = f.step*factor, f.coarse*factor, f.place*factor
	f.Unit, f.Dimension, f.unit, f.times, f.bare = g.Unit, g.Dimension, g.unit, g.times, false
	return f
}
