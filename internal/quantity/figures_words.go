package quantity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// numberInWords reads "twelve", "two hundred and fifty", "half a million", "a dozen".
func (p *figureParser) numberInWords(i int) (end int, q quantity, ok bool) {
	before, _ := utf8.DecodeLastRuneInString(p.s[:i])
	if p.lang.numbers == nil || isWordRune(before) || strings.ContainsRune("-'’", before) {
		return i, q, false
	}
	if word, _ := wordAt(p.s, i); p.lang.Is(lang.ScaleArticles) &&
		(word == "a" || word == "an" || p.lang.halves[word] != 0) {
		return p.partOfScale(i)
	}
	return p.composedNumber(i)
}

// partOfScale reads the "a" of "a million" and "a year and a half", and the "half a" of "half a million".
func (p *figureParser) partOfScale(i int) (end int, q quantity, ok bool) {
	word, at := wordAt(p.s, i)
	factor := 1.0
	if p.lang.halves[word] == 0 && p.partFollows(at) {
		return at, quantity{value: factor, step: 1e-3, coarse: 0.05}, true
	}
	if half := p.lang.halves[word]; half != 0 {
		factor = half
		if word, at = wordAt(p.s, blankAt(p.s, at)); word != "a" {
			return i, q, false
		}
	}
	const shortest = 5 // letters, so that "a mn" is none
	scale, _ := wordAt(p.s, blankAt(p.s, at))
	if word == "an" || scales()[scale] == 0 || len(scale) < shortest {
		return i, q, false
	}
	return at, quantity{value: factor, step: 1e-3, coarse: 0.05}, true
}

// countsSomething says whether what follows "one" is a unit or a scale, so that it is
// the number and not the pronoun.
func (p *figureParser) countsSomething(at int) bool {
	at, _ = p.partBehind(at)
	i := blankAt(p.s, at)
	if strings.HasPrefix(p.s[i:], "-") {
		i++
	}
	word, _ := wordAt(p.s, i)
	if p.lang.scales[word]+scales()[word] != 0 {
		return true
	}
	_, _, ok := longestUnit(p.s, p.lang, i)
	return ok && len(word) > 2
}

// composedNumber reads a number of one or more words: two hundred and twelve, zweihundertzwölf, vingt et un,
// treinta y cinco mil, خمسة وعشرون.
func (p *figureParser) composedNumber(i int) (end int, q quantity, ok bool) {
	word, at := wordAt(p.s, i)
	if value, unit, ok := p.lang.wholeFigure(word); ok {
		return at, quantity{value: value, unit: unit, step: 0.1 * value, coarse: 0.1 * value}, true
	}
	if half := p.lang.halves[word]; half != 0 {
		_, scale := p.scaleAfter(at, false)
		_, _, unit := p.unitAfter(i, at, scale != 1)
		return at, quantity{value: half, step: 0.05, coarse: 0.05}, scale != 1 || unit
	}
	if about := p.lang.collectives[word]; about != 0 {
		before, _ := wordBefore(p.s, i)
		return at, quantity{value: about, step: 0.5, coarse: 0.1 * about, approx: about != 12},
			articles()[strings.ToLower(before)]
	}
	if articles()[word] && p.partFollows(at) {
		return at, quantity{value: 1, step: 0.05, coarse: 0.05}, true // un an et demi
	}
	n := numberInParts{in: p.lang}
	v := p.lang.valueOf(word, false)
	if part := p.lang.withPart(word); v == 0 && part != 0 {
		return at, quantity{value: part, step: 0.05, coarse: 0.05}, true // zweieinhalb
	}
	if v == 1 && !p.countsSomething(at) || strings.HasPrefix(p.s[at:], "'") || strings.HasPrefix(p.s[at:], "’") {
		return i, q, false
	}
	if scale, _ := p.scaleWithin(at, 0); v == 0 && scale >= 1e6 && articles()[word] {
		v = 1 // un million deux cent mille
	}
	if _, zero := p.lang.numbers[word]; v == 0 && !zero || !n.take(v, false) {
		return i, q, false
	}
	for end = at; ; end = at {
		v, to, joined := p.nextNumberWord(at)
		if v == 0 {
			v, to = p.scaleWithin(at, n.scale)
		}
		if v == 0 || !n.take(v, joined) {
			break
		}
		at = to
	}
	q = quantity{value: n.total + n.current, step: 0.5, coarse: 0.5, scale: n.scale}
	if n.current == 0 {
		q.coarse = 0.05 * n.total
	}
	return end, q, true
}

