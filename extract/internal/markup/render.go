// Package markup turns a page's tree into blocks, links and Markdown. Formats that are first turned into such a tree
// (office documents, feeds, Markdown) end here too.
//
// Flow: tree → Clean (removes invisible text) → Render (blocks) → Links, Markdown.
// Units: lengths in bytes of UTF-8.
// Errors: deadline.ErrCut. A walk that runs out of time leaves the rest undone.
package markup

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/tree"
)

// Render reads the blocks under root, in order.
func Render(ctx context.Context, root *html.Node) []block.Block {
	r := &renderer{site: tree.NewSite(root), watch: &deadline.Watch{Ctx: ctx}}
	r.walk(root, place{element: root})
	r.flush()
	return r.blocks
}

// place is what the elements around a node make of its text.
type place struct {
	kind    block.Kind
	level   int
	list    int  // number of the list around it, 0 for none
	depth   int  // lists around it
	terms   int  // lists of terms around it
	ordered bool // the list around it counts
	boiler  tree.Boilerplate
	element *html.Node
	linked  bool
}

// A renderer gathers inline text until a block ends.
type renderer struct {
	watch   *deadline.Watch
	site    *tree.Site
	blocks  []block.Block
	line    inline
	current place
	leaves  []*html.Node
	linked  int
	lists   int
	marker  string      // waits for the first text of a list item
	numbers map[int]int // next number of each ordered list
}

func (r *renderer) walk(n *html.Node, p place) {
	for c := n.FirstChild; c != nil && !r.watch.Ended(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			r.text(c, p)
		case html.ElementNode:
			r.element(c, p)
		}
	}
}

func (r *renderer) text(n *html.Node, p place) {
	if r.line.empty() {
		r.current = p
	}
	before := r.line.b.Len()
	r.line.write(n.Data)
	if r.line.b.Len() > before || len(r.leaves) > 0 {
		r.leaves = append(r.leaves, n)
	}
	if p.linked {
		r.linked += r.line.b.Len() - before
	}
}

func (r *renderer) element(n *html.Node, p place) {
	switch n.DataAtom {
	case atom.Br:
		r.line.lineBreak()
		return
	case atom.Head, atom.Script, atom.Title: // kept for their metadata
		return
	}
	if !tree.BlockElements[n.DataAtom] && !styledAsBlock(n) {
		r.inline(n, p)
		return
	}
	r.flush()
	p.element, p.boiler = n, r.site.Judge(n, p.boiler)
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if p.kind, p.level = block.Heading, block.HeadingLevels[n.DataAtom]; tree.InCallout(n) {
			p.kind = block.Paragraph // "Note" above a note begins no section
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		r.preformatted(n, p)
		return
	case atom.Table:
		if r.dataTable(n, p) {
			return
		}
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		if p.depth == 0 || p.list == 0 || p.kind != block.Item {
			r.lists++
			p.list = r.lists
		}
		p.depth++
		p.ordered = n.DataAtom == atom.Ol
		r.countFrom(p, tree.Attribute(n, "start"))
	case atom.Li:
		r.listItem(n, p)
		return
	case atom.Dl:
		r.lists++
		p.list, p.terms = r.lists, p.terms+1
	case atom.Dt:
		p.kind, p.level = block.Term, p.terms
	case atom.Dd:
		p.kind, p.level = block.Explanation, p.terms
	}
	r.walk(n, p)
	r.flush()
}

func styledAsBlock(n *html.Node) bool {
	return strings.Contains(tree.Attribute(n, "style"), "display:block")
}

func (r *renderer) inline(n *html.Node, p place) {
	switch n.DataAtom {
	case atom.A:
		p.linked = p.linked || tree.Attribute(n, "href") != ""
	case atom.Wbr:
		return
	case atom.Q:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "“"}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: "”"})
		tree.Rename(n, atom.Span)
	case atom.Sup:
		r.superscript(n, p)
		return
	case atom.Sub:
		r.subscript(n, p)
		return
	case atom.Rt:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "("}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: ")"})
		tree.Rename(n, atom.Span)
	}
	r.walk(n, p)
}

// highestNumber is the highest that a list is counted from.
const highestNumber = 1_000_000

func (r *renderer) countFrom(p place, start string) {
	if !p.ordered {
		return
	}
	if r.numbers == nil {
		r.numbers = map[int]int{}
	}
	first, err := strconv.Atoi(start)
	if err != nil || first < 0 || first > highestNumber {
		first = 1
	}
	r.numbers[p.depth] = first
}

func (r *renderer) listItem(n *html.Node, p place) {
	if p.depth == 0 {
		r.lists++
		p.list, p.depth = r.lists, 1
	}
	indent := strings.Repeat("  ", min(p.depth-1, 8))
	r.marker = indent + "- "
	if p.ordered {
		if own, err := strconv.Atoi(tree.Attribute(n, "value")); err == nil && own >= 0 && own <= highestNumber {
			r.numbers[p.depth] = own
		}
		r.marker = indent + strconv.Itoa(r.numbers[p.depth]) + ". "
		r.numbers[p.depth]++
	}
	p.kind, p.level = block.Item, p.depth
	r.walk(n, p)
	r.flush()
	r.marker = ""
}

// flush ends the block that has been gathered.
func (r *renderer) flush() {
	text := r.line.take()
	leaves, linked := r.leaves, r.linked
	r.leaves, r.linked = nil, 0
	if text == "" {
		return
	}
	b := block.Block{Kind: r.current.kind, Level: r.current.level, Text: text, List: r.current.list,
		Terms: r.current.terms, Leaves: leaves, Linked: linked, Boiler: r.current.boiler, Element: r.current.element}
	switch b.Kind {
	case block.Item:
		if r.marker == "" {
			b.Kind = block.Paragraph // a further paragraph of the same item
		}
		b.Text, b.Marker, r.marker = r.marker+b.Text, len(r.marker), ""
	case block.Heading:
		b.Text = strings.ReplaceAll(b.Text, "\n", " ")
	}
	r.blocks = append(r.blocks, b)
}

// preformatted keeps lines and indentation as they are.
func (r *renderer) preformatted(n *html.Node, p place) {
	var b strings.Builder
	var leaves []*html.Node
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(strings.ReplaceAll(c.Data, "\r\n", "\n"))
			leaves = append(leaves, c)
		case c.DataAtom == atom.Br:
			b.WriteByte('\n')
		case c.DataAtom == atom.Div || c.DataAtom == atom.Tr:
			if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") {
				b.WriteByte('\n')
			}
		}
	}
	text := block.CodeText(b.String())
	if text == "" {
		return
	}
	r.marker = ""
	r.blocks = append(r.blocks, block.Block{Kind: block.Code, Text: text, Terms: p.terms, Leaves: leaves,
		Boiler: p.boiler, Element: n})
}
