package nearcopy

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/disagree"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// from describes how the claim differs from one stretch of its evidence.
func (d differ) from(s stretch) difference {
	shown := s.pieces
	aside := func(p piece) bool { return p.aside }
	if !slices.ContainsFunc(d.parts, aside) { // a claim may leave out all that stands in brackets
		shown = slices.DeleteFunc(slices.Clone(shown), aside)
	}
	c := contrast{differ: d, alignment: align(d.parts, shown), stretch: s}
	for _, g := range c.gaps() {
		c.look(g)
	}
	c.moves()
	c.endings()
	if asks(s.Text()) && !asks(d.Text()) {
		c.note("the source only asks it")
	}
	diff := difference{share: c.share(), look: c.looks(), others: c.others, open: c.open}
	near := diff.share >= leastTied || c.exchanged == 0 && len(c.against) > 0
	switch {
	// "did not open until", "opened in"
	case c.different > 0 || !near || c.exchanged > 1 || c.denied && c.exchanged > 0:
	case len(c.against) == 1:
		diff.against, diff.firm = c.against[0], c.firm
	case len(c.against) == 0:
		diff.same = c.lexicon().knowsDenials()
	}
	return diff
}

// lexicon returns the lexicon of the claim's language.
func (s sentence) lexicon() *lexicon { return lexiconOf(s.lang) }

