package brief

import (
	"fmt"
	"slices"
	"strings"
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
	type read struct {
		lang  string
		terms []string
	}
	passages := make([]read, len(e.passages))
	for i, p := range e.passages {
		lang := text.LikelyLanguage(p.Text)
		passages[i] = read{lang, slices.Concat(text.Terms(e.source(p).Title, lang), text.Terms(p.Heading, lang), text.Terms(p.Text, lang))}
	}
	// A question of a word or two does not tell its language: its words are stemmed as
	// each passage's own are, too; those that carry only grammar there are no gap.
	missing := func(terms func(lang string) []string, least float64) bool {
		return !slices.ContainsFunc(passages, func(p read) bool {
			here := terms(p.lang)
			return share(terms(q.language), p.terms) >= least || p.lang != q.language && (len(here) == 0 || share(here, p.terms) >= least)
		})
	}
	for at, a := range q.aspects {
		asked := func(lang string) []string {
			if len(contentTerms(a.text, q.language)) > 0 {
				return contentTerms(a.text, lang)
			}
			return text.Terms(strings.Join(a.words, " "), lang) // its neighbour's
		}
		if missing(asked, covered) {
			add("No source that was read covers “%s”.", a.text)
			continue
		}
		for _, token := range contentTokens(a.text, q.language) {
			word := a.text[token.Start:token.End]
			if isWord(word) && missing(func(lang string) []string { return text.Terms(word, lang) }, 1) {
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
