package markup

import (
	"context"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/formula"
	"github.com/citewell/citewell/extract/internal/tree"
)

// Clean removes from root everything that is no visible text, in place: scripts, controls, comments, hidden and crossed
// out elements, tools' marks, and attributes that no later step reads. Structured data and <meta> in the head stay.
func Clean(ctx context.Context, root *html.Node) (revealed bool) {
	formula.Settle(&deadline.Watch{Ctx: ctx}, root)
	c := cleaner{late: shownLate(root), watch: deadline.Watch{Ctx: ctx}}
	c.clean(root)
	return len(c.late) > 0
}

// A cleaner knows the elements that hold most of a page and are hidden until a script shows them.
type cleaner struct {
	late  map[*html.Node]bool
	watch deadline.Watch
}

func (c *cleaner) clean(root *html.Node) {
	for n := root.FirstChild; n != nil && !c.watch.Ended(); {
		next := n.NextSibling
		if box := boxOf(n); box != nil {
			root.InsertBefore(box, n)
		}
		if n.DataAtom == atom.Img && keepPicture(n) {
			n = next
			continue
		}
		if tree.Unwanted(n) && !c.late[n] {
			root.RemoveChild(n)
		} else {
			switch n.Type {
			case html.ElementNode:
				n.Attr = tree.TrimAttributes(n)
			case html.TextNode:
				n.Data = charset.WellFormedText(n.Data) // a character reference can name any character
			}
			c.clean(n)
		}
		n = next
	}
}
