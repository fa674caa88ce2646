package score

import (
	"regexp"
	"slices"
	"strings"
)

// token is Python's \w+, as both benchmarks cut words.
var token = regexp.MustCompile(`[\p{L}\p{N}_]+`)

// run is how many words a shingle of the article benchmark has.
const run = 4

// Articles sums up texts in the way of the article benchmark: shingles of four words
// as a multiset, precision and recall as means over pages, F1 of the two means. A
// page without text counts for no precision, one whose article is empty for no
// recall. The zero value is empty.
type Articles struct{ precision, recall, exact mean }

// Add scores one page's text against the article that a person marked.
func (a *Articles) Add(article, text string) {
	wanted, given := token.FindAllString(article, -1), token.FindAllString(text, -1)
	both, inArticle, inText := overlap(shingles(wanted), shingles(given))
	if inText > 0 {
		a.precision.add(float64(both) / float64(inText))
	}
	if inArticle > 0 {
		a.recall.add(float64(both) / float64(inArticle))
	}
	exact := 0.0
	if slices.Equal(wanted, given) {
		exact = 1
	}
	a.exact.add(exact)
}

// Pages is how many pages were added.
func (a Articles) Pages() int { return a.exact.count }

// Precision is the mean share of a text's shingles that the article has.
func (a Articles) Precision() float64 { return a.precision.value() }

// Recall is the mean share of an article's shingles that the text has.
func (a Articles) Recall() float64 { return a.recall.value() }

// F1 is the harmonic mean of Precision and Recall.
func (a Articles) F1() float64 { return harmonic(a.Precision(), a.Recall()) }

// Exact is the share of pages whose words are exactly the article's.
func (a Articles) Exact() float64 { return a.exact.value() }

// shingles counts every four words in a row; fewer words are one shingle.
func shingles(words []string) map[string]int {
	counts := map[string]int{}
	for i := 0; i+run <= len(words); i++ {
		counts[strings.Join(words[i:i+run], " ")]++
	}
	if len(words) > 0 && len(words) < run {
		counts[strings.Join(words, " ")]++
	}
	return counts
}

// Words sums up texts in the way of the benchmark of seven kinds of page: lower-case
// words as a multiset, precision, recall and F1 of each page, means over pages. No text
// where nothing is marked is all right. The zero value is empty.
type Words struct{ precision, recall, f1 mean }

// Add scores one page's text against the main text that was marked.
func (w *Words) Add(marked, text string) {
	both, inMarked, inText := overlap(bag(marked), bag(text))
	precision, recall := 0.0, 0.0
	switch {
	case both > 0:
		precision, recall = float64(both)/float64(inText), float64(both)/float64(inMarked)
	case inMarked == 0 && inText == 0:
		precision, recall = 1, 1
	}
	w.precision.add(precision)
	w.recall.add(recall)
	w.f1.add(harmonic(precision, recall))
}

// Pages is how many pages were added.
func (w Words) Pages() int { return w.f1.count }

// Precision is the mean share of a text's words that were marked.
func (w Words) Precision() float64 { return w.precision.value() }

// Recall is the mean share of the marked words that the text has.
func (w Words) Recall() float64 { return w.recall.value() }

// F1 is the mean of the pages' own F1, not that of the means.
func (w Words) F1() float64 { return w.f1.value() }

func bag(s string) map[string]int {
	counts := map[string]int{}
	for _, word := range token.FindAllString(strings.ToLower(s), -1) {
		counts[word]++
	}
	return counts
}

// overlap returns how much two multisets share, and the size of each.
func overlap(a, b map[string]int) (both, inA, inB int) {
	for key, n := range a {
		inA += n
		both += min(n, b[key])
	}
	for _, n := range b {
		inB += n
	}
	return both, inA, inB
}

// Snippets returns the share of snippets that text contains, white space and case
// apart, and whether there is any to look for.
func Snippets(snippets []string, text string) (share float64, ok bool) {
	if len(snippets) == 0 {
		return 0, false
	}
	squeezed, found := squeeze(text), 0
	for _, snippet := range snippets {
		if strings.Contains(squeezed, squeeze(snippet)) {
			found++
		}
	}
	return float64(found) / float64(len(snippets)), true
}

func squeeze(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
