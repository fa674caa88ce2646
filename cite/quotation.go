package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// quotation matches a pair of quotation marks with the words between them.
var quotation = lazyregexp.New(`“([^“”]{12,600})”|„([^“”„]{12,600})[“”]|` +
	`«([^«»]{12,600})»|"([^"]{12,600})"|"[^"]*"`)

// ellipsis matches the sign for omitted words.
var ellipsis = lazyregexp.New(`\s*(?:\[(?:…|\.{3})\]|…|\.{3})\s*`)

// leastQuoted is the least number of words in a quotation; fewer may be a name or a figure of speech.
const leastQuoted = 4

// quotationsOf returns the quotations in a claim, but not the titles in quotation marks.
func quotationsOf(claim string) []string {
	var all []string
	for _, m := range quotation.FindAllStringSubmatch(claim, -1) {
		quote := strings.TrimRight(strings.Join(m[1:], ""), " .,;")
		if words := text.Words(quote); len(words) >= leastQuoted && !isTitle(quote, words) {
			all = append(all, quote)
		}
	}
	return all
}

// isTitle reports whether most of the words begin with a capital or a digit.
func isTitle(s string, words []text.Token) bool {
	raised := 0
	for _, w := range words {
		if first, _ := utf8.DecodeRuneInString(s[w.Start:]); unicode.IsUpper(first) || unicode.IsDigit(first) {
			raised++
		}
	}
	return 2*raised >= len(words)
}

// misquoted returns the first quotation in the claim that no cited source contains. It returns an empty
// string if the sources contain all quotations, or if no source was read.
func (h *holding) misquoted() string {
	for _, quote := range quotationsOf(h.claim.Text) {
		has := func(e Evidence) bool { return quotes(quote, e.text()) }
		if len(h.spans) > 0 && !slices.ContainsFunc(h.claim.Evidence, has) {
			return quote
		}
	}
	return ""
}

// quotes reports whether a source contains a quotation. The case of the first letter may differ, and an
// ellipsis stands for omitted words.
func quotes(quote, source string) bool {
	for _, part := range ellipsis.Split(quote, -1) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(part)
		found := false
		for _, letter := range []rune{first, unicode.ToUpper(first), unicode.ToLower(first)} {
			_, at, ok := verbatim.Locate(string(letter)+part[size:], source)
			if found = found || ok; ok {
				source = source[at:]
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}
