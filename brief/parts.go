package brief

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell/internal/text"
)

// maxJoints bounds what parts looks at: it reads a query once more at each joint.
const maxJoints = 64

// parts cuts a query where its aspects join: between sentences, before another place, and
// between two parts that both ask. "RIGHT and FULL OUTER JOIN" is one question, and so is
// "After 1945, who ruled?". What has more than maxJoints is a list, and one part.
func parts(q *text.Reading) []string {
	query := q.Text()
	way, _ := phrasingIn(q.LikelyLanguage())
	asks := func(part string) bool {
		return asksFigure.MatchString(part) || asksDate.MatchString(part) || way.asks(part)
	}
	var list []string
	start := 0
	found := joints.FindAllStringIndex(query, maxJoints+1)
	if len(found) > maxJoints {
		return []string{query}
	}
	for _, joint := range found {
		mark, before, rest := query[joint[0]:joint[1]], query[start:joint[0]], query[joint[1]:]
		first, _, _ := strings.Cut(rest, " ")
		if !strings.ContainsAny(mark, "?!。？！؟") &&
			!(slices.Contains(linking, first) && strings.ContainsFunc(mark, unicode.IsLetter)) &&
			!(asks(before) && asks(rest)) {
			continue
		}
		list = append(list, before)
		start = joint[1]
	}
	return append(list, query[start:])
}

// shortPart is how many words a part has at most that leaves out what its
// neighbour says.
const shortPart = 2

// complete gives parts of a question that leave something out the words of their
// neighbour. In "which trees lose their leaves in Norway, and in Spain" the second
// part asks of trees and leaves too: a short part stands in for the last words of
// the one before it, or where that is short as well, as in "range and price of
// electric buses", for the first words of the one after it. A part that points back
// with a pronoun takes all words of the one before.
func complete(aspects []aspect) {
	for i := len(aspects) - 2; i >= 0; i-- {
		a, next := &aspects[i], aspects[i+1]
		if n := len(a.words); n <= shortPart && n < len(next.words) &&
			(i == 0 || len(aspects[i-1].words) <= shortPart) &&
			!pointsBack(next.text) {
			a.words = union(a.words, next.words[n:])
		}
	}
	for i := 1; i < len(aspects); i++ {
		a, before := &aspects[i], aspects[i-1]
		switch n := len(a.words); {
		case pointsBack(a.text):
			a.words = union(before.words, a.words)
		case n <= shortPart && n < len(before.words) && bare(a.text):
			a.words = union(before.words[:len(before.words)-n], a.words)
		}
	}
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, word := range b {
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

var (
	pronouns = strings.Fields("it its they their them he she his her er sie es ihr ihre il elle ils elles él ella " +
		"ellos ellas он она оно они его её их")

	// linking are words that stand before a name and say nothing of their own.
	linking = strings.Fields(
		`in on at for of with by from to the a an in im am auf für von mit bei aus der die das den dem des
		en dans à au aux pour avec de du des la le les l del el los las para con por в во на для из от с со`)
)

func pointsBack(part string) bool {
	return slices.ContainsFunc(text.Words(part), func(t text.Token) bool { return slices.Contains(pronouns, t.Text) })
}

// bare says whether a part is only a name, or two, with what links it.
func bare(part string) bool {
	names := 0
	for _, t := range text.Words(part) {
		if !slices.Contains(linking, t.Text) {
			names++
		}
	}
	return names <= shortPart
}
