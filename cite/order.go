package cite

import (
	"slices"
	"strings"
	"sync"
)

// targets returns the places of the content words that a directed word is about:
// what it does something to, or what it says something of.
func (s sentence) targets(i int) []int {
	if s.reach[i] == nil {
		s.reach[i] = append([]int{}, s.findTargets(i)...)
	}
	return s.reach[i]
}

func (s sentence) findTargets(i int) []int {
	words := s.words
	const most, far = 4, 9
	collect := func(from, step int) []int {
		var found []int
		for j := from; j >= 0 && j < len(words) && len(found) < most && (j-i)*step <= far; j += step {
			if words[j].clause != words[i].clause {
				break
			}
			if words[j].content {
				found = append(found, j)
			}
		}
		return found
	}
	if s.lang != "en" {
		return append(collect(i-1, -1), collect(i+1, 1)...)
	}
	if words[i].hyphenated {
		found := collect(i-1, -1)
		return found[:min(1, len(found))]
	}
	next := ""
	if i+1 < len(words) && words[i+1].clause == words[i].clause {
		next = words[i+1].low
	}
	past := strings.HasSuffix(words[i].low, "ed") || strongPasts[words[i].low]
	behind := false
	switch {
	case next == "of", next == "in" && !past:
	case next == "" || next == "than" || prepositions[next] && next != "by" && next != "to":
		behind = true
	default:
		for j := i - 1; j >= 0 && j >= i-3; j-- {
			if beForms[words[j].low] {
				behind = i+1 >= len(words) || !words[i+1].content
				break
			}
			if words[j].content && !strings.HasSuffix(words[j].low, "ly") {
				break
			}
		}
	}
	if behind {
		if found := collect(i-1, -1); len(found) > 0 {
			return found
		}
	}
	if found := collect(i+1, 1); len(found) > 0 {
		return found
	}
	return collect(i-1, -1)
}

var strongPasts = wordSet("rose risen fell fallen grew grown shrank shrunk")

// compareOrder looks for the same thing said the other way round: "A is larger than
// B" against "B is larger than A", "A bought B" against "B bought A". It says whether
// that settled the comparison.
func (s sentence) compareOrder(shown sentence, c *comparison) bool {
	if s.lang != "en" {
		return false
	}
	for i := range s.words {
		if !s.isPivot(i) {
			continue
		}
		for j := range shown.words {
			opposite, same := s.samePivot(shown, i, j)
			if !same || !shown.isPivot(j) {
				continue
			}
			switch crossed := s.crossed(shown, i, j); {
			case crossed == 0:
				continue
			case (crossed < 0) != opposite != (s.words[i].denied != shown.words[j].denied):
				how := 0.9
				if !s.isComparative(i) && !asymmetric()[s.words[i].term] {
					how = 0.5
				}
				c.against(how, "the claim says it the other way round than the evidence (%q)", shown.raw(j))
			default:
				c.with(1)
			}
			return true
		}
	}
	return false
}

// isPivot says whether word i has two sides that cannot be exchanged.
func (s sentence) isPivot(i int) bool {
	if s.isComparative(i) {
		return true
	}
	w := s.words[i]
	if !w.content || s.match[i] < 1 || i == 0 || i+1 < len(s.words) && prepositions[s.words[i+1].low] && s.words[i+1].low != "by" {
		return false
	}
	return asymmetric()[w.term] || w.sign(amount) != 0 && (strings.HasSuffix(w.low, "s") || strings.HasSuffix(w.low, "ed"))
}

// isComparative says whether word i and the next few compare what is before them with
// what is behind.
func (s sentence) isComparative(i int) bool {
	const reach = 3
	if s.words[i].poles == nil && !strings.HasSuffix(s.words[i].low, "er") {
		return false
	}
	for j := i + 1; j < len(s.words) && j <= i+reach; j++ {
		if s.words[j].low == "than" {
			return true
		}
	}
	return false
}

// samePivot says whether two words relate what is on their sides in the same way, or
// in opposite ways.
func (s sentence) samePivot(shown sentence, i, j int) (opposite, same bool) {
	a, b := s.words[i], shown.words[j]
	if s.isComparative(i) != shown.isComparative(j) {
		return false, false
	}
	if a.term == b.term {
		return false, true
	}
	if !s.isComparative(i) {
		return false, false
	}
	for _, p := range a.poles {
		if sign := b.sign(p.axis); sign != 0 {
			return sign != p.sign, true
		}
	}
	return false, false
}

