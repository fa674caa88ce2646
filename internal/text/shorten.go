package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine returns the words of s in one line, a single space between them.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// CharacterStart returns where the character begins that s[i] is a byte of. Bytes that
// are no UTF-8 are characters of their own.
func CharacterStart(s string, i int) int {
	for at := i; at > 0 && at < len(s) && at > i-utf8.UTFMax; at-- {
		if utf8.RuneStart(s[at]) {
			return at
		}
	}
	return i
}

// Prefix returns as much of the beginning of s as n bytes hold, no character split.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:CharacterStart(s, n)]
}

// Shorten returns s, or where it is longer than n bytes its Prefix and an ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRightFunc(Prefix(s, n), unicode.IsSpace) + "…"
}

// ShortenAtWord is Shorten that cuts behind a word, where one ends in the second half of
// the n bytes.
func ShortenAtWord(s string, n int) string {
	if len(s) <= n {
		return s
	}
	kept := Prefix(s, n)
	if i := strings.LastIndexFunc(kept, unicode.IsSpace); i > n/2 {
		kept = kept[:i]
	}
	return strings.TrimRightFunc(kept, unicode.IsSpace) + " …"
}
