package brief

import (
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// covered is the share of an aspect's words that one passage must have, with its
// heading and title, to count as speaking of it.
const covered = 0.6

// gaps names what the question asks and no passage speaks of.
func gaps(q question, e *evidence, findings []citewell.Finding, all []sentence) []string {
	list := []string{}
	if len(findings) == 0 {
		return append(list, "Nothing that was found answers the question.")
	}
	passages := make([][]string, len(e.passages))
	for i, p := range e.passages {
		lang := text.LikelyLanguage(p.Text)
		passages[i] = slices.Concat(text.Terms(e.source(p).Title, lang), text.Terms(p.Heading, lang), text.Terms(p.Text, lang))
	}
	missing := func(terms []string, least float64) bool {
		return !slices.ContainsFunc(passages, func(p []string) bool { return share(terms, p) >= least })
	}
	for _, a := range q.aspects {
		if missing(a.terms, covered) {
			list = append(list, fmt.Sprintf("No source that was read covers “%s”.", a.text))
		}
	}
	if len(list) == 0 {
		for _, token := range text.TermTokens(q.text, q.language) {
			word := q.text[token.Start:token.End]
			if slices.Contains(q.terms, token.Text) && missing([]string{token.Text}, 1) && !slices.Contains(list, word) {
				list = append(list, fmt.Sprintf("No source that was read mentions “%s”.", word))
			}
		}
	}
	for at, a := range q.aspects {
		answers := relevant(all, at)
		has := func(kind func(sentence) bool) bool {
			return slices.ContainsFunc(answers, func(r rank.Scored) bool { return kind(all[r.Index]) })
		}
		if a.wantsFigure && !has(func(s sentence) bool { return s.figures }) {
			list = append(list, fmt.Sprintf("No passage that was read gives a figure for “%s”.", a.text))
		}
		if a.wantsDate && !has(func(s sentence) bool { return s.dates }) {
			list = append(list, fmt.Sprintf("No passage that was read gives a date for “%s”.", a.text))
		}
	}
	return slices.Compact(list)
}
