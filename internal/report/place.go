package report

import (
	"fmt"
	"sort"

	"github.com/citewell/citewell"
	"github.com/yuin/goldmark/ast"
)

// placeAt is the place that has a byte of the content, -1 where none has, and where the
// content changes from it to the next.
func (c *contentWriter) placeAt(offset int) (place, until int) {
	return spanAt(len(c.places), func(i int) (start, end int) {
		return c.places[i].Start, c.places[i].End
	}, offset, len(c.source))
}

// boldAt says whether a byte of the content is of a figure that is set bold, and where that changes.
func (c *contentWriter) boldAt(offset int) (bold bool, until int) {
	i, until := spanAt(len(c.figures), func(i int) (start, end int) {
		return c.figures[i].start, c.figures[i].end
	}, offset, len(c.source))
	return i >= 0, until
}

// spanAt gives which of n spans, that follow each other in size bytes, has the one at an
// offset, -1 where none has, and where that changes.
func spanAt(n int, bounds func(int) (start, end int), offset, size int) (which, until int) {
	i := sort.Search(n, func(i int) bool { _, end := bounds(i); return end > offset })
	if i == n {
		return -1, size
	}
	start, end := bounds(i)
	if start > offset {
		return -1, start
	}
	return i, end
}

// findLast notes where the last words of each place end.
func (c *contentWriter) findLast(root ast.Node) {
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which has no errors of its own
		words, ok := n.(*ast.Text)
		for at := 0; entering && ok && words.Segment.Start+at < words.Segment.Stop; {
			place, until := c.placeAt(words.Segment.Start + at)
			until = min(until, words.Segment.Stop)
			if place >= 0 {
				c.last[place] = until
			}
			at = until - words.Segment.Start
		}
		return ast.WalkContinue, nil
	})
}

// class opens the element of a sentence, where the words are of one.
func (c *contentWriter) class() string {
	if c.at < 0 || c.verbatim { // a link and code have a look of their own
		return ""
	}
	p, class := c.places[c.at], "said"
	if v := standing(c.report, p); v != citewell.VerdictSupported {
		class += " " + string(v)
	}
	if p.Finding < 0 {
		return fmt.Sprintf(`<span class="%s">`, class)
	}
	return fmt.Sprintf(`<span class="%s" data-f="%d">`, class, p.Finding+1)
}
