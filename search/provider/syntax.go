package provider

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// A syntax is what a provider reads in a query as more than words. A question is put to it in
// words alone: nobody who asks "what is C++ (AND why)?" means an operator.
type syntax struct {
	blank   string   // characters that become spaces
	leading string   // those that do at the beginning of a word alone
	escaped string   // those that lose their meaning behind a backslash
	words   []string // with a meaning in capitals; they are sent in lower case
}

// lucene is the syntax of Lucene, Solr and Elasticsearch.
var lucene = syntax{blank: "<>", escaped: `\+-!(){}[]^"~*?:/=&|`, words: []string{"AND", "OR", "NOT", "TO"}}

// plain returns a query in which nothing is more than a word, on one line.
func (s syntax) plain(query string) string {
	query = strings.Map(func(r rune) rune {
		if strings.ContainsRune(s.blank, r) {
			return ' '
		}
		return r
	}, query)
	words := strings.Fields(query)
	for i, word := range words {
		word = strings.TrimLeft(word, s.leading)
		if slices.Contains(s.words, strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })) {
			word = strings.ToLower(word)
		}
		var out strings.Builder
		for _, r := range word {
			if strings.ContainsRune(s.escaped, r) {
				out.WriteByte('\\')
			}
			out.WriteRune(r)
		}
		words[i] = out.String()
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// bareWords are the contentWords of a question as letters and digits alone, in which no query
// language reads more than words; those that it reserves in capitals are in lower case. Nothing
// is left of a question without letters and digits.
func bareWords(question string) []string {
	isApostrophe := func(r rune) bool { return r == '\'' || r == '’' }
	isMark := func(r rune) bool { return !isOfAWord(r) && !isApostrophe(r) }
	var parts []string
	for _, word := range strings.FieldsFunc(question, isMark) {
		around := strings.FieldsFunc(word, isApostrophe)
		for _, part := range around {
			// without the s of a genitive, the l' of an article
			if len(around) == 1 || utf8.RuneCountInString(part) > 1 {
				parts = append(parts, part)
			}
		}
	}
	words := strings.Fields(contentWords(strings.Join(parts, " ")))
	for i, word := range words {
		if slices.Contains(reservedWords, word) {
			words[i] = strings.ToLower(word)
		}
	}
	return words
}

func isOfAWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// reservedWords are those of all query languages that are asked in bareWords.
var reservedWords = []string{"AND", "OR", "NOT", "ANDNOT", "TO"}

// wordless is the error for a question in which there is nothing to look for.
func (w *wire) wordless() error {
	return w.fail(citewell.CodeInvalidArgument, "the query has no words that "+w.name+" could look for", "ask in words")
}

// contentWords are the words of a question without those that carry grammar only: for an index
// that finds what holds any of the words it is given. Where nothing is left all words are.
func contentWords(question string) string {
	lang := text.LikelyLanguage(question)
	var kept []string
	for _, word := range strings.Fields(question) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !isOfAWord(r) && r != '+' && r != '#' })
		if strings.Trim(bare, "+#") != "" && !text.IsStop(lang, bare) {
			kept = append(kept, bare)
		}
	}
	if len(kept) == 0 {
		return question
	}
	return strings.Join(kept, " ")
}
