package cite

import "github.com/citewell/citewell/text"

// Small words that say the opposite of each other where one stands in the place of the
// other, by language. They have other senses too, so that they are opposites there alone,
// and a doubt. The second table is of those before a figure, a date or a name.
var (
	smallOpposites = map[string][][2]map[string]bool{
		"en": {
			{text.SetOf("for"), text.SetOf("against")},
			{text.SetOf("to into onto toward towards"), text.SetOf("from out off")},
			{text.SetOf("on"), text.SetOf("off")},
			{text.SetOf("up"), text.SetOf("down")},
			{text.SetOf("over above"), text.SetOf("under below")},
			{text.SetOf("if when"), text.SetOf("unless")},
			{text.SetOf("must shall"), text.SetOf("may can could might")},
			{text.SetOf("both"), text.SetOf("one neither")},
			{text.SetOf("once"), text.SetOf("twice")},
			{text.SetOf("half"), text.SetOf("third thirds quarter quarters fifth tenth whole entire")},
			{text.SetOf("third thirds"), text.SetOf("quarter quarters fifth tenth whole entire")},
			{text.SetOf("quarter quarters"), text.SetOf("fifth tenth whole entire")},
		},
		"de": {
			{text.SetOf("für"), text.SetOf("gegen")},
			{text.SetOf("nach zu zum zur in ins"), text.SetOf("aus von vom")},
			{text.SetOf("bis"), text.SetOf("seit ab")},
			{text.SetOf("über"), text.SetOf("unter")},
			{text.SetOf("muss müssen"), text.SetOf("kann können darf dürfen")},
			{text.SetOf("einmal"), text.SetOf("zweimal")},
			{text.SetOf("hälfte"), text.SetOf("drittel viertel")},
			{text.SetOf("drittel"), text.SetOf("viertel")},
		},
		"fr": {
			{text.SetOf("pour"), text.SetOf("contre")},
			{text.SetOf("vers"), text.SetOf("depuis")},
			{text.SetOf("jusqu' jusque"), text.SetOf("depuis dès")},
			{text.SetOf("sur"), text.SetOf("sous")},
			{text.SetOf("doit doivent"), text.SetOf("peut peuvent")},
			{text.SetOf("moitié"), text.SetOf("tiers quart totalité")},
			{text.SetOf("tiers"), text.SetOf("quart totalité")},
		},
		"es": {
			{text.SetOf("favor"), text.SetOf("contra")},
			{text.SetOf("hacia"), text.SetOf("desde")},
			{text.SetOf("hasta"), text.SetOf("desde")},
			{text.SetOf("sobre"), text.SetOf("bajo")},
			{text.SetOf("debe deben"), text.SetOf("puede pueden")},
			{text.SetOf("mitad"), text.SetOf("tercio cuarto totalidad")},
			{text.SetOf("tercio"), text.SetOf("cuarto totalidad")},
		},
	}
	opposedBefore = map[string][][2]map[string]bool{
		"en": {{text.SetOf("by"), text.SetOf("to from")}},
		"de": {{text.SetOf("um"), text.SetOf("auf")}, {text.SetOf("von"), text.SetOf("auf")}},
		"fr": {{text.SetOf("à au aux"), text.SetOf("de du des d'")}},
		"es": {{text.SetOf("a al"), text.SetOf("un de del")}},
	}
)

// smallWords looks for a small word of the claim whose opposite stands in its place: in the
// same small gap, or before the same word.
func (c *contrast) smallWords(gaps []gap) {
	const few = 3 // pieces a side; more are other words for it
	for _, g := range gaps {
		if max(len(g.claim), len(g.shown)) <= few {
			c.opposed(g, smallOpposites)
		}
	}
	for i, j := range c.at {
		if j < 0 || c.claim[i].weight() < 1 {
			continue
		}
		before := gap{claim: smallBefore(c.claim, i), shown: smallBefore(c.shown, j)}
		c.opposed(before, smallOpposites)
		if c.kind(i) != "" {
			c.opposed(before, opposedBefore)
		}
	}
}

// opposed looks in a gap for a small word of the claim and its opposite in the stretch, which
// does not have both: "to and from".
func (c *contrast) opposed(g gap, opposites map[string][][2]map[string]bool) {
	for _, o := range opposites[c.lang] {
		for side := range o {
			a, b := c.find(c.claim, g.claim, o[side]), c.find(c.shown, g.shown, o[1-side])
			if a != "" && b != "" && c.find(c.shown, g.shown, o[side]) == "" {
				c.question("the claim says %q, the evidence %q", a, b)
			}
		}
	}
}

// smallBefore are the small pieces between piece i and the content before it.
func smallBefore(pieces []piece, i int) (run []int) {
	for k := i - 1; k >= 0 && pieces[k].weight() < 1; k-- {
		run = append(run, k)
	}
	return run
}
