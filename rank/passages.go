package rank

import (
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
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
}

// What an occurrence elsewhere than in the passage itself counts, in occurrences.
const (
	headingWeight = 1.0
	titleWeight   = 0.8
)

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
// query of nothing but function words is looked up by those.
func Passages(query string, passages []citewell.Passage, o Options) []Scored {
	q := newQuestion(query, o.Language)
	if len(q.words) == 0 || len(passages) == 0 {
		return nil
	}
	matches := make([]match, len(passages))
	total := 0
	for i, passage := range passages {
		matches[i] = q.match(passage, titleOf(o, i), languageOf(o, i, passage))
		total += matches[i].length
	}
	mean := float64(total) / float64(len(passages))
	weights := make([]float64, len(q.words))
	for k := range weights {
		in := 0
		for i := range matches {
			if matches[i].counts[k] > 0 {
				in++
			}
		}
		weights[k] = inverseFrequency(in, len(passages)+background)
	}
	scores := make([]float64, len(passages))
	for i := range matches {
		scores[i] = matches[i].score(weights, mean)
	}
	return sorted(scores)
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
	return text.Language(passage.Text)
}

// A question is a query taken apart into words, which are looked up in each language
// by the term that it makes of them.
type question struct {
	query    string
	language string
	words    []int                     // where each word begins in the query
	plain    bool                      // function words only: they are looked up as they are
	terms    map[string]map[string]int // language → term → index into words
}

func newQuestion(query, lang string) *question {
	if lang == "" {
		lang = text.LikelyLanguage(query)
	}
	q := &question{query: query, language: lang, terms: map[string]map[string]int{}}
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

// tokens reads s as the question is read. Where the language of s is not known, the
// query's is the better guess.
func (q *question) tokens(s, lang string) []text.Token {
	if q.plain {
		return text.Words(s)
	}
	if lang == "" {
		lang = q.language
	}
	return text.TermTokens(s, lang)
}

// A match is what one passage has of the question's words.
type match struct {
	counts   []float64 // of each word, weighted by where it occurs
	nearness []float64 // of each word to the one before it, 0 to 1
	length   int       // of the passage, in terms
}

func (q *question) match(passage citewell.Passage, title, lang string) match {
	terms := q.lookup(lang)
	m := match{counts: make([]float64, len(q.words)), nearness: make([]float64, len(q.words))}
	last := make([]int, len(q.words)) // 1 + where each word was last seen
	for position, token := range q.tokens(passage.Text, lang) {
		m.length++
		k, wanted := terms[token.Text]
		if !wanted {
			continue
		}
		m.counts[k]++
		last[k] = position + 1
		if k > 0 && last[k-1] > 0 {
			m.near(k, position+1-last[k-1], 1)
		}
		if k+1 < len(last) && last[k+1] > 0 {
			m.near(k+1, position+1-last[k+1], 0.5) // the other way round
		}
	}
	m.add(terms, q.tokens(passage.Above(), lang), headingWeight)
	m.add(terms, q.tokens(title, lang), titleWeight)
	return m
}

// near notes that word k was seen at a distance from the word before it in the query.
func (m *match) near(k, distance int, weight float64) {
	if distance < nearnessReach {
		m.nearness[k] = max(m.nearness[k], weight/float64(distance))
	}
}

// add counts what a heading or title has of the question's words, each once.
func (m *match) add(terms map[string]int, tokens []text.Token, weight float64) {
	seen := map[int]bool{}
	for _, token := range tokens {
		if k, wanted := terms[token.Text]; wanted && !seen[k] {
			seen[k] = true
			m.counts[k] += weight
		}
	}
}

func (m *match) score(weights []float64, mean float64) float64 {
	norm := lengthNorm(float64(m.length), mean)
	score := 0.0
	for k, count := range m.counts {
		score += weights[k] * saturated(count, norm)
		if m.nearness[k] > 0 {
			score += nearnessWeight * min(weights[k], weights[k-1]) * m.nearness[k]
		}
	}
	return score
}
