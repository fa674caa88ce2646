// Package tree makes a page's tree within limits of time and memory, and tells which elements hold text and which
// belong to the site around the page.
//
// Flow: page → tags (the weight of its tree) → tree, or a flat list of blocks.
// Units: lengths in bytes; parts are tags and texts.
// Errors: deadline.ErrCut; degraded says what could not be read as it stands.
package tree

import (
	"strings"
	"unicode"

	"github.com/citewell/citewell/internal/text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Inside says whether n stands in an element of one of these names.
func Inside(n *html.Node, atoms ...atom.Atom) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		for _, a := range atoms {
			if p.DataAtom == a {
				return true
			}
		}
	}
	return false
}

// MaxAttribute is what is kept of a class, id or style: longer ones are made to keep patterns busy.
const MaxAttribute = 512

// Attribute is the value of an attribute of n; empty where it has none.
func Attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// Classes are the class names of n in lower case, for NextName.
func Classes(n *html.Node) string {
	return strings.ToLower(text.Prefix(Attribute(n, "class"), MaxAttribute))
}

// NextName cuts the first of the names between white space, as strings.Fields does, without memory.
func NextName(names string) (name, rest string) {
	names = strings.TrimLeftFunc(names, unicode.IsSpace)
	for i, r := range names {
		if unicode.IsSpace(r) {
			return names[:i], names[i:]
		}
	}
	return names, ""
}

// Text is the text of n as it stands, without layout; for short elements.
func Text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
			if b.Len() > 4096 {
				break
			}
		}
	}
	return b.String()
}

var voidElement = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Br: true, atom.Col: true, atom.Embed: true, atom.Hr: true, atom.Img: true,
	atom.Input: true, atom.Link: true, atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// Element makes an element without attributes.
func Element(a atom.Atom) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: a.String(), DataAtom: a}
}

// Count is how many elements there are below root.
func Count(root *html.Node) int {
	n := 0
	for c := range root.Descendants() {
		if c.Type == html.ElementNode {
			n++
		}
	}
	return n
}

// BodyOf is the body of a page, or root where it has none.
func BodyOf(root *html.Node) *html.Node {
	for c := range root.Descendants() {
		if c.DataAtom == atom.Body {
			return c
		}
	}
	return root
}

// AllText is the text of a script, whole.
func AllText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// BlockElements start and end a block; every other element is part of a line.
var BlockElements = map[atom.Atom]bool{
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

// Rename makes n an element of another name.
func Rename(n *html.Node, a atom.Atom) { n.Data, n.DataAtom = a.String(), a }
