package cite

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/text"
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

var strongPasts = text.SetOf("rose risen fell fallen grew grown shrank shrunk")

// doubt says why the evidence says less than the claim: it is less sure, or it says of
// some what the claim says of all.
func (s sentence) doubt(shown sentence) string {
	if i := shown.near(hedges[s.lang]); i >= 0 && s.near(hedges[s.lang]) < 0 && !s.permits(shown, i) {
		return "the evidence says it less surely (" + quoted(shown.raw(i)) + ")"
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

// allowing are words of a permission, which "may" gives as well.
var allowing = text.SetOf("can cannot allow allows allowed permit permits permitted let lets")

// permits says whether the sentence permits what the other one has behind the "may" at i: the
// first word of weight behind the one is among the next behind the other.
func (s sentence) permits(shown sentence, i int) bool {
	if shown.words[i].low != "may" {
		return false
	}
	theirs := governed(shown.words, i)
	denied := func(words []word, k int) bool { return k+1 < len(words) && words[k+1].low == "not" }
	for j, w := range s.words {
		if forbids := w.low == "must" && denied(s.words, j) && denied(shown.words, i); !forbids && !allowing[w.low] {
			continue
		}
		mine := governed(s.words, j)
		if len(mine) > 0 && len(theirs) > 0 && (slices.Contains(mine, theirs[0]) || slices.Contains(theirs, mine[0])) {
			return true
		}
	}
	return false
}

// governed gives the content words close behind word i, up to a comma.
func governed(words []word, i int) (low []string) {
	const reach = 5 // words
	for j := i + 1; j <= i+reach && j < len(words) && !words[j].comma && words[j].clause == words[i].clause; j++ {
		if words[j].content {
			low = append(low, words[j].low)
		}
	}
	return low
}

// findNear returns the first word of the set that stands in a clause which has words
// of the other side.
func (s sentence) findNear(set map[string]bool) string {
	if i := s.near(set); i >= 0 {
		return s.raw(i)
	}
	return ""
}

// near returns the place of that word, -1 for none.
func (s sentence) near(set map[string]bool) int {
	for i, w := range s.words {
		if month := s.lang == "en" && i > 0 && s.raw(i) == "May"; month {
			continue
		}
		if set[w.low] && s.nearShared(i) && !(s.lang == "ar" && w.low == "قد" && !s.mayFollow(i)) {
			return i
		}
	}
	return -1
}

// mayFollow says whether the Arabic particle at i means "may", as before the present, and
// not "has", as before the past.
func (s sentence) mayFollow(i int) bool {
	return i+1 < len(s.words) && (strings.HasPrefix(s.words[i+1].low, "ي") || s.words[i+1].low == "تكون")
}

func quoted(s string) string { return `"` + s + `"` }
