// Package xmltree reads XML as a tree of elements, without its entities.
//
// Units: elements and depth are capped, see the constants.
// Errors: deadline.ErrCut, and those of encoding/xml.
package xmltree

import (
	"bytes"
	"context"
	"encoding/xml"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/citewell/citewell/extract/internal/deadline"
)

// An Node is an element, or a text when it has no name. Names are without their
// prefixes: the documents that are read so use no name in two meanings.
type Node struct {
	Name  string
	Space string // address of the name's space
	Text  string
	Attrs []xml.Attr
	Kids  []*Node
}

// Caps on a tree.
const (
	maxXMLNodes = 3_000_000
	maxDepth    = 256 // deeper elements are left out
)

// Read reads what it can: a tree that ends early is better than none. It knows XML's five entities and HTML's.
func Read(ctx context.Context, b []byte) (*Node, error) {
	decoder := xml.NewDecoder(deadline.Reader(ctx, bytes.NewReader(b)))
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &Node{}
	open := []*Node{root}
	deep := 0
	for nodes := 0; nodes < maxXMLNodes; nodes++ {
		token, err := decoder.Token()
		if ctx.Err() != nil {
			return nil, deadline.ErrCut
		}
		if err != nil {
			break
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxDepth {
				deep++
				continue
			}
			n := &Node{Name: t.Name.Local, Space: t.Name.Space, Attrs: t.Attr}
			top.Kids = append(top.Kids, n)
			open = append(open, n)
		case xml.EndElement:
			if deep > 0 {
				deep--
			} else if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if deep == 0 {
				top.Kids = append(top.Kids, &Node{Text: string(t)})
			}
		}
	}
	return root, nil
}

// Attr is an attribute's value by its name without a prefix.
func (n *Node) Attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Kid is the first child of that name, or an empty node.
func (n *Node) Kid(names ...string) *Node {
	for _, name := range names {
		next := &Node{}
		for _, k := range n.Kids {
			if k.Name == name {
				next = k
				break
			}
		}
		n = next
	}
	return n
}

// All are the elements of that name at any depth, in order, none within another.
func (n *Node) All(name string) []*Node {
	var found []*Node
	for _, k := range n.Kids {
		if k.Name == name {
			found = append(found, k)
		} else if k.Name != "" {
			found = append(found, k.All(name)...)
		}
	}
	return found
}

// Words is all the text within n.
func (n *Node) Words() string {
	if len(n.Kids) == 1 && n.Kids[0].Name == "" {
		return n.Kids[0].Text
	}
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	b.WriteString(n.Text)
	for _, k := range n.Kids {
		k.write(b)
	}
}

// Markup writes the elements of n as HTML, without attributes but an address.
func (n *Node) Markup() string {
	var b strings.Builder
	n.writeMarkup(&b)
	return b.String()
}

func (n *Node) writeMarkup(b *strings.Builder) {
	for _, k := range n.Kids {
		if k.Name == "" {
			b.WriteString(html.EscapeString(k.Text))
			continue
		}
		b.WriteString("<" + k.Name)
		if address := k.Attr("href"); address != "" {
			b.WriteString(` href="` + html.EscapeString(address) + `"`)
		}
		b.WriteString(">")
		k.writeMarkup(b)
		b.WriteString("</" + k.Name + ">")
	}
}

// HoldsElements says whether n has elements within it.
func (n *Node) HoldsElements() bool {
	return slices.ContainsFunc(n.Kids, func(k *Node) bool { return k.Name != "" })
}

// IsProse tells an element most of whose words are its own: those within it are emphasis, links and the like.
func (n *Node) IsProse() bool {
	own, all := 0, len(strings.TrimSpace(n.Words()))
	for _, k := range n.Kids {
		if k.Name == "" {
			own += len(strings.TrimSpace(k.Text))
		}
	}
	return own*2 >= all
}
