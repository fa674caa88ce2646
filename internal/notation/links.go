package notation

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// A Link is a place of a Markdown text that leads to a page or a file.
type Link struct {
	text.Span
	Words  string // of [words](target); an address in the text has none
	Target string // as it is written
}

// Links are the links, pictures among them, and the addresses of a Markdown text in their
// order, as Numbered finds them. What code has is none.
func Links(content string) []Link {
	var links []Link
	code := codeSpans(content)
	var taken []text.Span
	for _, m := range link.FindAllStringSubmatchIndex(content, -1) {
		if !overlaps(code, m[0], m[1]) {
			span := text.Span{Start: m[0], End: m[1]}
			links, taken = append(links, Link{span, content[m[2]:m[3]], content[m[4]:m[5]]}), append(taken, span)
		}
	}
	for _, m := range bareAddress.FindAllStringIndex(content, -1) {
		address := content[m[0]:m[1]]
		if strings.Contains(address, "://") && !overlaps(code, m[0], m[1]) && !overlaps(taken, m[0], m[1]) {
			address = address[:addressEnd(address)]
			links = append(links, Link{text.Span{Start: m[0], End: m[0] + len(address)}, "",
				strings.TrimLeft(address, "<")})
		}
	}
	slices.SortFunc(links, func(a, b Link) int { return a.Start - b.Start })
	return links
}
