// Package charset reads the bytes of a page as UTF-8: by its byte order mark, by the declaration of its server or of
// the page itself, or by a guess that is marked as one.
//
// Units: the page's <meta> is searched for in its first 64 KiB.
// Errors: none; bytes that a character set does not have become U+FFFD.
package charset

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
)

// latin are charsets that servers and templates declare by habit, whatever they send.
var latin = map[string]bool{"windows-1252": true, "iso-8859-15": true, "iso-8859-2": true, "windows-1250": true}

// Decode turns body into valid UTF-8 and names the charset it was read as, as the Encoding standard does; degraded says
// that it is a guess. Bytes that the charset does not know become U+FFFD.
func Decode(body []byte, declared string, html bool) (text, name, degraded string) {
	name, known := charsetOf(body, declared, html)
	if !known {
		degraded = "the character set is a guess: " + name
	}
	switch name {
	case "utf-8":
		text = string(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	case "utf-16le", "utf-16be":
		order := unicode.LittleEndian
		if name == "utf-16be" {
			order = unicode.BigEndian
		}
		decoded, _ := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(body)
		text = string(decoded)
	default:
		e, _ := charset.Lookup(name)
		decoded, err := e.NewDecoder().Bytes(body)
		if err != nil && len(decoded) == 0 {
			decoded = body
		}
		text = string(decoded)
	}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return WellFormedText(text), name, degraded
}

// charsetOf decides by byte order mark, declared charset, <meta> (HTML only),
// valid UTF-8, the XML declaration, a guess, in this order, and mends two lies: valid
// UTF-8 with multi-byte characters is UTF-8 whatever Latin charset is declared, and
// what is declared as UTF-8 but is not, is read as the page's <meta> says or as
// windows-1252. known is false for the guess alone.
func charsetOf(body []byte, declared string, html bool) (name string, known bool) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return "utf-8", true
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return "utf-16le", true
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return "utf-16be", true
	}
	meta := ""
	if html {
		meta = metaCharset(body)
	}
	name = meta
	if _, known := charset.Lookup(declared); usable(known) {
		name = known
	}
	head := body[:min(len(body), prescanBytes)]
	valid, broken := countUTF8(head)
	isUTF8 := valid > 0 && broken == 0
	switch {
	case name == "" && isUTF8:
		return "utf-8", true
	case name == "":
		if _, broken := countUTF8(body); broken == 0 {
			return "utf-8", true
		}
		if name = prologCharset(body); name != "" {
			return name, true
		}
		return guessCharset(body), false
	case latin[name] && isUTF8:
		return "utf-8", true
	case name == "utf-8" && broken > valid:
		if meta != "" && meta != "utf-8" {
			return meta, true
		}
		return "windows-1252", true
	}
	return name, true
}

// usable leaves out the standard's "replacement", whose encodings have been used to smuggle markup.
func usable(name string) bool { return name != "" && name != "replacement" && name != "x-user-defined" }

// countUTF8 counts the multi-byte characters of b and the bytes that belong to none, but for one that b cuts.
func countUTF8(b []byte) (valid, broken int) {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		if !utf8.FullRune(b) {
			return valid, broken
		}
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			broken++
		} else {
			valid++
		}
		b = b[size:]
	}
	return valid, broken
}

// WellFormed drops what canonical text never holds: C0 and C1 controls, noncharacters, marks without width or that turn
// the reading direction, and tag characters, which can hide a text. Joiners stay: words of several scripts need them.
func WellFormed(r rune) rune {
	switch {
	case r >= ' ' && r < 0x7f, r == '\n', r == '\t', r == '\r':
		return r
	case r == '\f', r == '\v', r == '\u0085', r == '\u2028', r == '\u2029':
		return '\n'
	case r < ' ', r >= 0x7f && r < 0xa0,
		r == '\u00ad', r == '\u200b', r == '\u200e', r == '\u200f',
		r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u206f',
		r == '\ufeff', r >= '\ufff9' && r <= '\ufffb', r&0xfffe == 0xfffe,
		r >= 0xfdd0 && r <= 0xfdef, r >= 0xe0000 && r <= 0xe007f:
		return -1
	}
	return r
}

// plainBytes are those that WellFormed lets pass and that are a character alone.
var plainBytes = func() (plain [256]bool) {
	for c := range utf8.RuneSelf {
		plain[c] = WellFormed(rune(c)) == rune(c)
	}
	return plain
}()

// WellFormedText is strings.Map(WellFormed, s), quicker for plain bytes and well-formed text.
func WellFormedText(s string) string {
	var b strings.Builder
	kept := 0 // how much of s is in b
	for at := 0; at < len(s); {
		if plainBytes[s[at]] {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[at:])
		if to := WellFormed(r); to != r || r == utf8.RuneError && size == 1 {
			if kept == 0 {
				b.Grow(len(s))
			}
			b.WriteString(s[kept:at])
			if kept = at + size; to >= 0 {
				b.WriteRune(to)
			}
		}
		at += size
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}
