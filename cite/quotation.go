package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/text"
)

// quotation is what stands between a pair of quotation marks.
var quotation = lazyregexp.New(`“([^“”]{12,600})”|„([^“”„]{12,600})[“”]|«([^«»]{12,600})»|"([^"]{12,600})"|"[^"]*"`)

// ellipsis is where a quotation leaves words out.
var ellipsis = lazyregexp.New(`\s*(?:\[(?:…|\.{3})\]|…|\.{3})\s*`)

// leastQuoted is how many words in quotation marks are a source's own; fewer may be a
// name or a manner of speaking.
const leastQuoted = 4

// quotationsOf are the words of a claim that it says are a source's own. What is written with
// capitals, as titles are, is a name.
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

// misquoted is the first quotation in the claim that no cited source has in these words; empty
// where all stand there, or no source was read.
func (h *holding) misquoted() string {
	for _, quote := range quotationsOf(h.claim.Text) {
		if len(h.spans) > 0 && !slices.ContainsFunc(h.claim.Evidence, func(e Evidence) bool { return quotes(quote, e.text()) }) {
			return quote
		}
	}
	return ""
}

// quotes reports whether a source has the words of a quotation: its first letter may be a
// small or a capital one, as the sentence around it wants, and it may leave words out.
func quotes(quote, source string) bool {
	for _, part := range ellipsis.Split(quote, -1) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(part)
		found := false
		for _, letter := range []rune{first, unicode.ToUpper(first), unicode.ToLower(first)} {
			_, at, ok := Locate(string(letter)+part[size:], source)
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
