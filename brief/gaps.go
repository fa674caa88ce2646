package brief

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/text"
)

// covered is the share of an aspect's words that one passage must have, with its
// heading and title, to count as speaking of it.
const covered = 0.6

// gaps names what the question asks and no passage speaks of; asked are the providers.
func gaps(q question, e *evidence, findings []citewell.Finding, all []sentence, asked []citewell.ProviderReport) []string {
	list := []string{}
	switch {
	case len(findings) == 0 && allFailed(asked) != nil: // which says nothing about what there is
		return append(list, "No provider answered, so nothing was looked up.")
	case len(findings) == 0:
		return append(list, "Nothing that was found answers the question.")
	}
	add := func(format, about string) {
		if gap := fmt.Sprintf(format, about); !slices.Contains(list, gap) {
			list = append(list, gap)
		}
	}
	passages := make([][]string, len(e.passages))
	for i, p := range e.passages {
		lang := text.LikelyLanguage(p.Text)
		passages[i] = slices.Concat(text.Terms(e.source(p).Title, lang), text.Terms(p.Heading, lang), text.Terms(p.Text, lang))
	}
	missing := func(terms []string, least float64) bool {
		return !slices.ContainsFunc(passages, func(p []string) bool { return share(terms, p) >= least })
	}
	for at, a := range q.aspects {
		asked := contentTerms(a.text, q.language)
		if len(asked) == 0 {
			asked = a.terms // its neighbour's
		}
		if missing(asked, covered) {
			add("No source that was read covers “%s”.", a.text)
			continue
		}
		for _, token := range contentTokens(a.text, q.language) {
			if word := a.text[token.Start:token.End]; missing([]string{token.Text}, 1) && isWord(word) {
				add("No source that was read mentions “%s”.", word)
			}
		}
		answers := relevant(all, at)
		has := func(kind func(sentence) bool) bool {
			return slices.ContainsFunc(answers, func(r rank.Scored) bool { return kind(all[r.Index]) })
		}
		if a.wantsFigure && !has(func(s sentence) bool { return s.figures }) {
			add("No passage that was read gives a figure for “%s”.", a.text)
		}
		if a.wantsDate && !has(func(s sentence) bool { return s.dates }) {
			add("No passage that was read gives a date for “%s”.", a.text)
		}
	}
	return list
}

// isWord says whether a token is a word that a person would name, and not one of
// the pairs of characters that unspaced text is looked up by.
func isWord(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return !unicode.In(first, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
