package cite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// What makes a claim a near-copy of a stretch of its evidence, to be judged by what
// differs. Chosen on the half of the near-copies that may be tuned on (doc/bench.md).
const (
	nearFromShare = 0.75 // share of the claim's words that stand in one stretch
	sameFromShare = 0.9  // and from here it says the same, where nothing differs
	tryFromShare  = 0.5  // of the words that a stretch has, in any order, to align it at all
)

// A difference is what tells a claim from the stretch of evidence that it is a near-copy
// of.
type difference struct {
	share   float64 // of the claim's words that the stretch has; below nearFromShare nothing else is set
	against string  // what contradicts the claim
	doubt   string  // what keeps it from being supported
	firm    bool    // the doubt is of whom the evidence says it: words that oppose the claim may be another's
	others  []otherFigure
}

// An otherFigure is a figure or date of the claim, and the one that the evidence has in its
// place and that contradicts it.
type otherFigure struct{ claim, evidence text.Span }

func (d difference) near() bool { return d.share >= nearFromShare }

// same says whether the claim is the stretch but for words that make no difference.
func (d difference) same() bool {
	return d.share >= sameFromShare && d.against == "" && d.doubt == ""
}

// A differ reads one claim to hold it against stretches of one evidence.
type differ struct {
	sentence // the claim
	parts    []piece
	evidence string
	missing  []string // figures and dates of the claim that the evidence has nowhere
}

// A stretch of evidence is a sentence, or two, with the pieces that it is aligned by.
type stretch struct {
	sentence
	pieces []piece
	start  int // in the evidence
}

// from judges the claim by what tells it from a stretch of its evidence.
func (d differ) from(s stretch) difference {
	a := align(d.parts, s.pieces)
	c := contrast{differ: d, alignment: a, stretch: s.sentence, start: s.start}
	gaps := a.gaps()
	opposed := map[int]bool{}
	for _, g := range gaps {
		if i, _, found := c.opposites(g); found {
			opposed[i] = true
		}
	}
	c.share = a.share(opposed)
	c.substitute()
	diff := difference{share: c.share}
	if !diff.near() {
		return diff
	}
	c.figures(gaps)
	c.turns()
	for _, g := range gaps {
		c.denial(g)
		c.quantity(g)
		c.names(g)
	}
	c.order(gaps)
	c.exchange()
	c.roles()
	c.smallWords(gaps)
	c.ending()
	c.tear()
	c.otherSubject()
	diff.against, diff.doubt, diff.firm, diff.others = c.against, c.doubt, c.firm, c.others
	return diff
}

// A contrast collects what differs in one alignment.
type contrast struct {
	differ
	alignment
	stretch        sentence
	start          int // of the stretch in the evidence
	share          float64
	against, doubt string
	firm           bool
	others         []otherFigure
}

// copied says whether the claim has so many words of the stretch that one word in another's
// place is a change and no wording of its own.
func (c *contrast) copied() bool { return c.share >= sameFromShare-0.1 }

func (c *contrast) contradict(format string, args ...any) {
	c.against = cmp.Or(c.against, fmt.Sprintf(format, args...))
}

func (c *contrast) question(format string, args ...any) {
	c.doubt = cmp.Or(c.doubt, fmt.Sprintf(format, args...))
}

func (c *contrast) said(i int) string { return c.text[c.claim[i].start:c.claim[i].end] }

func (c *contrast) reads(j int) string {
	p := c.shown[j]
	return c.stretch.text[p.start:p.end]
}

// figures looks for a figure or date of the stretch that nothing of the claim is tied to
// and that rivals one of the claim that is tied to nothing. A bare count rivals another
// only in the same gap: it may count other things.
func (c *contrast) figures(gaps []gap) {
	for _, g := range gaps {
		for _, i := range g.claim {
			p := c.claim[i]
			if p.figure == nil && p.date == nil {
				continue
			}
			for j, q := range c.shown {
				here := slices.Contains(g.shown, j)
				if c.back[j] >= 0 || !rivals(p, q, here) || c.unclear(j) {
					continue
				}
				if slices.Contains(c.missing, c.said(i)) {
					c.contradict("the evidence gives another figure than %s", c.said(i))
					c.others = append(c.others, otherFigure{text.Span{Start: p.start, End: p.end}, text.Span{Start: c.start + q.start, End: c.start + q.end}})
				} else if here {
					c.question("the evidence gives another figure than %s there", c.said(i))
				}
			}
		}
	}
}

// unclear says whether a figure of the evidence can be read in two ways, as 1.234 can in a
// text whose language is not known.
func (c *contrast) unclear(j int) bool {
	return text.Language(c.evidence) == "" && len(quantity.Unclear(c.reads(j), "")) > 0
}

func rivals(p, q piece, here bool) bool {
	if p.date != nil {
		return q.date != nil && !p.date.Agrees(*q.date)
	}
	return q.figure != nil && (p.figure.Clashes(*q.figure) || p.figure.Reverses(*q.figure)) && (here || p.figure.Dimension != quantity.DimensionCount)
}

