package cite

import (
	"slices"
	"strings"
)

// tear looks for two neighbours of the claim that stand on two sides of a border of the
// stretch, where a piece that is tied to nothing holds the place that one of them has in the
// claim: "glucagon lowers it" of "insulin lowers it, while glucagon raises it", and "profit
// rose 8%" of "revenue rose 8% and profit rose 6%". Then the evidence says it of another.
func (c *contrast) tear() {
	if c.share < sameFromShare || unspacedAxes[c.lang] != nil {
		return
	}
	i := -1
	for k, p := range c.claim {
		if p.weight() < 1 {
			continue
		}
		if i >= 0 && c.at[i] >= 0 && c.at[k] >= 0 && parted(c.shown, c.at[i], c.at[k]) && !c.saidOnce(i, k) {
			if c.displaced(i, k, -1) || c.displaced(k, i, +1) {
				return
			}
		}
		i = k
	}
}

// saidOnce says whether one of two neighbours is said once for what stands on both sides of the
// border: the verb that stands alone of "Norway joined in 1999 and Iceland in 2004", and the
// head of "$5 for children and $10 for adults", whose second part has no other words. Two bare
// figures, "between 2004 and 2014", are one statement.
func (c *contrast) saidOnce(i, k int) bool {
	for _, v := range []int{i, k} {
		if a, b := c.across(v, -1), c.across(v, +1); a >= 0 && a < b && !c.free(a, b) {
			return true
		}
	}
	if p := c.claim[k]; (p.figure != nil || p.date != nil) && beside(c.shown, c.at[k], +1) < 0 {
		return false
	}
	from, to := c.at[k], c.at[k]+1
	for ; from > 0 && !border(c.shown, from); from-- {
	}
	for ; to < len(c.shown) && !border(c.shown, to); to++ {
	}
	return c.shown[c.at[i]].clause == c.shown[from].clause && !c.free(from, to)
}

// across gives the place in the stretch of the next piece before (-1) or behind (+1) piece v
// of the claim that a border parts from it, -1 for none.
func (c *contrast) across(v, side int) int {
	for m := v + side; m >= 0 && m < len(c.claim); m += side {
		if c.claim[m].weight() == 1 && c.at[m] >= 0 && parted(c.shown, c.at[v], c.at[m]) {
			return c.at[m]
		}
	}
	return -1
}

// free says whether something of weight that is tied to nothing stands in a part of the stretch.
func (c *contrast) free(from, to int) bool {
	for j := from; j < to; j++ {
		if c.shown[j].weight() == 1 && c.back[j] < 0 {
			return true
		}
	}
	return false
}

// displaced asks whether something that is tied to nothing stands before (-1) or behind (+1)
// the neighbour of piece i as i does in the claim: a figure that rivals a figure, a name
// behind it for a name, and before it the subject for the subject.
func (c *contrast) displaced(i, neighbour, side int) bool {
	j := beside(c.shown, c.at[neighbour], side)
	if j < 0 || c.back[j] >= 0 {
		return false
	}
	switch p, q := c.claim[i], c.shown[j]; {
	case p.figure != nil || p.date != nil:
		c.firm = rivals(p, q, true) && !c.unclear(j)
	case q.figure != nil || q.date != nil || like(p.term, q.term) > 0:
	default:
		c.firm = side > 0 && q.name && c.kind(i) == "name" || side < 0 && c.subject(i, neighbour, j)
	}
	if c.firm {
		c.question("the evidence has %q in the place of %q", c.reads(j), c.said(i))
	}
	return c.firm
}

// subject says whether piece i of the claim ends its subject, and j, before what the claim
// says of it, another one of the stretch.
func (c *contrast) subject(i, next, j int) bool {
	if c.claim[next].hyphenated {
		return false
	}
	first := slices.IndexFunc(c.claim, func(p piece) bool { return p.weight() == 1 })
	for k := range next {
		small := c.claim[k].weight() < 1
		if prepositions[c.claim[k].low] || small && first < k && k < i || !small && (c.at[k] < 0 || !parted(c.shown, c.at[k], c.at[next])) {
			return false
		}
	}
	for k := j; k < c.at[next]; k++ {
		if prepositions[c.shown[k].low] {
			return false
		}
	}
	if c.lang == "en" && strings.HasSuffix(c.shown[j].low, "ly") {
		return false
	}
	for _, side := range []int{-1, 1} { // the same thing: "the KILL signal … this signal"
		if k := beside(c.shown, c.at[i], side); k >= 0 && like(c.shown[k].term, c.shown[j].term) > 0 {
			return false
		}
	}
	head := j
	for head > 0 && !border(c.shown, head) {
		head--
	}
	if head > c.at[i] && c.shown[c.at[i]+1].comma && c.shown[head].clause == c.shown[head-1].clause && !joiners[c.shown[head].low] {
		return false // an aside stands between: "Reid, who voted for it, now said"
	}
	return c.at[i] > j || slices.ContainsFunc(c.shown[c.at[i]+1:j], func(p piece) bool { return p.weight() == 1 })
}

// border says whether something else may begin with a piece: a clause, what stands behind
// a comma, or what a joining word joins.
func border(pieces []piece, k int) bool {
	return pieces[k].comma || pieces[k].clause != pieces[k-1].clause || joiners[pieces[k].low]
}

// parted says whether a border lies between two pieces.
func parted(pieces []piece, a, b int) bool {
	for k := min(a, b) + 1; k <= max(a, b); k++ {
		if border(pieces, k) {
			return true
		}
	}
	return false
}

// beside gives the next piece of weight before (-1) or behind (+1) piece k with no border
// between them, -1 for none.
func beside(pieces []piece, k, side int) int {
	for j := k + side; j >= 0 && j < len(pieces) && !border(pieces, max(j, j-side)); j += side {
		if pieces[j].weight() == 1 {
			return j
		}
	}
	return -1
}

// otherSubject looks for a claim that says of a subject from elsewhere in the evidence all
// that the stretch says of its own: "gates rust in rain" of "locks rust in rain" and, far
// from it, "gates are painted". A subject that the evidence has nowhere may be in other words.
func (c *contrast) otherSubject() {
	first, next := -1, -1
	for i, p := range c.claim {
		switch {
		case p.weight() < 1:
		case c.how[i] == kept:
			if next < 0 {
				next = i
			}
		case next >= 0 || c.at[i] >= 0 || !p.content || c.spelledIn(i):
			return
		case first < 0:
			first = i
		}
	}
	if first < 0 || first > 1 || next < 0 || unspacedAxes[c.lang] != nil {
		return
	}
	j := beside(c.shown, c.at[next], -1)
	if j < 0 || c.back[j] >= 0 || !c.shown[j].content {
		return
	}
	said := strings.ToLower(c.evidence) // may be long: last of all
	if !slices.ContainsFunc(c.claim[first:next], func(p piece) bool { return p.weight() == 1 && !strings.Contains(said, p.low) }) {
		c.question("the evidence has %q in the place of %q", c.reads(j), c.said(first))
	}
}