// nextNumberWord returns the value of the number word behind s[at:], where it ends, and
// whether a word for "and" joins it to what stands before.
func (p *figureParser) nextNumberWord(at int) (value float64, end int, joined bool) {
	next := blankAt(p.s, at)
	if next == at {
		if at >= len(p.s) || p.s[at] != '-' {
			return 0, at, false
		}
		next++
	}
	word, to := wordAt(p.s, next)
	if prefix := p.lang.prefix; prefix != "" && strings.HasPrefix(word, prefix) {
		word, joined = word[len(prefix):], true
	} else if p.lang.joint != "" && word == p.lang.joint {
		from := blankAt(p.s, to)
		if from == to && strings.HasPrefix(p.s[to:], "-") {
			from++
		}
		word, to = wordAt(p.s, from)
		joined = true
	}
	return p.lang.valueOf(word, true), to, joined
}

// scaleWithin returns the value of a word such as "millions" behind s[at:] that more of
// the number follows, or that is less than the scale before: deux millions trois cent
// mille, два миллиона триста тысяч. At the end of other numbers it is left for what
// reads scales behind all numbers.
func (p *figureParser) scaleWithin(at int, before float64) (value float64, end int) {
	next := blankAt(p.s, at)
	if next == at {
		return 0, at
	}
	word, to := wordAt(p.s, next)
	scale := p.scaleOf(word)
	if scale < 1e3 {
		return 0, at
	}
	if scale < before {
		return scale, to
	}
	if v, _, _ := p.nextNumberWord(to); v == 0 || v >= scale {
		return 0, at
	}
	return scale, to
}

// valueOf returns the value of a number word, 0 for any other; within says whether
// it follows another one.
func (t *tongue) valueOf(word string, within bool) float64 {
	if word == "" {
		return 0
	}
	if v := t.numbers[word]; v != 0 {
		return v
	}
	if v := t.within[word]; v != 0 && within {
		return v
	}
	switch and := t.compound.and; {
	case len(and) > 0:
		for _, other := range and[1:] {
			word = strings.ReplaceAll(word, other, and[0])
		}
		return compoundNumber(word, t.numbers, t.compound.ones, t.compound.thousand, t.compound.hundred, and[0])
	case len(t.compound.ones) > 0:
		return t.tensWithOnes(word)
	}
	return 0
}

// withPart returns the value of a number that is one word with a half, 0 for any other word.
func (t *tongue) withPart(word string) float64 {
	for half, part := range t.behind {
		if rest, ok := strings.CutSuffix(word, half); ok && t.valueOf(rest, false) != 0 {
			return t.valueOf(rest, false) + part
		}
	}
	return 0
}

// compoundNumber reads the numbers of German and Dutch, which are one word:
// zweihundertfünfundzwanzig.
func compoundNumber(word string, table, ones map[string]float64, thousand, hundred, and string) float64 {
	if len(word) > 60 {
		return 0
	}
	part := func(s string) float64 { // of what is less than 100
		s = strings.TrimPrefix(s, and)
		if v := table[s]; v != 0 && v < 100 {
			return v
		}
		if v := ones[s]; v != 0 {
			return v
		}
		for at := strings.Index(s, and); at > 0; {
			one, ten := table[s[:at]]+ones[s[:at]], table[s[at+len(and):]]
			if one > 0 && one < 10 && ten >= 20 && ten < 100 {
				return one + ten
			}
			further := strings.Index(s[at+1:], and)
			if further < 0 {
				break
			}
			at += 1 + further
		}
		return 0
	}
	if _, isOne := ones[word]; isOne {
		return 0
	}
	below := func(s string) float64 { return multiplied(s, hundred, 100, part) } // of what is less than 1000
	return multiplied(word, thousand, 1000, below)
}