// denial looks for a denial on one side of a gap alone, and for opposites in it. "No
// evidence that" leaves open what follows.
func (c *contrast) denial(g gap) {
	for _, j := range g.shown {
		if q := c.shown[j]; q.proof && q.denied && g.first && thats[c.shown[min(j+1, len(c.shown)-1)].low] {
			c.question("the evidence has no %s for it", q.low)
			return
		}
	}
	mine, theirs := c.denies(c.claim, g.claim, g), c.denies(c.shown, g.shown, g)
	i, j, opposed := c.opposites(g)
	switch {
	case opposed && c.converse(i, j):
		c.firm = true
		c.question("the claim says %q, the evidence %q, and names changed places", c.said(i), c.reads(j))
	case opposed && (mine == "") == (theirs == ""):
		c.contradict("the claim says %q, the evidence %q", c.said(i), c.reads(j))
	case opposed || (mine == "") == (theirs == ""):
	case contentIn(c.claim, g.claim) > 0 && contentIn(c.shown, g.shown) > 0:
		c.question("one of claim and evidence denies it, in other words")
	case turnsDenial(c.sentence, c.stretch):
		c.question("one of claim and evidence denies %q, on a condition or beside another", cmp.Or(theirs, mine))
	case theirs != "":
		c.contradict("the evidence denies %q", theirs)
	default:
		c.contradict("the claim denies %q, the evidence does not", mine)
	}
}

// denies gives the word that one side denies in a gap: the one that follows the denial, or
// at the end of a sentence the one before it; empty without a denial. A denial with words
// of its own behind it denies those.
func (c *contrast) denies(pieces []piece, run []int, g gap) string {
	const own, near = 1, 4 // content pieces between a denial and what it denies; pieces that may be at the ends
	sameClause := func(k, other int) bool {
		return other >= 0 && other < len(pieces) && pieces[other].clause == pieces[k].clause
	}
	if signs := unspacedDenials[c.lang]; signs != nil && len(run) > 0 {
		if containsAny(notDenials[c.lang].Replace(textAround(pieces, run)), signs) != "" {
			return textAround(pieces, run)
		}
		return ""
	}
	for n, k := range run {
		if !pieces[k].negation || n+1 < len(run) && notDenying[pieces[run[n+1]].low] || boundBehind(pieces, k) {
			continue
		}
		before, behind := run[:n], run[n+1:]
		if g.first && len(behind) < near && contentIn(pieces, behind) == 0 && sameClause(k, run[len(run)-1]+1) ||
			g.last && len(before) < near && contentIn(pieces, before) == 0 && !pieces[k].comma && sameClause(k, run[0]-1) ||
			!g.first && !g.last && contentIn(pieces, behind) <= own && sameClause(k, run[len(run)-1]+1) {
			return c.deniedBy(pieces, k)
		}
	}
	return ""
}

// boundBehind says whether a denial only helps to say a bound: no more than 1,600, not take
// more than 5 mg.
func boundBehind(pieces []piece, k int) bool {
	const reach = 4
	for _, p := range pieces[k+1 : min(len(pieces), k+1+reach)] {
		if p.figure != nil {
			return p.figure.Low != p.figure.High
		}
	}
	return false
}

// deniedBy gives the next content word behind piece k, or else the one before it.
func (c *contrast) deniedBy(pieces []piece, k int) string {
	at := slices.IndexFunc(pieces[k+1:], func(p piece) bool { return p.weight() == 1 }) + k + 1
	for ; at > 0 && pieces[at].weight() < 1; at-- {
	}
	return pieces[at].low
}

func contentIn(pieces []piece, run []int) int {
	n := 0
	for _, k := range run {
		if pieces[k].content {
			n++
		}
	}
	return n
}

