package mcptools

import (
	"fmt"
	"strings"
	"unicode"
)

// Bounds of what a server says of a tool, in characters: every model that is offered
// the tool reads it each time.
const (
	maxTitle       = 200
	maxDescription = 8000
)

// clean keeps of a server's text what a person would see: no control character but
// line ends and tabs, none without width, none that turns the direction of a line, no
// tags. The joiners stay, which scripts and pictures are written with.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// about is what a server says of a tool, in most characters.
func about(s string, most int) string {
	runes := []rune(clean(s))
	if len(runes) <= most {
		return string(runes)
	}
	return fmt.Sprintf("%s … [cut: %d characters in all]", string(runes[:most]), len(runes))
}
