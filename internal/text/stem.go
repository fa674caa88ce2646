package text

import (
	"strings"

	snowball "github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
	"github.com/citewell/citewell/internal/text/lang"
)

// stemmers are Snowball's, by their names.
var stemmers = map[string]func(*snowball.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem, "finnish": finnish.Stem,
	"french": french.Stem, "german": german.Stem, "hungarian": hungarian.Stem, "irish": irish.Stem,
	"italian":   italian.Stem,
	"norwegian": norwegian.Stem, "portuguese": portuguese.Stem, "romanian": romanian.Stem, "russian": russian.Stem,
	"spanish": spanish.Stem, "swedish": swedish.Stem, "tamil": tamil.Stem, "turkish": turkish.Stem,
}

// maxStemBytes is the longest word that is stemmed: no word of a language is longer,
// and a stemmer's time grows with the square of the length.
const maxStemBytes = 80

// Stem returns the Snowball stem of a folded word, and the word itself for a
// language without a stemmer, and for words with a digit, which are names or
// figures.
func Stem(language, word string) string {
	stem, ok := stemmers[lang.Of(language).Stemmer]
	if !ok {
		return word
	}
	return stemWith(stem, word)
}

func stemWith(stem func(*snowball.Env) bool, word string) string {
	if len(word) < 3 || len(word) > maxStemBytes || strings.ContainsAny(word, "0123456789") {
		return word
	}
	env := snowball.NewEnv(word)
	stem(env)
	if stemmed := env.Current(); stemmed != "" {
		return stemmed
	}
	return word
}

// BaseLanguage reduces a language tag to the code under which it is known here.
func BaseLanguage(tag string) string { return lang.Base(tag) }
