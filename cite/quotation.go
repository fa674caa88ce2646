package cite

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/text"
)

var (
	quotation = lazyregexp.New(`[“„"«»]([^“”„"«»]{12,600})[”“"»«]`)

	// ellipsis is where a quotation leaves words out.
	ellipsis = lazyregexp.New(`\s*(?:\[(?:…|\.{3})\]|…|\.{3})\s*`)
)

// leastQuoted is how many words in quotation marks are a source's own; fewer may be a
// name or a manner of speaking.
const leastQuoted = 4

// quotationsOf are the words of a claim that it says are a source's own.
func quotationsOf(claim string) []string {
	var all []string
	for _, m := range quotation.FindAllStringSubmatch(claim, -1) {
		if len(text.Words(m[1])) >= leastQuoted {
			all = append(all, strings.TrimRight(m[1], " .,;"))
		}
	}
	return all
}

// quotations says what is wrong with the words that the claim quotes: no source has
// them, or one has them in a sentence that denies them, which then contradicts the claim.
func (h *holding) quotations(citations []citewell.Citation) Problem {
	for _, quote := range quotationsOf(h.claim.Text) {
		shown := text.Shorten(quote, maxQuoteShown)
		stands := false
		var denied []int // indexes of evidence
		for i, e := range h.claim.Evidence {
			source := e.text()
			stands = stands || quotes(quote, source)
			if deniesQuote(h.claim.Text, quote, source, h.claim.Lang) {
				denied = append(denied, i)
			}
		}
		if !stands {
			return sayQuote.of(shown)
		}
		if len(denied) == 0 {
			continue
		}
		p := sayTurned.of(shown)
		for i, s := range h.spans {
			if slices.Contains(denied, s.of) {
				citations[i].Verdict, citations[i].Reason, citations[i].Judge = citewell.VerdictContradicted, p.Message, ByWords
			}
		}
		return p
	}
	return Problem{}
}

// text is all that is known of the source.
func (e Evidence) text() string {
	if e.Text != "" {
		return e.Text
	}
	var all []string
	for _, p := range e.Passages {
		all = append(all, p.Text)
	}
	return strings.Join(all, "\n\n")
}

// quotes says whether a source has the words of a quotation: its first letter may be a
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

// deniesQuote says whether a quotation was cut out of a sentence that denies it, and the claim
// that quotes it says what the sentence denies. Of several places any other will do.
func deniesQuote(claim, quote, source, lang string) bool {
	denied := false
	for {
		start, end, ok := Locate(quote, source)
		if !ok {
			return denied
		}
		from, to := Whole(source, start, end)
		sentence := source[from:to]
		for _, said := range []string{quote, claim} {
			if Check(said, sentence, lang).Verdict != citewell.VerdictContradicted {
				return false
			}
		}
		denied, source = true, source[to:]
	}
}
