package cite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A comparison says whose side a sentence of the evidence takes.
type comparison struct {
	agree  float64 // 0 to 1: how clearly the evidence takes the claim's side
	oppose float64 // 0 to 1: how clearly it takes the other
	reason string  // of the opposition
	doubt  string  // why the evidence says less than the claim; empty where it does not
}

func (c *comparison) against(how float64, format string, args ...any) {
	if how > c.oppose {
		c.oppose, c.reason = how, fmt.Sprintf(format, args...)
	}
}

// merge takes what another sentence of the evidence says to what is known.
func (c *comparison) merge(other comparison) {
	c.agree = max(c.agree, other.agree)
	if other.oppose > c.oppose {
		c.oppose, c.reason = other.oppose, other.reason
	}
	c.doubt = cmp.Or(c.doubt, other.doubt)
}

func (c *comparison) with(how float64) { c.agree = max(c.agree, how) }

// compare judges what a sentence of the evidence says of the words that it shares
// with the claim: whether they grow or shrink, have to do with each other or not.
func compare(claim, shown sentence) comparison {
	c := comparison{doubt: claim.doubt(shown)}
	if axes := unspacedAxes[claim.lang]; axes != nil {
		claim.compareUnspaced(shown, axes, &c)
		return c
	}
	p := claim.pairWith(shown)
	says, shows := claim.relating(), shown.relating()
	mine, theirs := claim.denials(), shown.denials()
	switch {
	case says.neutral != "" && shows.neutral != "":
		c.with(1)
	case says.neutral != "" && shows.effect != "":
		c.against(0.9, "the claim denies an effect (%q), the evidence says %q", says.neutral, shows.effect)
	case says.neutral != "" && theirs == "":
		c.against(0.6, "the claim denies an effect (%q), the evidence denies nothing", says.neutral)
	case says.neutral != "":
	case p.paired > 0 && p.flips%2 == 1:
		c.against(max(0.7, p.sure), "%s", p.flipped)
	case p.paired > 0 && shows.neutral == "":
		c.with(max(0.7, p.sure))
	case shows.neutral != "" && says.effect != "":
		c.against(0.8, "the claim says %q, the evidence denies an effect (%q)", says.effect, shows.neutral)
	case mine != "" && theirs == "":
		c.against(denialAgainst(claim, shown, 0.5), "the claim denies %q, the evidence denies nothing", mine)
	case theirs != "" && mine == "":
		c.against(denialAgainst(claim, shown, 0.3), "the evidence denies %q", theirs)
	case says.effect != "" && shows.effect != "":
		c.with(0.4)
	}
	return c
}

// A pairing is how the words of a claim that have a direction stand to those of the
// evidence that say something of the same.
type pairing struct {
	paired  int     // words that have a counterpart
	flips   int     // of them, those that say the opposite of it
	flipped string  // the last of these, in words
	sure    float64 // 0 to 1
}

func (s sentence) pairWith(shown sentence) (p pairing) {
	for i, a := range s.words {
		if len(a.poles) == 0 {
			continue
		}
		j, how, opposite := shown.counterpart(s, i)
		if j < 0 {
			continue
		}
		b := shown.words[j]
		p.paired++
		p.sure = max(p.sure, how)
		switch {
		case opposite && a.denied != b.denied: // "does not rise" and "falls"
			p.sure = min(p.sure, 0.5)
		case opposite && a.denied && b.denied: // "does not rise" and "does not fall"
			p.paired--
		case opposite:
			p.flips++
			p.flipped = fmt.Sprintf("the claim says %q, the evidence %q", s.raw(i), shown.raw(j))
		case a.denied != b.denied:
			p.flips++
			p.flipped = fmt.Sprintf("one of claim and evidence denies %q", shown.raw(j))
			if turnsDenial(s, shown) {
				p.sure = 0
			}
		}
	}
	return p
}

// undecided is the agreement below which the direction of the claim was not met with in
// what the evidence says of the same words.
const undecided = 0.5

// vote judges by what directions the evidence names at all where they could not be
// tied to the words that it shares with the claim.
func vote(claim, evidence []word) comparison {
	var c comparison
	for _, w := range claim {
		if !w.directed() {
			continue
		}
		same, opposite := false, false
		for _, e := range evidence {
			same = same || w.relation && e.relation
			for _, p := range w.poles {
				sign := e.sign(p.axis)
				same, opposite = same || sign == p.sign, opposite || sign == -p.sign
			}
		}
		switch {
		case same && !opposite:
			c.with(0.5)
		case opposite && !same:
			c.against(0.4, "the claim says %q, the evidence speaks of the opposite", w.low)
		case !same && len(w.poles) > 0:
			c.against(0.25, "the evidence has no word for %q", w.low)
		}
		return c
	}
	return c
}

