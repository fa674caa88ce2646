package nearcopy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// A sentence is a claim, or a sentence of its evidence, read word by word.
type sentence struct {
	*text.Reading
	lang  string
	words []word
}

func newSentence(r *text.Reading) sentence {
	return sentence{r, r.Language(), text.Keep(r, func() []word { return readWords(r) })}
}

// A word is one word of a sentence with its entries in the lists.
type word struct {
	low        string // folded
	term       string // as in text.Terms; low for a function word
	start, end int    // in the text of the sentence
	content    bool   // not a function word
	poles      []pole
	negation   bool
}

// sign returns the side of the word on an axis, or 0 if it is on neither.
func (w word) sign(axis string) int {
	for _, p := range w.poles {
		if p.axis == axis {
			return p.sign
		}
	}
	return 0
}

// readWords reads a sentence word by word.
func readWords(r *text.Reading) []word {
	s, lang, tokens, terms := r.Text(), r.Language(), r.Words(), r.TermTokens()
	words := make([]word, len(tokens))
	at := 0
	x := lexiconOf(lang)
	for i, t := range tokens {
		w := word{low: t.Text, term: t.Text, start: t.Start, end: t.End}
		for at < len(terms) && terms[at].Start < t.Start {
			at++
		}
		if at < len(terms) && terms[at].Start == t.Start {
			w.term, w.content = terms[at].Text, true
		}
		w.poles = x.poles[w.term]
		_, _, w.negation = x.denies(w.low)
		w.negation = w.negation && !numberSign.MatchString(s[t.Start:])
		w.content = w.content && !x.denials[w.low]
		words[i] = w
	}
	return words
}

// numberSign is the abbreviation of "number" before one: No. 5, nº 5.
var numberSign = lazyregexp.New(`^[Nn][Oo]?[.º°]\s?\p{N}`)

// Denies reports whether a text contains a denial.
func Denies(said *text.Reading) bool {
	words := newSentence(said.In(said.LikelyLanguage())).words
	return slices.ContainsFunc(words, func(w word) bool { return w.negation })
}

// longestSentence bounds a sentence in bytes: in lists and damaged text the next full stop may be a
// megabyte away.
const longestSentence = 4000

// SentencesOf returns the sentences of a text. It cuts long ones between words, or between characters
// if there is no space.
func SentencesOf(r *text.Reading) []text.Span {
	var spans []text.Span
	s := r.Text()
	for _, span := range r.Sentences() {
		for span.End-span.Start > longestSentence {
			cut := span.Start + longestSentence
			if at := strings.LastIndexByte(s[span.Start:cut], ' '); at > 0 {
				cut = span.Start + at + 1
			}
			for cut < span.End && !utf8.RuneStart(s[cut]) {
				cut++
			}
			spans = append(spans, text.Span{Start: span.Start, End: cut})
			span.Start = cut
		}
		if span.Start < span.End {
			spans = append(spans, span)
		}
	}
	return spans
}
