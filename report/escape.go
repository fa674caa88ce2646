package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A page's words go into Markdown that people render and models read. They must
// arrive as words: no link, image, heading, HTML or terminal sequence of theirs may
// come to life.

// plain strips what has no place in a line of text: control, format (zero width,
// bidirectional) and tag characters; runs of white space become one space.
func plain(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			space = true
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

var (
	schemeColon = regexp.MustCompile(`(?i)\b(https?|ftp|mailto|javascript|data):`)
	wwwDot      = regexp.MustCompile(`(?i)\bwww\.`)
	blockStart  = regexp.MustCompile(`^(#{1,6}|[-+]|=+|~+|>|\d{1,9}[.)])`)
)

// inline makes s one line of Markdown text that renders as exactly these words.
func inline(s string) string {
	s = plain(s)
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch r {
		case '\\', '`', '*', '[', ']', '<', '|':
			b.WriteByte('\\')
		case '_':
			// Inside a word it means nothing, and names are full of it.
			if i == 0 || i == len(runes)-1 || !wordRune(runes[i-1]) || !wordRune(runes[i+1]) {
				b.WriteByte('\\')
			}
		case '&':
			if i+1 < len(runes) && (runes[i+1] == '#' || unicode.IsLetter(runes[i+1])) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
	}
	s = schemeColon.ReplaceAllString(b.String(), `$1\:`)
	s = wwwDot.ReplaceAllStringFunc(s, func(m string) string { return m[:3] + `\.` })
	if m := blockStart.FindString(s); m != "" {
		s = s[:len(m)-1] + `\` + s[len(m)-1:]
	}
	return s
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// address makes a URL fit to stand alone in a line: what could end it or mean
// something to Markdown is percent-encoded.
func address(url string) string {
	var b strings.Builder
	for _, c := range []byte(plain(url)) {
		if c <= ' ' || strings.IndexByte("<>[]`\"\\|*{}^", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// unescape undoes inline, as any Markdown reader does.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !wordRune(rune(c)) || c == '_' }

// quote puts s into a Markdown block quote, its lines kept.
func quote(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = inline(line)
		if line == "" {
			b.WriteString(">\n")
			continue
		}
		b.WriteString("> " + line + "\n")
	}
	return b.String()
}

// cut shortens s to at most n bytes at a word's end and says so with an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexFunc(s, unicode.IsSpace); i > n/2 {
		s = s[:i]
	}
	return strings.TrimRightFunc(s, unicode.IsSpace) + " …"
}
