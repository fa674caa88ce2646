// Package verbatim finds the words of a quote in the text that it was taken from.
//
// Units: spans are bytes, half-open, of the source.
// Errors: none; a quote that is not found is reported as such.
// Concurrency: all functions are pure.
package verbatim

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// Locate finds quote in source and returns its span there. White space, the shape of
// quotation marks and dashes, and invisible characters may differ; every letter,
// figure and sign must be the same. Of several places it returns the first.
func Locate(quote, source string) (start, end int, ok bool) {
	if at := strings.Index(source, quote); at >= 0 && utf8.ValidString(quote) {
		return Trim(source, at, at+len(quote))
	}
	want := strings.TrimSpace(text.Normalize(quote))
	if want == "" {
		return 0, 0, false
	}
	normal, offsets := text.NormalizeWithMap(source)
	at := strings.Index(normal, want)
	if at < 0 {
		return 0, 0, false
	}
	start, end = offsets[at], offsets[at+len(want)]
	for end > start && end < len(source) && !utf8.RuneStart(source[end]) {
		end++
	}
	return Trim(source, start, end)
}

// Whole widens the span [start:end] of a source to the whole sentences that it lies in. Words that were
// cut out of a sentence may say the opposite of it: "lower the risk" stands in "did not
// lower the risk".
func Whole(source *text.Reading, start, end int) (from, to int) {
	from, to = start, end
	for _, s := range source.Sentences() {
		if s.Start < end && start < s.End {
			from, to = min(from, s.Start), max(to, s.End)
		}
	}
	return from, to
}

// Trim takes white space and invisible characters off both ends of
// source[start:end].
func Trim(source string, start, end int) (int, int, bool) {
	blank := func(r rune) bool {
		return unicode.IsSpace(r) || r == '\u00ad' || r >= '\u200b' && r <= '\u200d' || r == '\u2060' || r == '\ufeff'
	}
	span := source[start:end]
	start += len(span) - len(strings.TrimLeftFunc(span, blank))
	end = start + len(strings.TrimRightFunc(source[start:end], blank))
	return start, end, start < end
}
