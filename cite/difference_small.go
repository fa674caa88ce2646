package cite

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
)

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
			{text.SetOf("nach zu zum zur ins"), text.SetOf("aus von vom")},
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
		"en": {{text.SetOf("by"), text.SetOf("to")}},
		"de": {{text.SetOf("um"), text.SetOf("auf")}, {text.SetOf("von"), text.SetOf("auf")}},
		"fr": {{text.SetOf("à au aux"), text.SetOf("de du des d'")}},
		"es": {{text.SetOf("a al"), text.SetOf("un de del")}},
	}
	// A report is "by" or "from" a name; a toll falls "by" or "from" a figure.
	opposedFigures = map[string][][2]map[string]bool{"en": {{text.SetOf("by"), text.SetOf("from")}}}
)

// remedies are the ends of words for what is "for" an illness and "against" it.
var remedies = map[string][]string{
	"en": {"vaccine", "vaccines", "vaccination", "drug", "drugs", "medicine", "medicines", "medication", "remedy", "remedies", "treatment", "treatments", "pill", "pills"},
	"de": {"mittel", "mitteln", "impfstoff", "impfstoffe", "impfung", "impfungen", "medikament", "medikamente", "arznei"},
	"fr": {"vaccin", "vaccins", "vaccination", "médicament", "médicaments", "remède", "remèdes", "traitement", "traitements"},
}

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
		switch c.kind(i) {
		case "":
		case "name":
			c.opposed(before, opposedBefore)
		default:
			c.opposed(before, opposedBefore)
			c.opposed(before, opposedFigures)
		}
	}
}

// opposed looks in a gap for a small word of the claim and its opposite in the stretch, which
// does not have both: "to and from".
func (c *contrast) opposed(g gap, opposites map[string][][2]map[string]bool) {
	for _, o := range opposites[c.lang] {
		for side := range o {
			i, j := place(c.claim, g.claim, o[side]), place(c.shown, g.shown, o[1-side])
			if i >= 0 && j >= 0 && place(c.shown, g.shown, o[side]) < 0 && !c.alike(i, j) {
				c.question("the claim says %q, the evidence %q", c.claim[i].low, c.shown[j].low)
			}
		}
	}
}

// place gives the first piece of a run that is in the set, -1 for none.
func place(pieces []piece, run []int, set map[string]bool) int {
	at := slices.IndexFunc(run, func(k int) bool { return set[pieces[k].low] })
	if at < 0 {
		return -1
	}
	return run[at]
}

// alike says whether two opposites, at i in the claim and at j in the stretch, say the same
// there: "must not" and "cannot", "a drug for" and "a drug against".
func (c *contrast) alike(i, j int) bool {
	obliges := func(p piece) bool { return c.lang == "en" && (p.low == "must" || p.low == "shall") }
	denied := func(pieces []piece, k int) bool { return k+1 < len(pieces) && pieces[k+1].negation }
	remedy := func(pieces []piece, k int) bool {
		return k > 0 && slices.ContainsFunc(remedies[c.lang], func(end string) bool { return strings.HasSuffix(pieces[k-1].low, end) })
	}
	// A figure "by 2 to 12" is read as a range.
	reaches := func(pieces []piece, k int, others []piece, o int) bool {
		if pieces[k].low != "by" || k+1 >= len(pieces) || o+1 >= len(others) {
			return false
		}
		p, q := pieces[k+1].figure, others[o+1].figure
		return p != nil && q != nil && p.Low < p.High && q.Low == p.High
	}
	return reaches(c.claim, i, c.shown, j) || reaches(c.shown, j, c.claim, i) ||
		(obliges(c.claim[i]) || obliges(c.shown[j])) && denied(c.claim, i) && denied(c.shown, j) || remedy(c.claim, i) && remedy(c.shown, j)
}

// smallBefore are the small pieces between piece i and the content before it.
func smallBefore(pieces []piece, i int) (run []int) {
	for k := i - 1; k >= 0 && pieces[k].weight() < 1; k-- {
		run = append(run, k)
	}
	return run
}
