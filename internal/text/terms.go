package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/citewell/citewell/internal/text/lang"
	"golang.org/x/text/unicode/norm"
)

// TermsVersion grows with each change that gives any text other terms, here or where an
// index writes them: what was indexed with an earlier version is indexed anew, or queries
// would miss it.
const TermsVersion = 4

// Terms returns what an index keeps of s and what a query is looked up by: its
// words without function words, stemmed, and in Latin script without accents.
//
// Both sides must agree on the language for stems to meet. With lang empty it is
// detected, and a text too short to tell, as most queries are, is read in its
// LikelyLanguage. As accents go in every language, a wrong guess costs endings and
// not the word.
//
// A function word in capitals ("WHO", "IT") is kept as a name, unless the whole text
// shouts; a word alone does not.
func Terms(s, lang string) []string {
	terms := make([]string, 0, len(s)/9+1)
	oneTextReader(s, lang).each(func(term string, _, _ int) { terms = append(terms, term) })
	return terms
}

// TermTokens returns the same terms as Terms with the place of each in s.
func TermTokens(s, lang string) []Token {
	tokens := make([]Token, 0, len(s)/9+1)
	oneTextReader(s, lang).each(func(term string, start, end int) { tokens = append(tokens, Token{term, start, end}) })
	return tokens
}

// A termReader makes terms of the words of one text in one language.
type termReader struct {
	s     string
	lang  string
	of    *lang.Language
	stem  func(*snowball.Env) bool
	stop  map[string]bool
	plain map[string]string // forms that no ending tells → their plain form
	same  *strings.Replacer // letters that are read as others; nil for none
	names bool              // capitals mark names: the text has small letters too, or is one word
	known map[string]string // word → its term, empty for a function word

	cached *wordTable // the same for many texts, in its place
}

func newTermReader(s, language string) *termReader {
	base := BaseLanguage(language)
	if base == "" {
		base = LikelyLanguage(s)
	}
	of := lang.Of(base)
	return &termReader{
		s: s, lang: base, of: of, stem: stemmers[of.Stemmer], stop: of.Words(lang.FunctionWords),
		plain: of.Keys(lang.IrregularForms), same: of.SameLetters(),
		names: strings.ContainsFunc(s, unicode.IsLower) || !strings.ContainsFunc(s, unicode.IsSpace),
	}
}

func oneTextReader(s, lang string) *termReader {
	t := newTermReader(s, lang)
	t.known = make(map[string]string, min(len(s)/24, 1024))
	return t
}

func (t *termReader) each(emit func(term string, start, end int)) {
	scanWords(t.s, func(start, end int, pair bool) {
		word := t.s[start:end]
		if pair {
			if word = foldWord(word, true); word != "" {
				emit(word, start, end)
			}
			return
		}
		term := t.remembered(word)
		if term == "" && t.names && isCapitals(word) {
			term = foldWord(word, false)
		}
		if term != "" {
			emit(term, start, end)
		}
	})
}

// term returns the term of a word, and empty for a function word.
func (t *termReader) term(word string) string {
	capitals := isCapitals(word)
	word = foldWord(word, false)
	if word == "" || t.stop[word] {
		return ""
	}
	word = withoutElision(t.of, word)
	if word == "" || t.stop[word] {
		return ""
	}
	if t.of.Is(lang.Proclitics) {
		if word = withoutArabicPrefix(word, t.stop); word == "" {
			return ""
		}
	}
	if t.same != nil {
		word = t.same.Replace(word)
	}
	if plain, ok := t.plain[word]; ok && !capitals {
		word = plain
	}
	if t.stem != nil {
		word = stemWith(t.stem, word)
	}
	return withoutAccents(word)
}

// withoutElision drops an article or pronoun that is written together with the word
// by an apostrophe, as in "l'eau", and the English possessive.
func withoutElision(l *lang.Language, word string) string {
	before, after, found := strings.Cut(word, "'")
	if !found {
		return word
	}
	switch {
	case l.Is(lang.Elides) && after != "" && utf8.RuneCountInString(before) <= 7 && elided()[before]:
		return after
	case l.Is(lang.Possessive) && after == "s", l.Is(lang.NameEndings):
		return before
	}
	return word
}

// elided holds the articles that are elided in any language.
var elided = sync.OnceValue(func() map[string]bool { return lang.Everywhere(lang.Elisions) })

// withoutAccents drops the marks of Latin letters; other scripts keep theirs, where
// they are vowels.
func withoutAccents(word string) string {
	if isASCII(word) {
		return word
	}
	decomposed := norm.NFD.String(word)
	latin := false
	stripped := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			if latin {
				return -1
			}
			return r
		}
		latin = unicode.Is(unicode.Latin, r)
		return r
	}, decomposed)
	return latinLetters.Replace(norm.NFC.String(stripped))
}

// latinLetters are letters that people without them write in others.
var latinLetters = strings.NewReplacer("œ", "oe", "æ", "ae", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ",
	"th", "ı", "i")

// withoutArabicPrefix drops "and" and "so" where they are written against the article
// or a function word, which the stemmer leaves; it gives nothing for a function word.
func withoutArabicPrefix(word string, stop map[string]bool) string {
	const least = 3 * 2 // bytes of three letters
	for _, prefix := range [...]string{"و", "ف"} {
		rest, ok := strings.CutPrefix(word, prefix)
		if !ok {
			continue
		}
		if len(rest) >= least && stop[rest] && prefix == "و" {
			return ""
		}
		for _, article := range [...]string{"ال", "بال", "لل", "كال"} {
			if noun, ok := strings.CutPrefix(rest, article); ok && len(noun) >= least && !parents[noun] {
				return rest
			}
		}
	}
	return word
}

// parents are what is left of the Arabic words for parents, which begin as "and the".
var parents = SetOf("دين دته دها دهم ديه ديها دتها دتي دات دهما")

// isCapitals says whether word is two or more upper-case letters.
func isCapitals(word string) bool {
	letters := 0
	for _, r := range word {
		if !unicode.IsUpper(r) && r != '.' {
			return false
		}
		letters++
	}
	return letters > 1
}
