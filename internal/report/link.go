package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// webURL is what is written as a link; anything else is written as text.
var webURL = lazyregexp.New(`(?i)^https?://[^/?#]`)

// plainPath is what no Markdown reader reads anything into.
const plainPath = `(?:[-.:/?#@!&=%+,'()]|/~|[a-zA-Z0-9]+(?:_[a-zA-Z0-9]+)*)*`

var (
	// bareURL is a URL that readers with a taste for links take as one whole when it stands alone.
	bareURL = lazyregexp.New(`^https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]+(?::\d+)?(?:[/?#]` + plainPath + `)?$`)
	// bareFile is a file's URL, which none of them makes a link of.
	bareFile = lazyregexp.New(`^file:///` + plainPath + `$`)
)

// entity is what a reader of Markdown or HTML would turn into another character.
var entity = lazyregexp.New(`&#?[0-9A-Za-z]+;`)

// link writes a URL. It is the one place where a URL becomes a link: bare where that is safe, else in angle brackets,
// with what cannot stand there percent-encoded. What is no web address is written as words.
func link(url string) string {
	if bareFile.MatchString(url) {
		return url
	}
	if !webURL.MatchString(url) {
		return inline(url)
	}
	if bareURL.MatchString(url) && endsOpenly(url) {
		return url
	}
	var b strings.Builder
	b.WriteByte('<')
	for i := 0; i < len(url); {
		r, size := utf8.DecodeRuneInString(url[i:])
		bad := r == utf8.RuneError || r == '<' || r == '>' || r == '\\' || unicode.IsSpace(r) || unicode.IsControl(r) ||
			unicode.Is(unicode.Cf, r)
		for _, c := range []byte(url[i : i+size]) {
			if bad {
				fmt.Fprintf(&b, "%%%02X", c)
			} else {
				b.WriteByte(c)
			}
		}
		i += size
	}
	b.WriteByte('>')
	return entity.ReplaceAllStringFunc(b.String(), func(s string) string { return s[:len(s)-1] + "%3B" })
}

// endsOpenly says whether a URL ends in nothing that would be taken for the punctuation after it.
func endsOpenly(url string) bool {
	last := url[len(url)-1]
	return letterOrDigit(rune(last)) || strings.IndexByte("/=-", last) >= 0 ||
		last == ')' && strings.Count(url, "(") == strings.Count(url, ")")
}