// opposites returns a piece of the claim and one of the stretch in one gap that take
// opposite sides.
func (c *contrast) opposites(g gap) (i, j int, found bool) {
	const most = 3 // content pieces a side; more is another statement
	if contentIn(c.claim, g.claim) > most || contentIn(c.shown, g.shown) > most {
		return 0, 0, false
	}
	if axes := unspacedAxes[c.lang]; axes != nil && len(g.claim)*len(g.shown) > 0 {
		mine, theirs := textAround(c.claim, g.claim), textAround(c.shown, g.shown)
		return g.claim[0], g.shown[0], slices.ContainsFunc(axes, func(axis [2][]string) bool {
			return onOtherSides(axis, mine, theirs) || onOtherSides(axis, theirs, mine)
		})
	}
	for _, i := range g.claim {
		for _, j := range g.shown {
			if a, b := c.claim[i], c.shown[j]; a.opposite(b.word) || prefixOpposites(a.low, b.low, c.lang) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// onOtherSides says whether one text has a word of the first side alone, and the other one
// of the second.
func onOtherSides(axis [2][]string, a, b string) bool {
	return containsAny(a, axis[0]) != "" && containsAny(a, axis[1]) == "" && containsAny(b, axis[1]) != "" && containsAny(b, axis[0]) == ""
}

// opposite says whether two words stand on different sides of one axis.
func (w word) opposite(v word) bool {
	return slices.ContainsFunc(w.poles, func(p pole) bool { return v.sign(p.axis) == -p.sign })
}

// sameSide says whether two words stand on one side of an axis: less and smaller.
func (w word) sameSide(v word) bool {
	return slices.ContainsFunc(w.poles, func(p pole) bool { return v.sign(p.axis) == p.sign })
}

// quantity looks for words of how many or how often that differ in a gap, and for words
// that tell two things of one name apart.
func (c *contrast) quantity(g gap) {
	mineAll, theirsAll := c.find(c.claim, g.claim, wholes[c.lang]), c.find(c.shown, g.shown, wholes[c.lang])
	minePart, theirsPart := c.find(c.claim, g.claim, parts[c.lang]), c.find(c.shown, g.shown, parts[c.lang])
	switch {
	case mineAll != "" && (theirsAll != "" || c.leadIn(g)):
	case mineAll+minePart != "" && theirsAll+theirsPart != "":
		c.question("the claim says %q, the evidence %q", mineAll+minePart, theirsAll+theirsPart)
	case !c.copied():
	case mineAll != "" && (len(g.shown) > 0 || !slices.ContainsFunc(c.shown, func(p piece) bool { return wholes[c.lang][p.low] })):
		c.question("the claim says %q, the evidence does not", mineAll)
	case theirsAll != "" && len(g.claim) > 0:
		c.question("the evidence says %q, the claim does not", theirsAll)
	}
	if mine, theirs := c.find(c.claim, g.claim, discriminators), c.find(c.shown, g.shown, discriminators); mine != "" && theirs != "" {
		c.question("the claim says %q, the evidence %q", mine, theirs)
	}
}

// leadIn says whether a gap of the claim is words before a first comma that say nothing of
// its matter: "all in all,". Of a near-copy something is kept behind the first gap.
func (c *contrast) leadIn(g gap) bool {
	return g.first && c.claim[len(g.claim)].comma && contentIn(c.claim, g.claim) == 0
}

// find gives the first word of a run that is in the set. Where words are not told apart
// by spaces it looks at the text of the run with two characters on either side.
func (c *contrast) find(pieces []piece, run []int, set map[string]bool) string {
	for _, k := range run {
		if set[pieces[k].low] {
			return pieces[k].low
		}
	}
	if unspacedAxes[c.lang] == nil || len(run) == 0 {
		return ""
	}
	around := textAround(pieces, run)
	for w := range set {
		if at := strings.Index(around, w); at >= 0 {
			return w
		}
	}
	return ""
}

// textAround joins a run of characters, one at least, with two neighbours on either side.
func textAround(pieces []piece, run []int) string {
	const neighbours = 2
	var b strings.Builder
	for _, p := range pieces[max(0, run[0]-neighbours):min(len(pieces), run[len(run)-1]+1+neighbours)] {
		b.WriteString(p.low)
	}
	return b.String()
}

// names looks for a name of the claim that the evidence has nowhere, or has elsewhere
// where another name stands in its place.
func (c *contrast) names(g gap) {
	for _, i := range g.claim {
		p := c.claim[i]
		if !p.name {
			continue
		}
		rival := slices.ContainsFunc(g.shown, func(j int) bool { return c.shown[j].name })
		kin := slices.ContainsFunc(c.shown, func(q piece) bool { return q.content && firstLetters(q.low) == firstLetters(p.low) }) || c.spelledIn(i)
		if written := c.said(i); kin || !rival && strings.Contains(strings.ToLower(c.evidence), strings.ToLower(written)) {
			continue
		}
		c.question("the evidence does not name %s", c.said(i))
	}
}

// spelledIn says whether the stretch spells a name of the claim out, or shortens it.
func (c *contrast) spelledIn(i int) bool {
	short := strings.ToUpper(c.said(i))
	if isAbbreviation(short) && c.stretch.spelledOut(c.claim[i].low) > 0 {
		return true
	}
	return slices.ContainsFunc(c.shown, func(q piece) bool {
		return isAbbreviation(c.stretch.text[q.start:q.end]) && c.sentence.spelledOut(q.low) > 0
	})
}

// firstLetters are the first four letters of a word: Iceland and Icelanders share them, and
// so do most forms of a name.
func firstLetters(low string) string {
	runes := []rune(low)
	return string(runes[:min(4, len(runes))])
}

// ending looks for a small word that a claim without a full stop, the cell of a table,
// ends with and the stretch lacks: "foreign keys off".
func (c *contrast) ending() {
	last := len(c.claim) - 1
	if p := c.claim[last]; p.end == len(strings.TrimSpace(c.text)) && p.weight() < 1 && c.at[last] < 0 && !slices.ContainsFunc(c.shown, func(q piece) bool { return q.low == p.low }) {
		c.question("the evidence does not say %q", c.said(last))
	}
}

// turns looks for words on both sides that take different sides by a particle of
// theirs: "nahm ab" and "nahm zu".
func (c *contrast) turns() {
	for i, j := range c.at {
		if j >= 0 && c.claim[i].low == c.shown[j].low && c.claim[i].opposite(c.shown[j].word) {
			c.contradict("the claim says it with another direction than the evidence (%q)", c.reads(j))
		}
	}
}
