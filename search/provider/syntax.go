package provider

import (
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell/text"
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

// contentWords are the words of a question without those that carry grammar only: for an index
// that finds what holds any of the words it is given. Where nothing is left all words are.
func contentWords(question string) string {
	lang := text.LikelyLanguage(question)
	var kept []string
	for _, word := range strings.Fields(question) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' })
		if strings.Trim(bare, "+#") != "" && !text.IsStop(lang, bare) {
			kept = append(kept, bare)
		}
	}
	if len(kept) == 0 {
		return question
	}
	return strings.Join(kept, " ")
}