// asks reports whether a sentence ends as a question does.
func asks(s string) bool {
	return strings.ContainsAny(s[strings.LastIndexFunc(s, isWordRune)+1:], "?？؟")
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// A contrast collects the differences in one alignment.
type contrast struct {
	differ
	alignment
	stretch   stretch
	against   []string // differences that contradict the claim: a figure, a date, a denial or an opposite
	denied    bool     // one of against is a denial
	firm      bool     // a figure or date in against is one that no source states
	open      bool     // figures differ in a sentence with a denial
	others    []OtherFigure
	exchanged int      // words that replace another harmlessly, as far as the lists know
	different int      // all other differences
	noted     []string // descriptions of the last two kinds
}

// note counts and describes a difference.
func (c *contrast) note(format string, args ...any) {
	c.different++
	c.noted = append(c.noted, fmt.Sprintf(format, args...))
}

// looks joins the descriptions. Many or long ones help nobody.
func (c *contrast) looks() string {
	const most, longest = 2, 160 // bytes
	all := append(slices.Clone(c.against), c.noted...)
	if said := strings.Join(all, "; "); len(all) <= most && len(said) <= longest {
		return said
	}
	return ""
}

// said returns piece i of the claim as it is written.
func (c *contrast) said(i int) string { return c.Text()[c.claim[i].start:c.claim[i].end] }

// reads returns piece j of the stretch as it is written.
func (c *contrast) reads(j int) string {
	p := c.shown[j]
	return c.stretch.Text()[p.start:p.end]
}

// look describes one gap: first figures that clash, opposites and denials, then what remains.
func (c *contrast) look(g gap) {
	g.shown = slices.DeleteFunc(g.shown, func(j int) bool { return c.shown[j].aside })
	g = c.figures(g)
	g = c.opposites(g)
	g = c.denial(g)
	switch {
	case len(g.claim)+len(g.shown) == 0:
	case c.exchange(g):
		c.exchanged++
		c.noted = append(c.noted, bothSay(c.said(g.claim[0]), c.reads(g.shown[0])))
	case len(g.claim) == 0:
		c.note("the claim leaves out %q", c.run(c.stretch.Text(), c.shown, g.shown))
	case len(g.shown) == 0:
		c.note("the claim adds %q", c.run(c.Text(), c.claim, g.claim))
	default:
		c.note("%s", bothSay(c.run(c.Text(), c.claim, g.claim), c.run(c.stretch.Text(), c.shown, g.shown)))
	}
}

// bothSay describes two readings of one place.
func bothSay(claim, source string) string {
	return fmt.Sprintf("the claim says %q, the source %q", claim, source)
}

// run returns the text of the pieces of one gap.
func (c *contrast) run(s string, pieces []piece, run []int) string {
	const most = 60 // bytes
	return text.Shorten(text.OneLine(s[pieces[run[0]].start:pieces[run[len(run)-1]].end]), most)
}

// figures removes from a gap a figure or date of the claim, together with one of the stretch that
// cannot be true at the same time. What is denied of two figures can: what is not 84 m tall is not 90 m tall.
func (c *contrast) figures(g gap) gap {
	for _, i := range g.claim {
		p := c.claim[i]
		j := slices.IndexFunc(g.shown, func(j int) bool {
			return rivals(p, c.shown[j]) && !c.unclear(p.raw()) && !c.unclear(c.shown[j].raw())
		})
		if j < 0 {
			continue
		}
		q := c.shown[g.shown[j]]
		if p.figure != nil && q.denied {
			c.open = true
			continue
		}
		c.against = append(c.against,
			fmt.Sprintf("the source says %s where the claim says %s", c.reads(g.shown[j]), c.said(i)))
		c.firm = slices.Contains(c.missing, p.raw())
		mine, theirs := p.place(), q.place()
		theirs.Start, theirs.End = c.stretch.start+theirs.Start, c.stretch.start+theirs.End
		c.others = append(c.others, OtherFigure{Claim: mine, Evidence: theirs})
		return g.without(i, g.shown[j])
	}
	return g
}

// unclear reports whether a figure has two readings, as 1.234 has in an unknown language.
func (c *contrast) unclear(figure string) bool {
	return !c.sure && len(quantity.Unclear(c.Beside(figure).In(""))) > 0
}

// rivals reports whether two figures or two dates cannot both be true of one thing.
func rivals(p, q piece) bool {
	if p.date != nil {
		return q.date != nil && !p.date.Agrees(*q.date)
	}
	return p.figure != nil && q.figure != nil && (p.figure.Clashes(*q.figure) || p.figure.Reverses(*q.figure))
}

// opposites removes from a gap two words that are opposites, or of which one has a prefix that may deny the other:
// migrants and immigrants are no opposites, so such a pair decides nothing.
func (c *contrast) opposites(g gap) gap {
	x := c.lexicon()
	if x.Is(lang.Segments) && len(g.claim)*len(g.shown) > 0 {
		mine, theirs := textAround(c.claim, g.claim), textAround(c.shown, g.shown)
		if slices.ContainsFunc(x.axes, func(axis [2][]string) bool {
			return onOtherSides(axis, mine, theirs) || onOtherSides(axis, theirs, mine)
		}) {
			c.against = append(c.against, bothSay(mine, theirs))
			return gap{}
		}
		return g
	}
	for _, i := range g.claim {
		for _, j := range g.shown {
			a, b := c.claim[i], c.shown[j]
			switch {
			case a.opposite(b.word) || opposedPrefixed(a.low, b.low) || prefixed(a.low, b.low, x.against):
				c.against = append(c.against, bothSay(c.said(i), c.reads(j)))
			case prefixed(a.low, b.low, x.turning):
				c.note("%s", bothSay(c.said(i), c.reads(j)))
			default:
				continue
			}
			return g.without(i, j)
		}
	}
	return g
}

// onOtherSides reports whether text a has words of the first side only, and text b of the second only.
func onOtherSides(axis [2][]string, a, b string) bool {
	only := func(s string, has, lacks []string) bool {
		return containsAny(s, has) && !containsAny(s, lacks)
	}
	return only(a, axis[0], axis[1]) && only(b, axis[1], axis[0])
}

// opposite reports whether two words are on opposite sides of an axis.
func (w word) opposite(v word) bool {
	return slices.ContainsFunc(w.poles, func(p pole) bool { return v.sign(p.axis) == -p.sign })
}

// denial removes from a gap a denial that one side alone has, with the auxiliary before it
// ("did not") and the small word that the other side has instead ("a house", "no house").
func (c *contrast) denial(g gap) gap {
	mine, theirs := c.denies(c.claim, g.claim), c.denies(c.shown, g.shown)
	if mine == theirs {
		return g
	}
	other, pieces, who := g.claim, c.claim, "the source denies it"
	if mine {
		other, pieces, who = g.shown, c.shown, "the claim denies it"
	}
	if len(other) > 1 || len(other) == 1 && pieces[other[0]].weight() == 1 {
		return g // words of the other side may turn the denial
	}
	c.against, c.denied = append(c.against, who), true
	return gap{}
}

// denies reports whether a run only denies: auxiliaries, then denials, and no other word but those that
// strengthen a denial.
func (c *contrast) denies(pieces []piece, run []int) bool {
	x := c.lexicon()
	if x.Is(lang.Segments) {
		return onlyDenies(pieces, run, x.signs) && containsAny(x.plain.Replace(textAround(pieces, run)), x.signs)
	}
	const auxiliaries = 2
	last := -1
	run = slices.DeleteFunc(slices.Clone(run), func(k int) bool { return x.beside[pieces[k].low] })
	for n, k := range run {
		switch {
		case pieces[k].negation:
			last = n
		case last >= 0 || n >= auxiliaries || pieces[k].weight() == 1:
			return false
		}
	}
	return last >= 0
}

// onlyDenies reports whether a run of characters has no Chinese character beside those of denials, and at most one
// other: 毫不犹豫 denies nothing of what follows it.
func onlyDenies(pieces []piece, run []int, signs []string) bool {
	isHan := func(r rune) bool { return unicode.Is(unicode.Han, r) }
	others := 0
	for _, k := range run {
		low := pieces[k].low
		if slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(sign, low) }) {
			continue
		}
		if others++; others > 1 || strings.ContainsFunc(low, isHan) {
			return false
		}
	}
	return len(run) > 0
}

