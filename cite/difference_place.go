package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/text"
)

// substitute looks for the one content word of a short claim that is tied to nothing, where
// the stretch has another one in its place: "the house is blue", "the house is grey". Words
// cannot tell that from a word that means the same, so it is a doubt. A word that the
// evidence has elsewhere is none in another's place, unless both are written as names; nor
// is one that is written apart, or that takes the same side.
func (c *contrast) substitute() {
	const long = 6 // content words from which one may be in other words
	free, all := -1, 0
	for i, p := range c.claim {
		if p.weight() < 1 {
			continue
		}
		if all++; c.at[i] >= 0 {
			continue
		}
		if free >= 0 || !p.content {
			return
		}
		free = i
	}
	if free < 0 || all < 2 || all >= long || unspacedAxes[c.lang] != nil || digitSize(c.claim[free].low, 0) > 0 {
		return // a number is judged with the others: 17:30 is 5:30 pm
	}
	j := c.inPlaceOf(free)
	if j < 0 || firstLetters(c.shown[j].low) == firstLetters(c.claim[free].low) || c.claim[free].sameSide(c.shown[j].word) || c.spelledIn(free) || c.alike(free, j) {
		return
	}
	within := c.evidence
	if capital(c.said(free)) && capital(c.reads(j)) {
		within = c.stretch.text
	}
	if joined := strings.ReplaceAll(strings.ToLower(within), " ", ""); !strings.Contains(joined, c.claim[free].low) {
		c.share = max(c.share, nearFromShare)
		c.question("the claim says %q, the evidence %q", c.said(free), c.reads(j))
	}
}

// inPlaceOf gives the content word of the stretch that is tied to nothing and has the same
// neighbours as piece i of the claim in its own clause, -1 for none.
func (c *contrast) inPlaceOf(i int) int {
	from, to := -1, len(c.shown)
	if i > 0 {
		if from = c.at[i-1]; from < 0 {
			return -1
		}
	}
	if j := from + 1; j < to && c.back[j] < 0 && c.shown[j].content && (from < 0 || c.shown[from].clause == c.shown[j].clause) && (i == len(c.claim)-1 || c.at[i+1] == j+1) {
		return j
	}
	return -1
}

