package block

import (
	"strings"

	"github.com/citewell/citewell/internal/text"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// FirstHeading is the text of the first heading; empty where there is none.
func FirstHeading(blocks []Block) string {
	for _, b := range blocks {
		if b.Kind == Heading {
			return text.Prefix(b.Text, 300)
		}
	}
	return ""
}

// Size is how many bytes of text the blocks have.
func Size(blocks []Block) int {
	n := 0
	for _, b := range blocks {
		n += len(b.Text)
	}
	return n
}

var slideHeading = lazyregexp.New(`^Slide [0-9]{1,6}$`)

// FirstTitle is the first heading that the document's author wrote: "Slide 7" is ours.
func FirstTitle(blocks []Block) string {
	for _, b := range blocks {
		if b.Kind == Heading && !slideHeading.MatchString(b.Text) {
			return text.Prefix(b.Text, 300)
		}
	}
	return FirstHeading(blocks)
}

// CodeText drops blank lines around code and spaces at line ends, nothing else.
func CodeText(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// IsItem tells the start of a list's item.
func IsItem(words string) bool {
	for _, mark := range []string{"- ", "* ", "+ ", "• ", "o "} {
		if strings.HasPrefix(words, mark) {
			return true
		}
	}
	digits := len(words) - len(strings.TrimLeft(words, "0123456789"))
	return digits > 0 && digits <= 3 && (strings.HasPrefix(words[digits:], ". ") ||
		strings.HasPrefix(words[digits:], ") "))
}

// HeadingLevels are those of the heading elements.
var HeadingLevels = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}