// exchange reports whether a gap replaces one word by another harmlessly, as far as the lists know. A
// name, a number, a quantity, a discriminator, a small word before a figure or a date, or one that may be the other's
// opposite is not harmless.
func (c *contrast) exchange(g gap) bool {
	const most = 2 // words on one side, as in "such as" for "like"
	x := c.lexicon()
	if len(g.claim)*len(g.shown) == 0 || len(g.claim)*len(g.shown) > most || x.Is(lang.Segments) {
		return false
	}
	mine, theirs := c.lows(c.claim, g.claim), c.lows(c.shown, g.shown)
	if mine == nil || theirs == nil {
		return false
	}
	if c.claim[g.claim[0]].content && c.shown[g.shown[0]].content {
		named := capital(c.said(g.claim[0])) && capital(c.reads(g.shown[0])) // a name may begin a sentence
		return x.Knows(lang.Opposites) && len(mine)+len(theirs) == most && !named
	}
	if beforeFigure(c.claim, g.claim) || beforeFigure(c.shown, g.shown) {
		return false
	}
	return x.Knows(lang.SmallOpposites) && !slices.ContainsFunc(x.small, func(o [2]map[string]bool) bool {
		return anyIn(mine, o[0]) && anyIn(theirs, o[1]) || anyIn(mine, o[1]) && anyIn(theirs, o[0])
	})
}

// beforeFigure reports whether a figure or a date stands behind a run: until 1990, by 5 euros.
func beforeFigure(pieces []piece, run []int) bool {
	next := run[len(run)-1] + 1
	return next < len(pieces) && (pieces[next].figure != nil || pieces[next].date != nil)
}

// lows returns the folded words of a run, or nil if one of them may tell two things apart.
func (c *contrast) lows(pieces []piece, run []int) (lows []string) {
	x := c.lexicon()
	for _, k := range run {
		w := pieces[k]
		telling := x.Words(lang.Wholes)[w.low] || x.Words(lang.Parts)[w.low] || disagree.Discriminators[w.low]
		exact := w.figure != nil || w.date != nil || strings.ContainsFunc(w.low, unicode.IsDigit)
		if exact || telling || w.name || w.negation || quantity.NamesScale(w.low) {
			return nil
		}
		lows = append(lows, w.low)
	}
	return lows
}

func capital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

func anyIn(words []string, set map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return set[w] })
}

// endings describes tied words of which one has an ending that denies it: employed, unemployed are no two
// forms of a word.
func (c *contrast) endings() {
	x := c.lexicon()
	for i, j := range c.at {
		if j >= 0 && x.turned(c.claim[i].low, c.shown[j].low) {
			c.note("%s", bothSay(c.said(i), c.reads(j)))
		}
	}
}

// moves describes pieces whose order differs from the stretch. An opening clause may move to the end,
// and a closing one to the beginning.
func (c *contrast) moves() {
	var moved []int
	for i, how := range c.how {
		if how == turnedRound {
			c.note("the claim has %q in another order", c.said(i))
			return
		}
		if how == inBlock {
			moved = append(moved, i)
		}
	}
	if len(moved) == 0 {
		return
	}
	first, last := moved[0], moved[len(moved)-1]
	whole := last-first+1 == len(moved) && (last == len(c.claim)-1 || first == 0) && len(moved) > 1
	opening := c.at[first] == 0 || c.at[last] == len(c.shown)-1
	if !whole || !opening {
		c.note("the claim has %q in another order", c.run(c.Text(), c.claim, moved))
	}
}

// textAround joins a non-empty run of characters with two neighbours on either side.
func textAround(pieces []piece, run []int) string {
	const neighbours = 2
	var b strings.Builder
	for _, p := range pieces[max(0, run[0]-neighbours):min(len(pieces), run[len(run)-1]+1+neighbours)] {
		b.WriteString(p.low)
	}
	return b.String()
}
