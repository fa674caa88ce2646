package tool

import (
	"strings"
	"unicode"
)

// Visible keeps, for strings.Map, what a person would see: no control character but line ends and tabs, no tags,
// nothing without width but joiners, nothing that turns the direction of a line.
func Visible(r rune) rune {
	if r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
		return -1
	}
	return r
}

// CleanLines keeps of somebody's text what can be read: valid UTF-8 without a byte order mark, and what Visible keeps.
func CleanLines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\ufeff', r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, s)
}
