package markup

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// shownLate are the elements that hold most of a page and are hidden until a script shows them.
func shownLate(root *html.Node) map[*html.Node]bool {
	w := weighing{body: tree.BodyOf(root), late: map[*html.Node]int{}}
	w.size(root)
	late := map[*html.Node]bool{}
	for n, size := range w.late {
		if size >= 500 && size*2 >= w.total {
			late[n] = true
		}
	}
	return late
}

// A weighing visits every node once, however many hidden elements lie in each other.
type weighing struct {
	body   *html.Node
	total  int                // bytes of text in body
	late   map[*html.Node]int // bytes of text in each element that fades in
	visits int
}

// size is how many bytes of text n holds that are no scripts.
func (w *weighing) size(n *html.Node) int {
	size := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.visits++
		switch c.Type {
		case html.TextNode:
			size += len(strings.TrimSpace(c.Data))
		case html.ElementNode:
			if within := w.size(c); !tree.NeverText[c.DataAtom] {
				size += within
			}
		}
	}
	if n == w.body {
		w.total = size
	}
	if n.Type == html.ElementNode && fadesIn(n) {
		w.late[n] = size
	}
	return size
}

// fadesIn tells elements that a page hides only until it is loaded: an opacity that an animation ends, or React's
// streams.
func fadesIn(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "style":
			if strings.Contains(a.Val, "opacity") || strings.Contains(a.Val, "visibility") {
				return !strings.Contains(a.Val, "display") && tree.HidingStyle(text.Prefix(a.Val, tree.MaxAttribute))
			}
		case "id":
			if strings.HasPrefix(a.Val, "S:") && len(a.Val) < 6 {
				return true
			}
		}
	}
	return false
}
