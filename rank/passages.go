package rank

import (
	"cmp"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/relevance"
	"github.com/citewell/citewell/internal/text"
)

// Options say what is known about the query and the passages beside their words. The
// zero value is fine: languages are detected, and there are no titles.
type Options struct {
	// Language is the query's; empty means that it is detected.
	Language string
	// Languages gives the language of the passage at i, as its document has it; nil
	// or an empty answer means that it is detected.
	Languages func(i int) string
	// Titles gives the title of the document that the passage at i is from; nil means
	// none.
	Titles func(i int) string
	// Readings keeps what is read of the query and the passages; nil keeps nothing.
	Readings *text.Readings
}

// What an occurrence elsewhere than in the passage itself counts, in occurrences.
const (
	headingWeight = 1.0
	titleWeight   = 0.8
)

// A Scored is a text's place in a ranking: its Index in the slice that was given, and its Score.
type Scored = relevance.Scored

// Passages are few, and mostly found by the very words of the query, so that a word
// that all of them have says nothing against it. So many texts without any of the
// words are thought beside them. The figure is from SciFact, see the tests.
const background = 100

// A phrase of the query that a passage has in one piece earns this share of the
// weight of its rarer word; words further apart earn less, and none from
// nearnessReach on.
const (
	nearnessWeight = 0.2
	nearnessReach  = 8
)

// Passages ranks passages for a query, best first, and leaves out those that share no
// word with it. Words meet by their stems in the passage's own language, so one
// ranking may mix languages. A word in the heading or the document's title counts
// too, and words that stand together in the query and in the passage count more. A
// query of nothing but function words is looked up by those. To ask the same passages
// again and again, make a Ranker.
func Passages(query string, passages []citewell.Passage, o Options) []Scored {
	q := newQuestion(o.Readings.Read(query, o.Language))
	if len(q.words) == 0 || len(passages) == 0 {
		return nil
	}
	return q.rank(NewRanker(passages, o).readAs(q, q.lookup))
}

func titleOf(o Options, i int) string {
	if o.Titles == nil {
		return ""
	}
	return o.Titles(i)
}

func languageOf(o Options, i int, passage citewell.Passage) string {
	if o.Languages != nil {
		if lang := o.Languages(i); lang != "" {
			return lang
		}
	}
	return o.Readings.Read(passage.Text, "").Language()
}

// A question is a query taken apart into words, which are looked up in each language
// by the term that it makes of them.
type question struct {
	query *text.Reading
	reader
	words []int                     // where each word begins in the query
	terms map[string]map[string]int // language → term → index into words
}

// A reader is how texts are read for a question.
type reader struct {
	language string // of texts whose own is not known
	plain    bool   // function words only: they are looked up as they are
}

func newQuestion(query *text.Reading) *question {
	lang := query.LikelyLanguage()
	q := &question{query: query, reader: reader{language: lang}, terms: map[string]map[string]int{}}
	tokens := q.tokens(query, lang)
	if len(tokens) == 0 {
		q.plain = true
		tokens = q.tokens(query, lang)
	}
	for _, token := range tokens {
		q.words = append(q.words, token.Start)
	}
	return q
}

// lookup returns the terms to look for in texts of a language, each with the word it
// stands for. Words that share a term are looked for once, under the first of them.
func (q *question) lookup(lang string) map[string]int {
	if terms, ok := q.terms[lang]; ok {
		return terms
	}
	terms := make(map[string]int, len(q.words))
	for _, token := range q.tokens(q.query, lang) {
		k, found := slices.BinarySearch(q.words, token.Start)
		if _, known := terms[token.Text]; found && !known {
			terms[token.Text] = k
		}
	}
	q.terms[lang] = terms
	return terms
}

// tokens reads a text. Where its language is not known, the query's is the better guess.
func (r reader) tokens(said *text.Reading, lang string) []text.Token {
	if r.plain {
		return said.Words()
	}
	return said.In(cmp.Or(lang, r.language)).TermTokens()
}