// multiplied reads a word around the word of a value: what stands before it multiplies it, what stands behind it is
// added. It returns 0 where part cannot read what is added.
func multiplied(word, by string, value float64, part func(string) float64) float64 {
	left, right, found := strings.Cut(word, by)
	if !found {
		return part(word)
	}
	many, rest := 1.0, 0.0
	if left != "" {
		many = part(left)
	}
	if right != "" {
		if rest = part(right); rest == 0 {
			return 0
		}
	}
	return many*value + rest
}

// tensWithOnes reads tens with their ones as Italian writes them: ventuno, trentacinque.
func (t *tongue) tensWithOnes(word string) float64 {
	for ones, value := range t.compound.ones {
		left, ok := strings.CutSuffix(word, ones)
		if !ok || left == "" {
			continue
		}
		for _, vowel := range [...]string{"", "i", "a"} { // the tens drop theirs before uno and otto
			if v := t.numbers[left+vowel]; v >= 20 && v < 100 {
				return v + value
			}
		}
	}
	return 0
}

// numberInParts adds up the words of one number.
type numberInParts struct {
	in             *tongue
	total, current float64 // whole thousands and more, and what is not yet multiplied
	scale          float64 // the last word that multiplied
}

// take adds a word's value, and says whether the word can belong to the number.
// It is one table of rules, those of a language before the common ones.
func (n *numberInParts) take(v float64, joined bool) bool {
	low := int(n.current) % 100
	empty := n.current == 0 && n.total == 0
	switch {
	case v >= 1000:
		if joined && n.current == 0 || n.scale != 0 && v >= n.scale {
			return false
		}
		n.total += max(n.current, 1) * v
		n.current, n.scale = 0, scaleOf(v)
	case joined && n.in.Is(lang.ScaleArticles) && n.current < 100:
		return false // "twenty and three" are two numbers
	case n.in.Is(lang.MultipliedHundreds) && v == 100 && n.current >= 1 && n.current < 100:
		n.current *= 100
	case n.in.Is(lang.Scores) && v == 20 && low == 4:
		n.current += 76
	case n.in.Is(lang.Scores) && v < 20 && (v >= 10 || v == 1 && joined) && (low == 60 || low == 80):
		n.current += v
	case n.in.Is(lang.OnesFirst) && v == 10 && low >= 1 && low <= 9 && !joined:
		n.current += 10
	case n.in.Is(lang.OnesFirst) && v >= 20 && v <= 90 && low >= 1 && low <= 9 && joined:
		n.current += v
	case empty, n.current == 0 && v < n.scale,
		v < 10 && low >= 20 && low%10 == 0, v < 100 && low == 0 && n.current >= 100:
		n.current += v
	default:
		return false
	}
	return true
}

// scaleOf returns the power of ten that a word such as ألفين is made of.
func scaleOf(v float64) float64 {
	for _, scale := range [...]float64{1e9, 1e6} {
		if v >= scale {
			return scale
		}
	}
	return 1e3
}

// partBehind reads what adds a half or a quarter behind s[:end], with spaces or hyphens between its words. It returns
// where that ends, and the part, 0 where there is none.
func (p *figureParser) partBehind(end int) (at int, part float64) {
	for words, part := range p.lang.behind {
		at := end + len(words)
		if at > len(p.s) || words != p.s[end:at] && words != strings.ReplaceAll(p.s[end:at], "-", " ") {
			continue
		}
		next, size := utf8.DecodeRuneInString(p.s[at:])
		if size == 0 || text.IsUnspaced(next) || !unicode.IsLetter(next) {
			return at, part
		}
	}
	return end, 0
}

func containsAny(s string, words map[string]float64) bool {
	for word := range words {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// partFollows reports whether a scale or a unit of time follows s[:at] with a half or a quarter behind it, as in "a
// year and a half".
func (p *figureParser) partFollows(at int) bool {
	const near = 60 // bytes, which is more than a scale or a unit and the words behind it have
	ahead := strings.ReplaceAll(p.s[at:min(len(p.s), at+near)], "-", " ")
	if !containsAny(ahead, p.lang.behind) {
		return false
	}
	end, scale := p.scaleAfter(at, false)
	if scale == 1 {
		to, u, ok := longestUnit(p.s, p.lang, blankAt(p.s, at))
		if !ok || u.dimension != dimensionTime {
			return false
		}
		end = to
	}
	_, part := p.partBehind(end)
	return part > 0
}
