package cite

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// What makes a claim a near-copy of a stretch of its evidence, chosen on the tuning half of
// the near-copies (doc/bench.md).
const (
	leastTied     = 0.81 // share of the claim's content that stands in the stretch in the same order
	leastRepeated = 0.75 // and from here the stretch says the same of something else, where a figure is missing
	tryFrom       = 0.5  // share of it in any order from which the claim is aligned with the stretch
	mostTried     = 40   // stretches of one evidence that are aligned
)

// A difference is what tells a claim from the stretch of evidence that it is nearest to.
type difference struct {
	share   float64 // of the claim's content that the stretch has
	same    bool    // nothing differs, or one word that stands in another's place
	against string  // what contradicts the claim, where the claim is a near-copy but for this
	look    string  // what differs, for a judge to look at; empty where much does
	firm    bool    // against is a figure or a date
	others  []otherFigure
}

// An otherFigure is a figure or date of the claim, and the one that the evidence has in its
// place.
type otherFigure struct{ claim, evidence text.Span }

// nearestCopy finds the sentence of the evidence, or the two neighbours, that a claim is
// nearest to, and what differs. A claim of several sentences' words is the same where each of its
// clauses is.
func nearestCopy(claim, evidence, lang string, sure bool, missing []string) difference {
	c := newSentence(claim, lang)
	d := differ{sentence: c, parts: c.pieces(maxAligned), evidence: evidence, sure: sure, missing: missing}
	stretches := stretchesOf(evidence, lang)
	best := d.nearest(stretches)
	if best.same || best.against != "" {
		return best
	}
	if clauses := d.clauses(); len(clauses) > 1 {
		for _, part := range clauses {
			if !part.nearest(stretches).same {
				return best
			}
		}
		best.same = true
	}
	return best
}

// A differ reads one claim to hold it against stretches of one evidence.
type differ struct {
	sentence // the claim
	parts    []piece
	evidence string
	sure     bool // the language is known: 1.234 has one reading
	missing  []string
}

// A stretch of evidence is a sentence, or two neighbours, with the pieces that it is aligned by.
type stretch struct {
	sentence
	pieces []piece
	start  int // in the evidence
}

// stretchesOf reads the sentences of an evidence.
func stretchesOf(evidence, lang string) []stretch {
	var all []stretch
	for _, span := range sentencesOf(evidence) {
		s := newSentence(evidence[span.Start:span.End], lang)
		all = append(all, stretch{s, s.pieces(maxStretch), span.Start})
	}
	return all
}

// nearest holds the claim against the sentences that have most of its content, each alone
// and with the next one.
func (d differ) nearest(stretches []stretch) (best difference) {
	tried := 0
	try := func(s stretch) bool {
		if tried == mostTried || d.shared(s.pieces) < tryFrom {
			return false
		}
		tried++
		if one := d.from(s); one.better(best) {
			best = one
		}
		return best.same
	}
	for _, s := range stretches {
		if try(s) {
			return best
		}
	}
	for i := 1; i < len(stretches); i++ {
		if a, b := stretches[i-1], stretches[i]; d.shared(a.pieces) < 1 && d.shared(b.pieces) < 1 && try(d.join(a, b)) {
			return best
		}
	}
	return best
}

func (d difference) better(than difference) bool {
	if d.same != than.same {
		return d.same
	}
	if (d.against != "") != (than.against != "") {
		return d.against != ""
	}
	return d.share > than.share
}

