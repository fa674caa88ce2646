package brief

import (
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Bounds of looking for disagreements, since every sentence is held against every
// other.
const (
	comparedSentences = 60
	maxDisagreements  = 8
)

// A side is one sentence's word in a disagreement.
type side struct {
	sentence sentence
	says     string
}

// disagreements finds what independent sources state differently: other figures
// or other dates of the same thing, among the sentences that have to do with the
// question.
func disagreements(all []sentence, e *evidence) []citewell.Disagreement {
	var stating []sentence
	for _, s := range all {
		if s.score > 0 && (s.figures || s.dates) && !e.snippetOnly(s.passage) {
			stating = append(stating, s)
		}
		if len(stating) == comparedSentences {
			break
		}
	}
	type quarrel struct {
		subject string
		sides   []side
	}
	var quarrels []quarrel
	for i, a := range stating {
		for _, b := range stating[i+1:] {
			if e.voice(a.passage) == e.voice(b.passage) {
				continue
			}
			clash, found := cite.Conflict(e.statement(a), e.statement(b))
			if !found {
				continue
			}
			at := slices.IndexFunc(quarrels, func(q quarrel) bool { return q.subject == clash.Subject })
			if at < 0 {
				at = len(quarrels)
				quarrels = append(quarrels, quarrel{subject: clash.Subject})
			}
			for _, s := range []side{{a, clash.A}, {b, clash.B}} {
				if !slices.ContainsFunc(quarrels[at].sides, func(known side) bool {
					return known.sentence.passage.Source == s.sentence.passage.Source && known.says == s.says
				}) {
					quarrels[at].sides = append(quarrels[at].sides, s)
				}
			}
		}
	}
	list := []citewell.Disagreement{}
	for _, q := range quarrels[:min(maxDisagreements, len(quarrels))] {
		slices.SortStableFunc(q.sides, func(a, b side) int { return a.sentence.passage.Source - b.sentence.passage.Source })
		list = append(list, citewell.Disagreement{Text: sidesText(q.sides), Citations: sidesCitations(q.sides)})
	}
	return list
}

// sidesText says who says what, each in one of its own sentences: ①④ say “212” in
// “…”; ⑥ says “187” in “…”.
func sidesText(sides []side) string {
	var values []string
	for _, s := range sides {
		if !slices.Contains(values, s.says) {
			values = append(values, s.says)
		}
	}
	parts := make([]string, len(values))
	for i, value := range values {
		marks, example := "", ""
		who := 0
		for _, s := range sides {
			if s.says == value {
				who++
				marks += cite.Mark(s.sentence.passage.Source)
				if example == "" {
					example = s.sentence.text
				}
			}
		}
		verb := "says"
		if who > 1 {
			verb = "say"
		}
		parts[i] = fmt.Sprintf("%s %s %s: %s", marks, verb, quoted(value), quoted(example))
	}
	return strings.Join(parts, " ")
}

func sidesCitations(sides []side) []citewell.Citation {
	citations := make([]citewell.Citation, len(sides))
	for i, s := range sides {
		citations[i] = citewell.Citation{N: s.sentence.passage.Source, Passage: s.sentence.passage.ID,
			Quote: s.sentence.text, Start: s.sentence.start, End: s.sentence.end, Verdict: citewell.VerdictSupported}
	}
	return citations
}

// statement gives the comparison a sentence with what it stands under.
func (e *evidence) statement(s sentence) cite.Statement {
	about := e.source(s.passage).Title
	if s.passage.Heading != "" {
		about = s.passage.Heading + ". " + about
	}
	return cite.Statement{Text: s.text, Lang: s.language, About: about}
}
