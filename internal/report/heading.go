package report

import (
	"fmt"
	stdhtml "html"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/yuin/goldmark/ast"
)

// A Heading is one of a report's content.
type Heading struct {
	ID    string // of its element
	Level int    // 2 is the highest
	Words string
}

// topHeading is the level of the highest heading outside lists and quotations.
func topHeading(root ast.Node) int {
	top := 6
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			top = min(top, h.Level)
		}
	}
	return top
}

func (c *contentWriter) heading(n *ast.Heading) {
	h := Heading{ID: fmt.Sprintf("h%d", len(c.headings)+1), Level: min(max(n.Level-c.top, 0)+2, 6)}
	c.flush()
	before := c.w.Len()
	c.element(n, fmt.Sprintf(`h%d id="%s"`, h.Level, h.ID), "\n")
	h.Words = plain(stdhtml.UnescapeString(tags.ReplaceAllString(string(c.w.Bytes()[before:]), "")))
	c.headings = append(c.headings, h)
}

var tags = lazyregexp.New("<[^>]*>")