// crossed says whether the words on the sides of the pivots have changed sides (-1),
// stayed (1), or cannot be told (0).
func (s sentence) crossed(shown sentence, i, j int) int {
	left, right := apart(s.sides(i))
	theirLeft, theirRight := apart(shown.sides(j))
	switch comparing := s.isComparative(i); {
	case len(left) == 0 || len(right) == 0 || len(theirLeft) == 0 || len(theirRight) == 0:
	case overlap(left, theirRight) == len(left) && overlap(theirLeft, right) == len(theirLeft) && overlap(left, theirLeft) == 0:
		return -1
	case comparing && overlap(left, theirLeft) > 0 && overlap(right, theirRight) > 0 && overlap(left, theirRight)+overlap(right, theirLeft) == 0:
		return 1
	}
	return 0
}

// sides returns the terms before and behind a pivot in its clause, exchanged where
// the sentence is in the passive.
func (s sentence) sides(pivot int) (left, right []string) {
	passive := pivot+1 < len(s.words) && s.words[pivot+1].low == "by" && pivot > 0
	for i, w := range s.words {
		switch {
		case i == pivot || !w.content || w.clause != s.words[pivot].clause:
		case (i < pivot) != passive:
			left = append(left, w.term)
		default:
			right = append(right, w.term)
		}
	}
	return left, right
}

// apart drops the terms that stand on both sides.
func apart(left, right []string) ([]string, []string) {
	both := func(term string) bool { return slices.Contains(left, term) && slices.Contains(right, term) }
	return slices.DeleteFunc(slices.Clone(left), both), slices.DeleteFunc(slices.Clone(right), both)
}

// overlap counts the terms of a that b has.
func overlap(a, b []string) int {
	n := 0
	for _, term := range a {
		if slices.Contains(b, term) {
			n++
		}
	}
	return n
}

// asymmetric are verbs that are not true the other way round when they are true one
// way; of others it can only be said that the evidence says something else.
var asymmetric = sync.OnceValue(func() map[string]bool {
	return stemSet("en", `defeat defeats defeated beat beats beaten bought buys buy acquires acquired acquire sold sells owns owned contains contained precedes preceded
	 succeeded succeeds exceeds exceeded outsells outsold invaded invades employs employed founded created invented discovered wrote painted composed orbits orbit teaches taught
	 surpasses surpassed outperforms outperformed conquered killed murdered inherited hired adopted`)
})

// doubt says why the evidence says less than the claim: it is less sure, or it says of
// some what the claim says of all.
func (s sentence) doubt(shown sentence) string {
	if w := shown.findNear(hedges[s.lang]); w != "" && s.findNear(hedges[s.lang]) == "" {
		return "the evidence says it less surely (" + quoted(w) + ")"
	}
	if w := shown.takesOut(); w != "" && s.takesOut() == "" {
		return "the evidence says " + quoted(w)
	}
	if all := s.findNear(wholes[s.lang]); all != "" && shown.findNear(wholes[s.lang]) == "" {
		if some := shown.findNear(parts[s.lang]); some != "" {
			return "the claim says " + quoted(all) + ", the evidence " + quoted(some)
		}
	}
	return ""
}

// findNear returns the first word of the set that stands in a clause which has words
// of the other side.
func (s sentence) findNear(set map[string]bool) string {
	for i, w := range s.words {
		if month := s.lang == "en" && i > 0 && s.raw(i) == "May"; month {
			continue
		}
		if set[w.low] && s.nearShared(i) && !(s.lang == "ar" && w.low == "قد" && !s.mayFollow(i)) {
			return s.raw(i)
		}
	}
	return ""
}

// mayFollow says whether the Arabic particle at i means "may", as before the present, and
// not "has", as before the past.
func (s sentence) mayFollow(i int) bool {
	return i+1 < len(s.words) && (strings.HasPrefix(s.words[i+1].low, "ي") || s.words[i+1].low == "تكون")
}

func quoted(s string) string { return `"` + s + `"` }