// shared is the share of the claim's content that pieces have, in any order.
func (d differ) shared(pieces []piece) float64 {
	all, found := 0, 0
	for _, p := range d.parts {
		if p.weight() < 1 {
			continue
		}
		all++
		if slices.ContainsFunc(pieces, func(q piece) bool { return p.like(q) > 0 }) {
			found++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(found) / float64(all)
}

// join reads two neighbours as one stretch.
func (d differ) join(a, b stretch) stretch {
	by, clauses := b.start-a.start, 0
	both := stretch{sentence{text: d.evidence[a.start : b.start+len(b.text)], lang: a.lang}, slices.Clone(a.pieces), a.start}
	for _, p := range a.pieces {
		clauses = max(clauses, p.clause+1)
	}
	for _, p := range b.pieces[:min(len(b.pieces), max(0, maxStretch-len(a.pieces)))] {
		p.start, p.end, p.clause = p.start+by, p.end+by, p.clause+clauses
		both.pieces = append(both.pieces, p)
	}
	return both
}

// clauses are the parts of a claim that commas, semicolons and joining words part.
func (d differ) clauses() (parts []differ) {
	from := 0
	for i := 1; i <= len(d.parts); i++ {
		if i < len(d.parts) && !d.border(i) {
			continue
		}
		run := d.parts[from:i]
		if joiners[run[0].low] && len(run) > 1 {
			run = run[1:]
		}
		if content := slices.IndexFunc(run, func(p piece) bool { return p.weight() == 1 }); content < 0 {
			return nil
		}
		part := d
		part.parts = run
		parts, from = append(parts, part), i
	}
	return parts
}

// border reports whether another clause may begin with piece i.
func (d differ) border(i int) bool {
	between := d.text[min(d.parts[i-1].end, d.parts[i].start):d.parts[i].start]
	return strings.ContainsAny(between, ",;，；、،؛") || joiners[d.parts[i].low]
}

// joiners begin a further clause.
var joiners = text.SetOf("and und et y и e en و")

// from judges the claim by what tells it from a stretch of its evidence.
func (d differ) from(s stretch) difference {
	shown := s.pieces
	if !slices.ContainsFunc(d.parts, func(p piece) bool { return p.aside }) { // asides may be left out, all of them
		shown = slices.DeleteFunc(slices.Clone(shown), func(p piece) bool { return p.aside })
	}
	c := contrast{differ: d, alignment: align(d.parts, shown), stretch: s}
	for _, g := range c.gaps() {
		c.look(g)
	}
	c.moves()
	if asks(s.text) && !asks(d.text) {
		c.note("the source only asks it")
	}
	diff := difference{share: c.share(), look: c.looks(), others: c.others}
	near := diff.share >= leastTied || c.exchanged == 0 && len(c.against) > 0
	switch {
	case c.different > 0 || !near || c.exchanged > 1:
	case len(c.against) == 1:
		diff.against, diff.firm = c.against[0], c.firm
	case len(c.against) == 0:
		diff.same = knowsDenials(d.lang)
	}
	return diff
}

// asks reports whether a sentence ends as a question does.
func asks(s string) bool {
	return strings.ContainsAny(s[strings.LastIndexFunc(s, isWordRune)+1:], "?？؟")
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// A contrast collects what differs in one alignment.
type contrast struct {
	differ
	alignment
	stretch   stretch
	against   []string // what contradicts the claim: a figure, a date, a denial or an opposite
	firm      bool
	others    []otherFigure
	exchanged int      // words that stand in the place of another
	different int      // whatever else differs
	noted     []string // in words
}

func (c *contrast) note(format string, args ...any) {
	c.different++
	c.noted = append(c.noted, fmt.Sprintf(format, args...))
}

// looks names what differs. Where a sentence differs in many places, naming them helps nobody.
func (c *contrast) looks() string {
	const most = 2
	all := append(slices.Clone(c.against), c.noted...)
	if len(all) > most {
		return ""
	}
	return strings.Join(all, "; ")
}

func (c *contrast) said(i int) string { return c.text[c.claim[i].start:c.claim[i].end] }

func (c *contrast) reads(j int) string {
	p := c.shown[j]
	return c.stretch.text[p.start:p.end]
}

// look notes what differs in one gap: first the figures that rival each other, denials and
// opposites, then what is left.
func (c *contrast) look(g gap) {
	g.shown = slices.DeleteFunc(g.shown, func(j int) bool { return c.shown[j].aside })
	g = c.figures(g)
	g = c.opposites(g)
	g = c.denial(g)
	switch {
	case len(g.claim)+len(g.shown) == 0:
	case c.exchange(g):
		c.exchanged++
		c.noted = append(c.noted, fmt.Sprintf("the claim says %q, the source %q", c.said(g.claim[0]), c.reads(g.shown[0])))
	case len(g.claim) == 0:
		c.note("the claim leaves out %q", c.run(c.stretch.text, c.shown, g.shown))
	case len(g.shown) == 0:
		c.note("the claim adds %q", c.run(c.text, c.claim, g.claim))
	default:
		c.note("the claim says %q, the source %q", c.run(c.text, c.claim, g.claim), c.run(c.stretch.text, c.shown, g.shown))
	}
}

// run is the text of the pieces of one gap.
func (c *contrast) run(s string, pieces []piece, run []int) string {
	const most = 60 // bytes
	return text.Shorten(text.OneLine(s[pieces[run[0]].start:pieces[run[len(run)-1]].end]), most)
}

// figures takes a figure or date of the claim out of a gap, together with the one of the
// stretch that stands in its place and cannot be true with it.
func (c *contrast) figures(g gap) gap {
	for _, i := range g.claim {
		p := c.claim[i]
		j := slices.IndexFunc(g.shown, func(j int) bool { return rivals(p, c.shown[j]) && !c.unclear(c.said(i)) && !c.unclear(c.reads(j)) })
		if j < 0 {
			continue
		}
		q := c.shown[g.shown[j]]
		c.against = append(c.against, fmt.Sprintf("the source says %s where the claim says %s", c.reads(g.shown[j]), c.said(i)))
		c.firm = slices.Contains(c.missing, c.said(i))
		c.others = append(c.others, otherFigure{text.Span{Start: p.start, End: p.end}, text.Span{Start: c.stretch.start + q.start, End: c.stretch.start + q.end}})
		return g.without(i, g.shown[j])
	}
	return g
}

// unclear reports whether a figure can be read in two ways, as 1.234 can in a text whose
// language is not known.
func (c *contrast) unclear(figure string) bool {
	return !c.sure && len(quantity.Unclear(figure, "")) > 0
}

func rivals(p, q piece) bool {
	if p.date != nil {
		return q.date != nil && !p.date.Agrees(*q.date)
	}
	return p.figure != nil && q.figure != nil && (p.figure.Clashes(*q.figure) || p.figure.Reverses(*q.figure))
}

// opposites takes two words out of a gap of which one is the opposite of the other.
func (c *contrast) opposites(g gap) gap {
	if axes := unspacedAxes[c.lang]; axes != nil && len(g.claim)*len(g.shown) > 0 {
		mine, theirs := textAround(c.claim, g.claim), textAround(c.shown, g.shown)
		if slices.ContainsFunc(axes, func(axis [2][]string) bool {
			return onOtherSides(axis, mine, theirs) || onOtherSides(axis, theirs, mine)
		}) {
			c.against = append(c.against, fmt.Sprintf("the claim says %q, the source %q", mine, theirs))
			return gap{}
		}
		return g
	}
	for _, i := range g.claim {
		for _, j := range g.shown {
			if a, b := c.claim[i], c.shown[j]; a.opposite(b.word) || prefixOpposites(a.low, b.low, c.lang) {
				c.against = append(c.against, fmt.Sprintf("the claim says %q, the source %q", c.said(i), c.reads(j)))
				return g.without(i, j)
			}
		}
	}
	return g
}

// onOtherSides reports whether one text has words of the first side alone, and the other
// of the second.
func onOtherSides(axis [2][]string, a, b string) bool {
	return containsAny(a, axis[0]) != "" && containsAny(a, axis[1]) == "" && containsAny(b, axis[1]) != "" && containsAny(b, axis[0]) == ""
}

// opposite reports whether two words stand on different sides of one axis.
func (w word) opposite(v word) bool {
	return slices.ContainsFunc(w.poles, func(p pole) bool { return v.sign(p.axis) == -p.sign })
}

// denial takes a denial out of a gap that one side alone has, with the auxiliary before it
// ("did not") and the small word that the other side has there ("a house", "no house").
func (c *contrast) denial(g gap) gap {
	mine, theirs := c.denies(c.claim, g.claim), c.denies(c.shown, g.shown)
	if (mine == nil) == (theirs == nil) {
		return g
	}
	run, other, who, denied := theirs, g.claim, "the source denies it", g.shown
	if theirs == nil {
		run, other, who, denied = mine, g.shown, "the claim denies it", g.claim
	}
	if len(run) != len(denied) || len(other) > 1 {
		return g // other words stand there too, and may turn the denial
	}
	if len(other) == 1 && (theirs != nil && c.claim[other[0]].weight() == 1 || theirs == nil && c.shown[other[0]].weight() == 1) {
		return g
	}
	c.against = append(c.against, who)
	return gap{}
}

// denies gives the pieces of a run that only deny: auxiliaries and then denials. Nil means
// that nothing is denied, or that other words stand among them.
func (c *contrast) denies(pieces []piece, run []int) []int {
	if signs := unspacedDenials[c.lang]; signs != nil {
		if len(run) > 0 && containsAny(notDenials[c.lang].Replace(textAround(pieces, run)), signs) != "" {
			return run
		}
		return nil
	}
	const auxiliaries = 2
	last := -1
	for n, k := range run {
		switch {
		case pieces[k].negation:
			last = n
		case last >= 0 || n >= auxiliaries || pieces[k].weight() == 1:
			return nil
		}
	}
	if last < 0 {
		return nil
	}
	return run
}

// exchange reports whether a gap is one word in another's place, of which words do not know
// that it matters: not a name, a number, a quantity, a word that tells two things of one name
// apart, or a small word of which the other may be the opposite.
func (c *contrast) exchange(g gap) bool {
	const most = 2 // words on one side, as in "such as" for "like"
	if len(g.claim)*len(g.shown) == 0 || len(g.claim)*len(g.shown) > most || unspacedAxes[c.lang] != nil {
		return false
	}
	mine, theirs := c.lows(c.claim, g.claim), c.lows(c.shown, g.shown)
	if mine == nil || theirs == nil {
		return false
	}
	if c.claim[g.claim[0]].content && c.shown[g.shown[0]].content {
		named := capital(c.said(g.claim[0])) && capital(c.reads(g.shown[0])) // a name may begin a sentence
		return len(mine)+len(theirs) == most && !named
	}
	pairs, known := smallOpposites[c.lang]
	return known && !slices.ContainsFunc(pairs, func(o [2]map[string]bool) bool {
		return anyIn(mine, o[0]) && anyIn(theirs, o[1]) || anyIn(mine, o[1]) && anyIn(theirs, o[0])
	})
}

// lows are the words of a run; nil where one of them may tell things apart.
func (c *contrast) lows(pieces []piece, run []int) (lows []string) {
	for _, k := range run {
		w := pieces[k]
		telling := wholes[c.lang][w.low] || parts[c.lang][w.low] || discriminators[w.low]
		if w.name || w.figure != nil || w.date != nil || telling || w.negation || strings.ContainsFunc(w.low, unicode.IsDigit) {
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

// moves notes pieces that stand in another order than in the stretch. An opening clause may
// stand at the end, and a closing one at the beginning.
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
		c.note("the claim has %q in another order", c.run(c.text, c.claim, moved))
	}
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
