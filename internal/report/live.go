package report

import (
	"strings"
	"unicode"

	"github.com/citewell/citewell"
)

// WebAddress is where a source can be opened; empty where it is not on the web.
func WebAddress(s citewell.Source) string {
	if url := address(s); webURL.MatchString(url) {
		return url
	}
	return ""
}

// Bounds of what a browser is asked to look for on a page.
const (
	wholeQuote = 120 // bytes of a quote that is looked for whole
	edgeWords  = 4   // of a longer one, its first and its last
)

// LiveAddress is WebAddress with a text fragment that has a browser show the quote, as far
// as the page still has it in one block.
func LiveAddress(s citewell.Source, quote string) string {
	url := WebAddress(s)
	words := strings.Fields(quote)
	if url == "" || len(words) == 0 {
		return url
	}
	url, _, _ = strings.Cut(url, "#")
	if len(quote) <= wholeQuote && !strings.Contains(quote, "\n") {
		return url + "#:~:text=" + fragment(words)
	}
	if len(words) < 2*edgeWords {
		return url + "#:~:text=" + fragment(words[:min(len(words), edgeWords)])
	}
	return url + "#:~:text=" + fragment(words[:edgeWords]) + "," + fragment(words[len(words)-edgeWords:])
}

// fragment encodes words for a text fragment, where a hyphen, a comma and an ampersand have
// a meaning of their own: all but letters and digits of ASCII.
func fragment(words []string) string {
	const hex = "0123456789ABCDEF"
	var w strings.Builder
	for _, b := range []byte(strings.Join(words, " ")) {
		if b < unicode.MaxASCII && (unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b))) {
			w.WriteByte(b)
			continue
		}
		w.Write([]byte{'%', hex[b>>4], hex[b&15]})
	}
	return w.String()
}
