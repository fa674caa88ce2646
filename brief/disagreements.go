package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/disagree"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/verbatim"
)

// Bounds of looking for disagreements, since every sentence is held against every
// other.
const (
	comparedSentences = 60
	maxDisagreements  = 8
	// One side at least must answer the question so well, beside the best sentence:
	// what else its sources disagree about was not asked.
	leastToThePoint = 0.1
)

// A side is one sentence's word in a disagreement. Sides with the same key say the
// same in other words: "14 May 2019" and "May 14, 2019".
type side struct {
	sentence sentence
	says     string
	key      string
}

// A quarrel is one thing that sources state differently, with all its sides.
type quarrel struct {
	subject string
	pairs   [][2]string // keys that were found against each other
	sides   []side
}

// disagreements finds what independent sources state differently: other figures
// or other dates of the same thing, among the sentences that have to do with the
// question.
func disagreements(all []sentence, e *evidence) []citewell.Disagreement {
	var stating []sentence
	for _, s := range all {
		if s.score >= leastToThePoint*answersFrom && (s.figures || s.dates) && !e.snippetOnly(s.passage) {
			stating = append(stating, s)
		}
		if len(stating) == comparedSentences {
			break
		}
	}
	var quarrels []*quarrel
	comparison := disagree.Comparison{Readings: e.readings}
	for i, a := range stating {
		if a.score < leastToThePoint*all[0].score {
			break // the better one of each pair comes first
		}
		for _, b := range stating[i+1:] {
			if e.voice(a.passage) == e.voice(b.passage) {
				continue
			}
			if clash, found := comparison.Between(e.statement(a), e.statement(b)); found {
				quarrels = join(quarrels, clash, side{a, clash.A, clash.KeyA}, side{b, clash.B, clash.KeyB})
			}
		}
	}
	list := []citewell.Disagreement{}
	for _, q := range quarrels {
		q.takeSides(e)
		if len(q.keys()) < 2 || len(list) == maxDisagreements {
			continue
		}
		slices.SortStableFunc(q.sides, func(a, b side) int {
			return a.sentence.passage.Source -
				b.sentence.passage.Source
		})
		list = append(list, sidesOf(q.sides))
	}
	return list
}

// join puts a clash into the quarrel that is about the same thing, or begins one:
// the same subject, or the same two values against each other.
func join(quarrels []*quarrel, clash disagree.Clash, a, b side) []*quarrel {
	pair := [2]string{min(a.key, b.key), max(a.key, b.key)}
	at := slices.IndexFunc(quarrels, func(q *quarrel) bool {
		return q.subject == clash.Subject || slices.Contains(q.pairs, pair)
	})
	if at < 0 {
		at = len(quarrels)
		quarrels = append(quarrels, &quarrel{subject: clash.Subject})
	}
	q := quarrels[at]
	q.pairs = append(q.pairs, pair)
	for _, s := range []side{a, b} {
		for _, known := range q.sides {
			if s.agrees(known) {
				s.key = known.key
				break
			}
		}
		if !slices.ContainsFunc(q.sides, func(known side) bool {
			return known.sentence.passage.Source == s.sentence.passage.Source && known.key == s.key
		}) {
			q.sides = append(q.sides, s)
		}
	}
	return quarrels
}

// agrees says whether two sides state one quantity within its rounding, as 312 m and 1,024
// feet: each was found against a third.
func (s side) agrees(other side) bool {
	mine, theirs := quantity.Figures(s.sentence.Beside(s.says)), quantity.Figures(other.sentence.Beside(other.says))
	return len(mine) == 1 && len(theirs) == 1 && mine[0].Dimension == theirs[0].Dimension && !mine[0].Clashes(theirs[0])
}

// keys gives the values that stand against each other, in the order of their sides.
func (q *quarrel) keys() []string {
	var keys []string
	for _, s := range q.sides {
		if !slices.Contains(keys, s.key) {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// takeSides leaves out sources that have said two of the values, for they quarrel
// with nobody, and adds to each side the sources that support its first sentence.
func (q *quarrel) takeSides(e *evidence) {
	said := map[int]string{}
	both := map[int]bool{}
	for _, s := range q.sides {
		n := s.sentence.passage.Source
		if key, ok := said[n]; ok && key != s.key {
			both[n] = true
		}
		said[n] = s.key
	}
	q.sides = slices.DeleteFunc(q.sides, func(s side) bool { return both[s.sentence.passage.Source] })
	for _, key := range q.keys() {
		first := q.sides[slices.IndexFunc(q.sides, func(s side) bool { return s.key == key })]
		for _, c := range e.citations(first.sentence)[1:] {
			if _, ok := said[c.N]; ok {
				continue
			}
			said[c.N] = key
			s := first
			s.sentence.passage = citewell.Passage{ID: c.Passage, Source: c.N}
			s.sentence.Reading, s.sentence.start, s.sentence.end = s.sentence.Beside(c.Quote), c.Start, c.End
			q.sides = append(q.sides, s)
		}
	}
}

// sidesText says who says what, each in one of its own sentences: ①④ say “212” in
// “…”; ⑥ says “187” in “…”.
func sidesText(sides []side) string {
	keys := (&quarrel{sides: sides}).keys()
	parts := make([]string, len(keys))
	for i, key := range keys {
		marks, verb := "", "says"
		var first *side
		for k, s := range sides {
			if s.key != key {
				continue
			}
			marks += notation.Mark(s.sentence.passage.Source)
			if first == nil {
				first = &sides[k]
			} else {
				verb = "say"
			}
		}
		parts[i] = fmt.Sprintf("%s %s %s: %s", marks, verb, quoted(first.says), quoted(first.sentence.Text()))
	}
	return strings.Join(parts, " ")
}

// sidesOf states a disagreement. Of the sources on one side the first is quoted; the
// others say the same in words of their own, and bear out that side only.
func sidesOf(sides []side) citewell.Disagreement {
	d := citewell.Disagreement{Text: sidesText(sides), Citations: make([]citewell.Citation, len(sides))}
	says := map[string]string{}
	for i, s := range sides {
		says[s.key] = cmp.Or(says[s.key], s.says)
		c := citewell.Citation{N: s.sentence.passage.Source, Passage: s.sentence.passage.ID,
			Quote: s.sentence.Text(), Start: s.sentence.start, End: s.sentence.end, Says: says[s.key],
			Verdict: citewell.VerdictSupported, Reason: reasonQuoted, By: cite.ByWords}
		if _, _, quotes := verbatim.Locate(c.Quote, d.Text); !quotes {
			c.Reason = reasonSide
		}
		d.Citations[i] = c
	}
	return d
}

// statement gives the comparison a sentence with what it stands under.
func (e *evidence) statement(s sentence) disagree.Statement {
	about := e.source(s.passage).Title
	if s.passage.Heading != "" {
		about = s.passage.Heading + ". " + about
	}
	return disagree.Statement{Text: s.Text(), Lang: s.Language(), About: about}
}
