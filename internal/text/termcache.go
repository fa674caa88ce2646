package text

import (
	"hash/maphash"
	"math"
	"strings"
)

const (
	// maxCached is how many words a termCache remembers, some 6 MiB; one that
	// has as many begins anew with the next text.
	maxCached = 1 << 17
	// maxCachedBytes is the longest word that it remembers: longer ones come once.
	maxCachedBytes = 48
)

// A termCache makes the terms of many texts and remembers from one text to the next
// what became of a word: in a language with a stemmer that is most of the work. The
// zero value is ready; one goroutine at a time may use it.
type termCache struct {
	known map[string]*wordTable // by language
}

// each calls emit with what TermTokens(s, lang) returns, one after the other. A
// term it emits may share its bytes with s.
func (c *termCache) each(s, lang string, emit func(term string, start, end int)) {
	t := newTermReader(s, lang)
	if c.known == nil || c.words() >= maxCached {
		c.known = map[string]*wordTable{}
	}
	t.cached = c.known[t.lang]
	if t.cached == nil {
		t.cached = newWordTable()
		c.known[t.lang] = t.cached
	}
	t.each(emit)
}

func (c *termCache) words() (n int) {
	for _, known := range c.known {
		n += known.words
	}
	return n
}

// remembered returns the term of a word, and empty for a function word.
func (t *termReader) remembered(word string) string {
	if t.cached != nil {
		return t.cached.term(word, t)
	}
	term, ok := t.known[word]
	if !ok {
		term = t.term(word)
		t.known[word] = term
	}
	return term
}

// A wordTable is a map from words to terms that is small: what a word costs here is
// mostly waiting for memory. Frequent words come first, so their bytes lie together.
type wordTable struct {
	seed  maphash.Seed
	slots []wordSlot // a power of two, a quarter of them free at least
	words int
	kept  strings.Builder // for each word two lengths in bytes, the word, and its term unless the word begins so
}

// A wordSlot is a word's hash and its place in kept after the lengths; none is at 0.
type wordSlot struct{ hash, at uint32 }

func newWordTable() *wordTable {
	return &wordTable{seed: maphash.MakeSeed(), slots: make([]wordSlot, 1<<10)}
}

// apart, added to the length of a word, says that its term follows it.
const apart = 1 << 7

// term returns the term of a word, which t makes where the word is new.
func (w *wordTable) term(word string, t *termReader) string {
	if len(word) > maxCachedBytes {
		return t.term(word)
	}
	hash := uint32(maphash.String(w.seed, word))
	kept := w.kept.String()
	i := w.first(hash)
	for ; w.slots[i].at > 0; i = w.next(i) {
		if w.slots[i].hash != hash {
			continue
		}
		at := int(w.slots[i].at)
		length, term := int(kept[at-2]), int(kept[at-1])
		end := at + length&^apart
		if kept[at:end] != word {
			continue
		}
		if length&apart != 0 {
			at = end
		}
		return kept[at : at+term]
	}
	term := t.term(word)
	if len(term) > math.MaxUint8 || w.words >= maxCached {
		return term
	}
	length, behind := len(word), ""
	if !strings.HasPrefix(word, term) {
		length, behind = length|apart, term
	}
	w.kept.WriteByte(byte(length))
	w.kept.WriteByte(byte(len(term)))
	w.slots[i] = wordSlot{hash, uint32(w.kept.Len())}
	w.kept.WriteString(word)
	w.kept.WriteString(behind)
	if w.words++; 4*w.words >= 3*len(w.slots) {
		w.grow()
	}
	return term
}

func (w *wordTable) first(hash uint32) int { return int(hash) & (len(w.slots) - 1) }
func (w *wordTable) next(i int) int        { return (i + 1) & (len(w.slots) - 1) }

func (w *wordTable) grow() {
	old := w.slots
	w.slots = make([]wordSlot, 2*len(old))
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := w.first(s.hash)
		for w.slots[i].at > 0 {
			i = w.next(i)
		}
		w.slots[i] = s
	}
}