// denialAgainst is how clearly a denial on one side only speaks against the claim:
// for certain where the sentence has all else that the claim says, and no word turns the
// denial.
func denialAgainst(claim, shown sentence, otherwise float64) float64 {
	nearlyAll := 0.8
	if unspacedAxes[claim.lang] != nil {
		nearlyAll = 0.65 // pairs of characters across two words change with each of them
	}
	var found, all float64
	for i, w := range claim.words {
		if w.content {
			all++
			found += claim.match[i]
		}
	}
	switch {
	case found < nearlyAll*all:
		return otherwise
	case turnsDenial(claim, shown):
		return max(otherwise, doubtFrom)
	}
	return 0.85
}

// counterpart returns the directed word that says something of what word i of the
// claim says something of, how surely it does, and whether it is its opposite.
func (s sentence) counterpart(claim sentence, i int) (at int, how float64, opposite bool) {
	at = -1
	a := claim.words[i]
	for j, b := range s.words {
		for _, p := range a.poles {
			sign := b.sign(p.axis)
			if sign == 0 {
				continue
			}
			overlap := s.shareTarget(j, claim, i)
			if a.term == b.term {
				overlap *= 1.3
			}
			if overlap > how {
				at, how, opposite = j, overlap, sign != p.sign
			}
		}
	}
	if how < 0.3 {
		return -1, 0, false
	}
	return at, min(1, how), opposite
}

// shareTarget says how surely word j of s and word i of the claim are about the same
// thing, 0 to 1.
func (s sentence) shareTarget(j int, claim sentence, i int) float64 {
	best := 0.0
	theirs := s.targets(j)
	for m, t := range claim.targets(i) {
		if claim.match[t] == 0 {
			continue
		}
		for n, u := range theirs {
			if s.match[u] == 0 {
				continue
			}
			if alike := like(claim.words[t].term, s.words[u].term); alike > 0 {
				best = max(best, alike/(1+0.2*float64(m))/(1+0.2*float64(n)))
			}
		}
	}
	return best
}

// aboutShared says whether word i is about a word found on the other side.
func (s sentence) aboutShared(i int) bool {
	return slices.ContainsFunc(s.targets(i), func(t int) bool { return s.match[t] > 0 })
}

// relating returns the word by which a sentence says that things it shares with the
// other have to do with each other, and the one by which it says that they do not.
func (s sentence) relating() (r struct{ effect, neutral string }) {
	for i, w := range s.words {
		switch {
		case w.relation || w.neutral || w.proof && w.denied:
			if !s.nearShared(i) {
				continue
			}
			if w.neutral != w.denied || w.proof {
				r.neutral = s.raw(i)
			} else {
				r.effect = s.raw(i)
			}
		case w.sign(amount) != 0 && !w.denied && s.aboutShared(i):
			r.effect = s.raw(i)
		}
	}
	return r
}

// denials returns a word shared with the other side that the sentence denies.
func (s sentence) denials() string {
	for i, w := range s.words {
		if w.denied && (s.match[i] > 0 || w.directed() && s.nearShared(i)) && !s.affirms(w.term) {
			return s.raw(i)
		}
	}
	return ""
}

// affirms says whether the sentence has the term without a denial, too.
func (s sentence) affirms(term string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.term == term && !w.denied })
}

// nearShared says whether one of the words near i is found on the other side.
func (s sentence) nearShared(i int) bool {
	const window = 6
	for j := max(0, i-window); j <= min(len(s.words)-1, i+window); j++ {
		if s.words[j].clause == s.words[i].clause && s.match[j] > 0 && !s.words[j].directed() {
			return true
		}
	}
	return false
}

// prefixOpposites says whether one word is the other with a prefix that turns it
// round, as in able and unable, or both have prefixes that are opposites.
func prefixOpposites(a, b, lang string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	const least = 5
	if len(a) < least {
		return false
	}
	for _, prefix := range turning[lang] {
		if len(b) == len(prefix)+len(a) && strings.HasPrefix(b, prefix) && strings.HasSuffix(b, a) {
			return true
		}
	}
	for _, pair := range opposedPrefixes {
		for k := range pair {
			if rest, ok := strings.CutPrefix(a, pair[k]); ok && len(rest) >= least-1 && b == pair[1-k]+rest {
				return true
			}
		}
	}
	return false
}

var (
	turning = map[string][]string{
		"en": {"un", "in", "im", "il", "ir", "non", "dis", "de", "anti"},
		"de": {"un", "nicht", "anti"},
		"fr": {"in", "im", "il", "ir", "non", "dé", "anti"},
		"es": {"in", "im", "i", "no", "des", "anti"},
		"it": {"in", "im", "il", "ir", "non", "dis", "anti"},
		"pt": {"in", "im", "i", "não", "des", "anti"},
		"nl": {"on", "niet", "anti"},
		"ru": {"не", "без", "анти"},
	}
	opposedPrefixes = [][2]string{{"over", "under"}, {"hyper", "hypo"}, {"up", "down"}, {"pro", "anti"}, {"inter", "intra"}, {"macro", "micro"}, {"pre", "post"}}
)