func capital(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

// order looks for words that stand the other way round: two names or two figures that
// changed places, or any two words where hardly anything else differs. Where the grammar
// changed as well ("was bought by") they may say the same. In German, whose verbs and
// adverbs change places freely, one must be a noun.
func (c *contrast) order(gaps []gap) {
	const few = 1 // pieces that differ besides
	var loose, shownLoose []int
	first, last := 0, len(c.back)-1 // what stands before and behind the copy is no difference
	for ; first < last && (c.back[first] < 0 || c.shown[first].weight() < 1); first++ {
	}
	for ; first < last && (c.back[last] < 0 || c.shown[last].weight() < 1); last-- {
	}
	for _, g := range gaps {
		loose = append(loose, g.claim...)
		for _, j := range g.shown {
			if first < j && j < last {
				shownLoose = append(shownLoose, j)
			}
		}
	}
	if c.voice(c.claim, loose) != c.voice(c.shown, shownLoose) {
		return
	}
	for i, how := range c.how {
		if how != turned {
			continue
		}
		for k, other := range c.how {
			if other != moved || (k < i) == (c.at[k] < c.at[i]) {
				continue
			}
			noun := c.lang != "de" || c.kind(i) == "name" || c.kind(k) == "name"
			if c.kind(i) == c.kind(k) && c.kind(i) != "" || noun && len(loose)+len(shownLoose) <= few {
				c.question("the claim says it the other way round than the evidence (%q)", c.said(i))
			}
		}
	}
}

// passives are the words that make a verb passive: a form of be before it, and behind it the
// one that names who did it.
var passives = map[string]struct{ be, by map[string]bool }{
	"en": {beForms, text.SetOf("by")},
	"fr": {text.SetOf("est sont été fut furent était étaient"), text.SetOf("par")},
	"es": {text.SetOf("es son sido fue fueron era eran"), text.SetOf("por")},
}

// roles looks for a verb that one side alone has in the passive between the same two words:
// "A beat B" and "A was beaten by B". In the other order they would say the same.
func (c *contrast) roles() {
	for i, j := range c.at {
		if c.how[i] != kept || !c.claim[i].content || c.voiceOf(c.claim, i)*c.voiceOf(c.shown, j) != -1 {
			continue
		}
		before, behind := i-1, i+1
		for ; before >= 0 && c.claim[before].weight() < 1; before-- {
		}
		for ; behind < len(c.claim) && c.claim[behind].weight() < 1; behind++ {
		}
		if before >= 0 && c.how[before] == kept && behind < len(c.claim) && c.how[behind] == kept {
			c.question("one of claim and evidence has %q in the passive", c.said(i))
		}
	}
}

// voiceOf is 1 where a passive names who did it, -1 where nothing makes one, else 0.
func (c *contrast) voiceOf(pieces []piece, k int) int {
	const reach = 2 // pieces from the form of be to the verb
	form := passives[c.lang]
	be := slices.ContainsFunc(pieces[max(0, k-reach):k], func(p piece) bool { return form.be[p.low] })
	by := k+1 < len(pieces) && form.by[pieces[k+1].low]
	switch {
	case form.be == nil || be != by:
		return 0
	case be:
		return 1
	}
	return -1
}

// converses are axes whose two words tell one event from its two sides: who buys is sold to.
var converses = text.SetOf("deal lending trade victory")

// converse says whether two opposed words may tell the same, since two names changed places.
func (c *contrast) converse(i, j int) bool {
	if !slices.ContainsFunc(c.claim[i].poles, func(p pole) bool { return converses[p.axis] && c.shown[j].sign(p.axis) == -p.sign }) {
		return false
	}
	for k := range c.at {
		for m := range k {
			if c.at[k] >= 0 && c.at[k] < c.at[m] && c.kind(k) == "name" && c.kind(m) == "name" {
				return true
			}
		}
	}
	return false
}

// exchange looks for two names of which one moved past the other and each took the small
// word before the other: "from A to B" and "from B to A". A clause that moved takes its
// small words along.
func (c *contrast) exchange() {
	for i, how := range c.how {
		if how != moved || c.kind(i) != "name" {
			continue
		}
		for k, other := range c.how {
			if other != kept || c.kind(k) != "name" || (k < i) == (c.at[k] < c.at[i]) {
				continue
			}
			mine, theirs := before(c.claim, i), before(c.claim, k)
			if mine != "" && theirs != "" && mine != theirs && mine == before(c.shown, c.at[k]) && theirs == before(c.shown, c.at[i]) {
				c.question("the claim says it the other way round than the evidence (%q)", c.said(i))
			}
		}
	}
}

// before is the small word before a piece, empty where none is.
func before(pieces []piece, i int) string {
	if i == 0 || pieces[i-1].weight() == 1 {
		return ""
	}
	return pieces[i-1].low
}

// kind tells names and figures from other words.
func (c *contrast) kind(i int) string {
	switch p := c.claim[i]; {
	case p.figure != nil:
		return p.figure.Dimension
	case p.date != nil:
		return "date"
	case p.name || c.shown[c.at[i]].name:
		return "name"
	}
	return ""
}

// voice says whether a run has the words that make a passive: "was" and "by", or in
// other languages two or more function words that the other side has no counterpart of.
func (c *contrast) voice(pieces []piece, run []int) bool {
	be, by, bare := false, false, 0
	for _, k := range run {
		be, by = be || beForms[pieces[k].low], by || pieces[k].low == "by"
		if pieces[k].weight() < 1 {
			bare++
		}
	}
	return be && by || c.lang != "en" && bare >= 2
}
