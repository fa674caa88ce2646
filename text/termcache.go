package text

import "strings"

const (
	// maxCached is how many words of one language a TermCache remembers, some 8 MiB
	// of them; one that is full begins anew.
	maxCached = 1 << 16
	// maxCachedBytes is the longest word that it remembers: longer ones come once.
	maxCachedBytes = 48
)

// A TermCache makes the terms of many texts and remembers from one text to the next
// what became of a word: in a language with a stemmer that is most of the work. The
// zero value is ready; one goroutine at a time may use it.
type TermCache struct {
	known map[string]map[string]string // language → word → its term
}

// Each calls emit with what TermTokens(s, lang) returns, one after the other. A
// term it emits may share its bytes with s.
func (c *TermCache) Each(s, lang string, emit func(term string, start, end int)) {
	t := newTermReader(s, lang)
	known := c.known[t.lang]
	switch {
	case c.known == nil:
		c.known = map[string]map[string]string{}
		fallthrough
	case known == nil:
		known = make(map[string]string, 1024)
		c.known[t.lang] = known
	case len(known) >= maxCached:
		clear(known)
	}
	t.known, t.outlives = known, true
	t.each(emit)
}

// remembered returns the term of a folded word, and empty for a function word.
func (t *termReader) remembered(word string) string {
	term, ok := t.known[word]
	if ok {
		return term
	}
	if t.outlives {
		if len(word) > maxCachedBytes {
			return t.term(word)
		}
		word = strings.Clone(word) // not to keep the whole text for it
	}
	term = t.term(word)
	t.known[word] = term
	return term
}
