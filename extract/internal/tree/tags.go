package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
)

// tags goes through a page as html.Tokenizer does, by tag, comment or text, without attributes and copies: it looks for
// the next tag. FuzzTags holds that both cut every page alike.
type tags struct {
	page string
	at   int    // where the part before ended
	raw  string // the element that has just begun, if nothing but text can be in it
}

// A part of a page, as it is written in page[start:end].
type part struct {
	kind       html.TokenType // an error at the end of the page
	start, end int
	tag        atom.Atom // of a tag; 0 where its name is none of the standard's
	raw        bool      // text in an element such as <script>
}

// rawElements have text in them that only their own end tag ends.
var rawElements = map[atom.Atom]bool{
	atom.Iframe: true, atom.Noembed: true, atom.Noframes: true, atom.Noscript: true, atom.Plaintext: true,
	atom.Script: true, atom.Style: true, atom.Textarea: true, atom.Title: true, atom.Xmp: true,
}

func (t *tags) next() part {
	start := t.at
	if raw := t.raw; raw != "" {
		t.raw = ""
		t.at = start + rawEnd(t.page[start:], raw)
		if t.at > start {
			return part{kind: html.TextToken, start: start, end: t.at, raw: true}
		}
	}
	at := start
	for {
		i := strings.IndexByte(t.page[at:], '<')
		if at += i + 1; i < 0 || at == len(t.page) {
			return t.rest(start)
		}
		if c := t.page[at]; charset.IsLetter(c) || c == '/' || c == '!' || c == '?' {
			break
		}
	}
	if at-1 > start {
		t.at = at - 1
		return part{kind: html.TextToken, start: start, end: t.at}
	}
	switch c := t.page[at]; {
	case charset.IsLetter(c):
		return t.tag(start, at, html.StartTagToken)
	case c == '/' && at+1 == len(t.page):
		return t.rest(start)
	case c == '/' && charset.IsLetter(t.page[at+1]):
		return t.tag(start, at+1, html.EndTagToken)
	case strings.HasPrefix(t.page[at:], "!--"):
		t.at = at + 3 + commentEnd(t.page[at+3:])
	case c == '!' && len(t.page)-at < 3:
		t.at = len(t.page)
	default:
		t.at = behind(t.page, at+1, '>')
	}
	return part{kind: html.CommentToken, start: start, end: t.at}
}

// rest is the text after the last tag, or the end.
func (t *tags) rest(start int) part {
	if t.at = len(t.page); start < t.at {
		return part{kind: html.TextToken, start: start, end: t.at}
	}
	return part{kind: html.ErrorToken, start: start, end: start}
}

// behind is the place after the next c in s[from:], or the end of s.
func behind(s string, from int, c byte) int {
	if i := strings.IndexByte(s[from:], c); i >= 0 {
		return from + i + 1
	}
	return len(s)
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// endsName tells the bytes that may follow the name of an element.
func endsName(c byte) bool { return isBlank(c) || c == '/' || c == '>' }

// tag reads the tag whose name begins at name. A page that ends in it has no tag there.
func (t *tags) tag(start, name int, kind html.TokenType) part {
	s, at := t.page, name
	for at < len(s) && !endsName(s[at]) {
		at++
	}
	found := atomOf(s[name:at])
	bare := false // the last attribute's value stands without quotes up to the tag's end
	for {
		for at < len(s) && isBlank(s[at]) {
			at++
		}
		if at >= len(s) {
			t.at = len(s)
			return part{kind: html.ErrorToken, start: start, end: start}
		}
		if s[at] == '>' {
			break
		}
		at, bare = attributeEnd(s, at)
	}
	t.at = at + 1
	if kind == html.StartTagToken {
		if s[at-1] == '/' && !bare {
			kind = html.SelfClosingTagToken
		}
		if rawElements[found] {
			t.raw = found.String()
		}
	}
	return part{kind: kind, start: start, end: t.at, tag: found}
}

// attributeEnd is the place after the attribute at at, and whether it is unquoted and the end of the tag follows.
func attributeEnd(s string, at int) (end int, bare bool) {
	skip := func() {
		for at < len(s) && isBlank(s[at]) {
			at++
		}
	}
	if at < len(s) && s[at] == '=' {
		at++ // a name may begin so
	}
	for at < len(s) && !endsName(s[at]) && s[at] != '=' {
		at++
	}
	if skip(); at >= len(s) || s[at] != '=' {
		if at < len(s) && s[at] == '/' {
			at++
		}
		return at, false
	}
	at++
	if skip(); at >= len(s) || s[at] == '>' {
		return at, false
	}
	if quote := s[at]; quote == '"' || quote == '\'' {
		return behind(s, at+1, quote), false
	}
	for at < len(s) && !isBlank(s[at]) && s[at] != '>' {
		at++
	}
	return at, at < len(s) && s[at] == '>'
}

// atomOf looks a name up whatever its case.
func atomOf(name string) atom.Atom {
	var lower [24]byte // no name of the standard is longer
	if len(name) > len(lower) {
		return 0
	}
	for i := range len(name) {
		c := name[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return atom.Lookup(lower[:len(name)])
}

// commentEnd is the place after the comment that begins s, without its "<!--".
func commentEnd(s string) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '>')
		if i < 0 {
			return len(s)
		}
		words := s[:at+i]
		if strings.HasSuffix(words, "--") || strings.HasSuffix(words, "--!") || at == 0 &&
			strings.Trim(words, "-") == "" {
			return at + i + 1
		}
		at += i + 1
	}
}

// rawEnd is the length of the text in an element that has just begun.
func rawEnd(s, element string) int {
	switch element {
	case "plaintext":
		return len(s)
	case "script":
		return scriptEnd(s)
	}
	for at := 0; ; at++ {
		i := strings.Index(s[at:], "</")
		if i < 0 {
			return len(s)
		}
		if at += i; isNamed(s[at+2:], element) {
			return at
		}
	}
}

// isNamed reports whether s begins with a whole name.
func isNamed(s, name string) bool {
	return len(s) > len(name) && endsName(s[len(name)]) && strings.EqualFold(s[:len(name)], name)
}

// scriptEnd is rawEnd of a script, in which what looks like a comment may hold what looks like a script of its own.
func scriptEnd(s string) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return len(s)
		}
		at += i + 1
		switch {
		case strings.HasPrefix(s[at:], "/") && isNamed(s[at+1:], "script"):
			return at - 1
		case strings.HasPrefix(s[at:], "!--"):
			var ended bool
			if at, ended = commentInScript(s, at+3); ended {
				return at
			}
		}
	}
}

// commentInScript reads from behind a "<!--" to where the script goes on, or ended where the script ends within.
func commentInScript(s string, at int) (place int, ended bool) {
	within := false // another script
	for dashes := 2; at < len(s); {
		c := s[at]
		at++
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			return at, false
		case c != '<':
		case strings.HasPrefix(s[at:], "/"):
			if isNamed(s[at+1:], "script") {
				if !within {
					return at - 1, true
				}
				within = false
				at += len("/script>")
			}
		case within:
		case isNamed(s[at:], "script"):
			within = true
			at += len("script>")
		case at < len(s) && !charset.IsLetter(s[at]):
			return at, false
		}
		dashes = 0
	}
	return len(s), false
}
