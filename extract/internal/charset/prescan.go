package charset

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// prescanBytes is how far a <meta charset> is looked for. The HTML standard lets a parser stop after 1,024 bytes, but
// pages have long heads.
const prescanBytes = 64 << 10

// metaCharset finds the charset that an HTML page's <meta> declares, by its name in the Encoding standard and the
// standard's "prescan a byte stream", which knows comments but no scripts. It is empty if the page declares none.
func metaCharset(body []byte) string {
	b := body[:min(len(body), prescanBytes)]
	for len(b) > 0 {
		i := bytes.IndexByte(b, '<')
		if i < 0 || i+1 >= len(b) {
			return ""
		}
		b = b[i:]
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			end := bytes.Index(b[2:], []byte("-->"))
			if end < 0 {
				return ""
			}
			b = b[2+end+3:]
		case b[1] == '!' || b[1] == '?':
			b = after(b, '>')
		case IsLetter(b[1]) || b[1] == '/' && len(b) > 2 && IsLetter(b[2]):
			tag := wholeTag(b)
			if tag == nil {
				return ""
			}
			if name := charsetOfMeta(tag); name != "" {
				return name
			}
			b = b[len(tag):]
		case b[1] == '/':
			b = after(b, '>')
		default:
			b = b[1:]
		}
	}
	return ""
}

// charsetOfMeta reads one tag, of which only <meta> counts.
func charsetOfMeta(tag []byte) string {
	if len(tag) < 6 || !bytes.EqualFold(tag[1:5], []byte("meta")) ||
		!bytes.ContainsRune([]byte(" \t\n\f\r/"), rune(tag[5])) {
		return ""
	}
	tokens := html.NewTokenizer(bytes.NewReader(tag))
	tokens.Next()
	var direct, pragma, content string
	for _, a := range tokens.Token().Attr {
		switch a.Key {
		case "charset":
			direct = a.Val
		case "http-equiv":
			pragma = a.Val
		case "content":
			content = a.Val
		}
	}
	label := direct
	if label == "" && strings.EqualFold(pragma, "content-type") {
		label = charsetInContent(content)
	}
	e, name := charset.Lookup(label)
	switch {
	case e == nil:
		return ""
	case strings.HasPrefix(name, "utf-16"):
		return "utf-8" // it could not have been read so far if it were true
	case name == "x-user-defined":
		return "windows-1252"
	}
	return name
}

// charsetInContent finds X in "text/html; charset=X", with or without quotes.
func charsetInContent(content string) string {
	rest := strings.ToLower(content)
	for {
		_, after, found := strings.Cut(rest, "charset")
		if !found {
			return ""
		}
		rest = after
		value, found := strings.CutPrefix(strings.TrimLeft(after, " \t\n\f\r"), "=")
		if !found {
			continue
		}
		value = strings.TrimLeft(value, " \t\n\f\r")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			quoted, _, closed := strings.Cut(value[1:], value[:1])
			if !closed {
				return ""
			}
			return quoted
		}
		if end := strings.IndexAny(value, "; \t\n\f\r"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}

// wholeTag returns the tag at the start of b up to its closing bracket, which no quote holds; nil when b ends first.
func wholeTag(b []byte) []byte {
	var quote byte
	value := false // after "=", where a quote opens a value
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return b[:i+1]
		case value && (c == '"' || c == '\''):
			quote, value = c, false
		case c == '=':
			value = true
		case c != ' ' && c != '\t' && c != '\n' && c != '\f' && c != '\r':
			value = false
		}
	}
	return nil
}

func after(b []byte, c byte) []byte {
	i := bytes.IndexByte(b, c)
	if i < 0 {
		return nil
	}
	return b[i+1:]
}

// IsLetter says whether c is a letter of ASCII.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
