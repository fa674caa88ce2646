package text

import "sync"

// A Reading is a text that is read once. It makes the language, words, terms and sentences of its text when
// they are first asked for and keeps them; other packages keep what they make of it with [Keep].
//
// It is safe for many goroutines. Callers share the slices that it returns and must not change them.
type Reading struct {
	*written
	lang string // BaseLanguage of the language that it is read in; empty if nobody said

	termsOnce sync.Once
	tokens    []Token
	terms     []string

	keepMu sync.Mutex
	kept   []any // a keeper of each type
}

// A written text holds what readings of one text have in common, whatever language they are read in.
type written struct {
	text     string
	readings *Readings // nil for a text that is read alone

	wordsOnce, sentencesOnce, languageOnce, likelyOnce sync.Once
	words                                              []Token
	sentences                                          []Span
	language, likely                                   string

	mu sync.Mutex
	in []*Reading // one for each language
}

// Read reads one text. An empty language is told from the text when it is needed.
func Read(s, lang string) *Reading { return (*Readings)(nil).Read(s, lang) }

// In returns the reading of the same text in another language.
func (r *Reading) In(lang string) *Reading { return r.written.read(BaseLanguage(lang)) }

func (w *written) read(base string) *Reading {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.in {
		if r.lang == base {
			return r
		}
	}
	r := &Reading{written: w, lang: base}
	w.in = append(w.in, r)
	return r
}

// Part returns the reading of r.Text()[start:end] in the language of r.
func (r *Reading) Part(start, end int) *Reading {
	if start == 0 && end == len(r.text) {
		return r
	}
	return r.readings.Read(r.text[start:end], r.Language())
}

// Beside returns the reading of another text in the language of r. It is kept where r is kept.
func (r *Reading) Beside(s string) *Reading { return r.readings.Read(s, r.Language()) }

// Text returns the text.
func (r *Reading) Text() string { return r.text }

// Language returns the language that the text is read in: the given one, or else [Language] of the text.
func (r *Reading) Language() string {
	if r.lang != "" {
		return r.lang
	}
	r.languageOnce.Do(func() { r.language = tellLanguage(r.text, r.Words) })
	return r.language
}

// LikelyLanguage returns the given language, or else [LikelyLanguage] of the text.
func (r *Reading) LikelyLanguage() string {
	if lang := r.Language(); lang != "" {
		return lang
	}
	r.likelyOnce.Do(func() { r.likely = languageOfScript(r.text) })
	return r.likely
}

// Words returns the [Words] of the text.
func (r *Reading) Words() []Token {
	r.wordsOnce.Do(func() { r.words = Words(r.text) })
	return r.words
}

// Sentences returns the [Sentences] of the text.
func (r *Reading) Sentences() []Span {
	r.sentencesOnce.Do(func() { r.sentences = Sentences(r.text) })
	return r.sentences
}

// Terms returns the [Terms] of the text in its language.
func (r *Reading) Terms() []string {
	r.readTerms()
	return r.terms
}

// TermTokens returns the [TermTokens] of the text in its language.
func (r *Reading) TermTokens() []Token {
	r.readTerms()
	return r.tokens
}

func (r *Reading) readTerms() {
	r.termsOnce.Do(func() {
		r.tokens = r.readings.termTokens(r.text, r.LikelyLanguage())
		r.terms = make([]string, len(r.tokens))
		for i, t := range r.tokens {
			r.terms[i] = t.Text
		}
	})
}

// Keep returns the value of type T that is kept with a reading. It makes the value at the first call; make must
// not ask for a value of the same type.
func Keep[T any](r *Reading, make func() T) T {
	k := keeperOf[T](r)
	k.once.Do(func() { k.value = make() })
	return k.value
}

// A keeper holds what a package made of a reading.
type keeper[T any] struct {
	once  sync.Once
	value T
}

func keeperOf[T any](r *Reading) *keeper[T] {
	r.keepMu.Lock()
	defer r.keepMu.Unlock()
	for _, k := range r.kept {
		if k, same := k.(*keeper[T]); same {
			return k
		}
	}
	k := new(keeper[T])
	r.kept = append(r.kept, k)
	return k
}

// Readings keeps the readings of the texts that one search, check or run works on, so that each text is read
// once wherever it turns up, and the term of a word is made once in all of them. The zero value is ready. It is
// safe for many goroutines. A nil *Readings keeps nothing beyond a reading.
type Readings struct {
	mu    sync.Mutex
	texts map[string]*written

	termsMu sync.Mutex
	cache   termCache
}

// Read returns the reading of a text in a language. An empty language is told from the text when it is needed.
func (all *Readings) Read(s, lang string) *Reading { return all.find(s).read(BaseLanguage(lang)) }

func (all *Readings) find(s string) *written {
	if all == nil {
		return &written{text: s}
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	w := all.texts[s]
	if w == nil {
		if all.texts == nil {
			all.texts = map[string]*written{}
		}
		w = &written{text: s, readings: all}
		all.texts[s] = w
	}
	return w
}

// EachTerm calls emit with each of the [TermTokens] of a text in turn. It keeps the terms of words, but not the
// text: this is for an index, which reads a text only once. A term may share its bytes with s.
func (all *Readings) EachTerm(s, lang string, emit func(term string, start, end int)) {
	if all == nil {
		oneTextReader(s, lang).each(emit)
		return
	}
	all.termsMu.Lock()
	defer all.termsMu.Unlock()
	all.cache.each(s, lang, emit)
}

func (all *Readings) termTokens(s, lang string) []Token {
	tokens := make([]Token, 0, len(s)/9+1)
	all.EachTerm(s, lang, func(term string, start, end int) { tokens = append(tokens, Token{term, start, end}) })
	return tokens
}
