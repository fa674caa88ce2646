package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"strings"
)

// An xmlNode is an element, or a text when it has no name. Names are without their
// prefixes: the documents that are read so use no name in two meanings.
type xmlNode struct {
	name  string
	space string // address of the name's space
	text  string
	attrs []xml.Attr
	kids  []*xmlNode
}

// Caps on a tree.
const (
	maxXMLNodes = 3_000_000
	maxXMLDepth = 256 // deeper elements are left out
)

// readXML reads what it can: a tree that ends early is better than none. Entities
// are the five of XML and those of HTML; nothing outside the text is ever read.
func readXML(ctx context.Context, b []byte) (*xmlNode, error) {
	decoder := xml.NewDecoder(&stoppable{ctx, bytes.NewReader(b)})
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &xmlNode{}
	open := []*xmlNode{root}
	deep := 0
	for nodes := 0; nodes < maxXMLNodes; nodes++ {
		token, err := decoder.Token()
		if ctx.Err() != nil {
			return nil, errCut
		}
		if err != nil {
			break
		}
		top := open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) > maxXMLDepth {
				deep++
				continue
			}
			n := &xmlNode{name: t.Name.Local, space: t.Name.Space, attrs: t.Attr}
			top.kids = append(top.kids, n)
			open = append(open, n)
		case xml.EndElement:
			if deep > 0 {
				deep--
			} else if len(open) > 1 {
				open = open[:len(open)-1]
			}
		case xml.CharData:
			if deep == 0 {
				top.kids = append(top.kids, &xmlNode{text: string(t)})
			}
		}
	}
	return root, nil
}

// attr is an attribute's value by its name without a prefix.
func (n *xmlNode) attr(name string) string {
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// kid is the first child of that name, or an empty node.
func (n *xmlNode) kid(names ...string) *xmlNode {
	for _, name := range names {
		next := &xmlNode{}
		for _, k := range n.kids {
			if k.name == name {
				next = k
				break
			}
		}
		n = next
	}
	return n
}

// all are the elements of that name at any depth, in order, none within another.
func (n *xmlNode) all(name string) []*xmlNode {
	var found []*xmlNode
	for _, k := range n.kids {
		if k.name == name {
			found = append(found, k)
		} else if k.name != "" {
			found = append(found, k.all(name)...)
		}
	}
	return found
}

// words is all the text within n.
func (n *xmlNode) words() string {
	if len(n.kids) == 1 && n.kids[0].name == "" {
		return n.kids[0].text
	}
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *xmlNode) write(b *strings.Builder) {
	b.WriteString(n.text)
	for _, k := range n.kids {
		k.write(b)
	}
}
