package extract

import (
	"context"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// blockElements start and end a block; every other element is part of a line.
var blockElements = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true,
	atom.Caption: true, atom.Center: true, atom.Dd: true, atom.Details: true, atom.Dir: true, atom.Div: true,
	atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.H5: true, atom.H6: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true, atom.Html: true,
	atom.Legend: true, atom.Li: true, atom.Listing: true, atom.Main: true, atom.Menu: true, atom.Nav: true,
	atom.Ol: true, atom.P: true, atom.Plaintext: true, atom.Pre: true, atom.Section: true, atom.Summary: true,
	atom.Table: true, atom.Tbody: true, atom.Td: true, atom.Tfoot: true, atom.Th: true, atom.Thead: true,
	atom.Tr: true, atom.Ul: true, atom.Xmp: true,
}

var headingLevels = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}

// render reads the blocks under root, in order.
func render(ctx context.Context, root *html.Node) []block {
	r := &renderer{site: newSite(root), watch: &watch{ctx: ctx}}
	r.walk(root, place{element: root})
	r.flush()
	return r.blocks
}

// place is what the elements around a node make of its text.
type place struct {
	kind    blockKind
	level   int
	list    int  // number of the list around it, 0 for none
	depth   int  // lists around it
	terms   int  // lists of terms around it
	ordered bool // the list around it counts
	boiler  boilerplate
	element *html.Node
	linked  bool
}

// A renderer gathers inline text until a block ends.
type renderer struct {
	watch   *watch
	site    *site
	blocks  []block
	line    inline
	current place
	leaves  []*html.Node
	linked  int
	lists   int
	marker  string      // waits for the first text of a list item
	numbers map[int]int // next number of each ordered list
}

func (r *renderer) walk(n *html.Node, p place) {
	for c := n.FirstChild; c != nil && !r.watch.ended(); c = c.NextSibling {
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
	if !blockElements[n.DataAtom] && !strings.Contains(attribute(n, "style"), "display:block") {
		r.inline(n, p)
		return
	}
	r.flush()
	p.element, p.boiler = n, r.site.judge(n, p.boiler)
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if p.kind, p.level = heading, headingLevels[n.DataAtom]; inCallout(n) {
			p.kind = paragraph // "Note" above a note begins no section
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		r.preformatted(n, p)
		return
	case atom.Table:
		if r.dataTable(n, p) {
			return
		}
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		if p.depth == 0 || p.list == 0 || p.kind != item {
			r.lists++
			p.list = r.lists
		}
		p.depth++
		p.ordered = n.DataAtom == atom.Ol
		r.countFrom(p, attribute(n, "start"))
	case atom.Li:
		r.listItem(n, p)
		return
	case atom.Dl:
		r.lists++
		p.list, p.terms = r.lists, p.terms+1
	case atom.Dt:
		p.kind, p.level = term, p.terms
	case atom.Dd:
		p.kind, p.level = explanation, p.terms
	}
	r.walk(n, p)
	r.flush()
}

func (r *renderer) inline(n *html.Node, p place) {
	switch n.DataAtom {
	case atom.A:
		p.linked = p.linked || attribute(n, "href") != ""
	case atom.Wbr:
		return
	case atom.Q:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "“"}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: "”"})
		rename(n, atom.Span)
	case atom.Sup:
		r.superscript(n, p)
		return
	case atom.Sub:
		r.subscript(n, p)
		return
	case atom.Rt:
		n.InsertBefore(&html.Node{Type: html.TextNode, Data: "("}, n.FirstChild)
		n.AppendChild(&html.Node{Type: html.TextNode, Data: ")"})
		rename(n, atom.Span)
	}
	r.walk(n, p)
}

func (r *renderer) countFrom(p place, start string) {
	if !p.ordered {
		return
	}
	if r.numbers == nil {
		r.numbers = map[int]int{}
	}
	first, err := strconv.Atoi(start)
	if err != nil || first < 0 || first > 1_000_000 {
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
		r.marker = indent + strconv.Itoa(r.numbers[p.depth]) + ". "
		r.numbers[p.depth]++
	}
	p.kind, p.level = item, p.depth
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
	b := block{kind: r.current.kind, level: r.current.level, text: text, list: r.current.list, terms: r.current.terms,
		leaves: leaves, linked: linked, boiler: r.current.boiler, element: r.current.element}
	switch b.kind {
	case item:
		if r.marker == "" {
			b.kind = paragraph // a further paragraph of the same item
		}
		b.text, b.marker, r.marker = r.marker+b.text, len(r.marker), ""
	case heading:
		b.text = strings.ReplaceAll(b.text, "\n", " ")
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
	text := codeText(b.String())
	if text == "" {
		return
	}
	r.marker = ""
	r.blocks = append(r.blocks, block{kind: code, text: text, terms: p.terms, leaves: leaves, boiler: p.boiler, element: n})
}

// codeText drops blank lines around code and spaces at line ends, nothing else.
func codeText(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ").Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}
