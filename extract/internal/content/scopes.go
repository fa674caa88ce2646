package content

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// farLevels is how many levels up an element is looked for; beyond it is none.
const farLevels = 15

// A scope is an element that holds blocks, with what it holds.
type scope struct {
	node     *html.Node
	parent   *scope
	depth    int
	groups   [groupCount]uint8 // levels up to the nearest element of the group
	tags     [scopeTags]uint8  // the same for some elements
	text     int               // bytes
	linked   int
	blocks   int
	long     int // bytes in blocks that read like prose
	headings int
	first    int // index of its first block
	last     int
	shape    uint64  // of its tag and class names
	score    float32 // of its own paragraphs, and half of that of the elements in it
	path     uint64  // of its shape and those of the two elements around it
	children map[uint64]*alike
}

// alike are the children of one element that share tag and class names.
type alike struct{ count, text, linked int }

// Elements that a block may stand in.
const (
	tagArticle = iota
	tagMain
	tagHeader
	tagFooter
	tagNav
	tagAside
	tagForm
	tagTable
	tagFigure
	tagList
	tagSection
	tagLink
	tagQuote
	scopeTags
)

func tagOf(a atom.Atom) int {
	switch a {
	case atom.Article:
		return tagArticle
	case atom.Main:
		return tagMain
	case atom.Header:
		return tagHeader
	case atom.Footer:
		return tagFooter
	case atom.Nav:
		return tagNav
	case atom.Aside:
		return tagAside
	case atom.Form:
		return tagForm
	case atom.Table:
		return tagTable
	case atom.Figure, atom.Figcaption:
		return tagFigure
	case atom.Ul, atom.Ol, atom.Dl:
		return tagList
	case atom.Section:
		return tagSection
	case atom.A:
		return tagLink
	case atom.Blockquote:
		return tagQuote
	}
	return -1
}

// scopes finds the elements around the blocks.
type scopes struct {
	of   map[*html.Node]*scope
	root *scope
}

func newScopes(blocks []block.Block) *scopes {
	s := &scopes{of: make(map[*html.Node]*scope, len(blocks)*2), root: &scope{first: -1}}
	for g := range s.root.groups {
		s.root.groups[g] = farLevels
	}
	for t := range s.root.tags {
		s.root.tags[t] = farLevels
	}
	for i, b := range blocks {
		size := len(b.Text) - b.Marker
		prose := b.Linked*3 < size && size >= 100
		for c := s.at(b.Element); c != nil; c = c.parent {
			if c.blocks == 0 {
				c.first = i
			}
			c.text, c.linked, c.blocks, c.last = c.text+size, c.linked+b.Linked, c.blocks+1, i
			if prose {
				c.long += size
			}
			if b.Kind == block.Heading {
				c.headings++
			}
		}
	}
	for _, c := range s.of {
		if c.parent == nil {
			continue
		}
		if c.parent.children == nil {
			c.parent.children = map[uint64]*alike{}
		}
		a := c.parent.children[c.shape]
		if a == nil {
			a = &alike{}
			c.parent.children[c.shape] = a
		}
		a.count, a.text, a.linked = a.count+1, a.text+c.text, a.linked+c.linked
	}
	return s
}

func (s *scopes) at(n *html.Node) *scope {
	if n == nil || n.Type != html.ElementNode || n.DataAtom == atom.Body || n.DataAtom == atom.Html {
		return s.root
	}
	if c := s.of[n]; c != nil {
		return c
	}
	parent := s.at(n.Parent)
	c := &scope{node: n, parent: parent, depth: parent.depth + 1}
	for g, levels := range parent.groups {
		c.groups[g] = min(levels+1, farLevels)
	}
	for t, levels := range parent.tags {
		c.tags[t] = min(levels+1, farLevels)
	}
	if t := tagOf(n.DataAtom); t >= 0 {
		c.tags[t] = 0
	}
	c.shape = uint64(n.DataAtom)
	var room [tree.FewNames]string
	words := room[:0]
	for i, key := range [...]string{"class", "id", "itemprop"} {
		names := text.Prefix(tree.Attribute(n, key), tree.MaxAttribute)
		if i == 1 && idIsAddress(n) {
			continue
		}
		for name, rest := tree.NextName(names); name != ""; name, rest = tree.NextName(rest) {
			words = tree.SplitName(words[:0], name)
			if i == 0 {
				for _, r := range name {
					c.shape = c.shape*31 + uint64(r)
				}
			}
			if len(words) > 5 {
				continue
			}
			for _, word := range words {
				if g, known := groupWords[word]; known {
					c.groups[g] = 0
				}
			}
		}
	}
	c.path = c.shape
	if parent.node != nil {
		c.path = c.path*1_000_003 + parent.shape
		if parent.parent != nil && parent.parent.node != nil {
			c.path = c.path*1_000_003 + parent.parent.shape
		}
	}
	s.of[n] = c
	return c
}

// idIsAddress tells elements whose id is an address within the text, made of its words.
func idIsAddress(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Section, atom.Dt, atom.Dd, atom.Dl, atom.P, atom.Li, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// center is the element that holds most of a page's prose: from the body down, the child with nearly all of it.
func (s *scopes) center(blocks []block.Block) *scope {
	best, bestScore := s.root, float64(-1)
	for _, c := range s.of {
		if c.long == 0 {
			continue
		}
		density := float64(c.long) / float64(c.text+40*c.blocks)
		score := float64(c.long) * density * density
		if score > bestScore || score == bestScore && (c.depth > best.depth || c.depth == best.depth &&
			c.first < best.first) {
			best, bestScore = c, score
		}
	}
	return best
}

// rate gives the element around each paragraph points for its length and its commas, and half of them to the next one
// around. It returns the element with most points for its share of links.
func (s *scopes) rate(blocks []block.Block, letters []lettering) (top *scope) {
	for i, b := range blocks {
		size := len(b.Text) - b.Marker
		if size < 60 || b.Linked*3 > size || b.Kind == block.Heading || b.Boiler == tree.Remarks ||
			b.Boiler == tree.Navigation || b.Boiler == tree.Margin {
			continue
		}
		points := 1 + float32(min(letters[i].commas, 10)) + min(float32(size)/100, 4)
		c := s.at(b.Element)
		if c.parent != nil && c.blocks == 1 {
			c = c.parent
		}
		c.score += points
		if c.parent != nil {
			c.parent.score += points / 2
		}
	}
	top = s.root
	best := float32(-1)
	for i := range blocks {
		for c, up := s.at(blocks[i].Element), 0; c != nil && up < 4; c, up = c.parent, up+1 {
			if score := c.score * (1 - ratio(c.linked, c.text)); score > best {
				top, best = c, score
			}
		}
	}
	return top
}

// climb is the nearest element around c that holds more blocks than it.
func climb(c *scope) *scope {
	at := c
	for at.parent != nil && at.blocks == c.blocks {
		at = at.parent
	}
	return at
}

func holds(outer, c *scope) bool {
	for ; c != nil; c = c.parent {
		if c == outer {
			return true
		}
	}
	return false
}

// commonDepth is the depth of the innermost element around both.
func commonDepth(a, b *scope) int {
	for a.depth > b.depth {
		a = a.parent
	}
	for b.depth > a.depth {
		b = b.parent
	}
	for a != b {
		a, b = a.parent, b.parent
	}
	return a.depth
}
