package tree

import (
	"cmp"
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/deadline"
)

// flatten reads a page that is nested too deep for a tree as a flat list of headings, paragraphs, list items and code.
// Links and emphasis are lost; no words are.
func flatten(ctx context.Context, text string) *html.Node {
	f := &flattener{root: &html.Node{Type: html.DocumentNode}}
	page := Element(atom.Html)
	f.root.AppendChild(page)
	f.head, f.body = Element(atom.Head), Element(atom.Body)
	page.AppendChild(f.head)
	page.AppendChild(f.body)
	tokens := html.NewTokenizer(deadline.Reader(ctx, strings.NewReader(text)))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			return f.root
		}
		f.token(kind, tokens.Token())
	}
}

type flattener struct {
	root, head, body *html.Node
	block            *html.Node // open block, nil between blocks
	kind             atom.Atom  // of the next block
	depth            int        // elements of the same name open within skip
	skipName         string
	title            bool
}

// flatKinds are the elements whose text makes a block of its own kind.
var flatKinds = map[atom.Atom]atom.Atom{
	atom.H1: atom.H1, atom.H2: atom.H2, atom.H3: atom.H3, atom.H4: atom.H4, atom.H5: atom.H5, atom.H6: atom.H6,
	atom.Pre: atom.Pre, atom.Li: atom.Li, atom.Dt: atom.P, atom.Dd: atom.P,
}

func (f *flattener) token(kind html.TokenType, t html.Token) {
	if f.skipName != "" {
		f.skipping(kind, t)
		return
	}
	switch kind {
	case html.TextToken:
		f.text(t.Data)
	case html.StartTagToken:
		f.start(t)
	case html.EndTagToken:
		if t.DataAtom == atom.Title {
			f.title = false
		}
		if BlockElements[t.DataAtom] {
			f.block = nil
			if flatKinds[t.DataAtom] == f.kind || t.DataAtom == atom.Ul || t.DataAtom == atom.Ol {
				f.kind = 0
			}
		}
	case html.SelfClosingTagToken:
		if t.DataAtom == atom.Br || BlockElements[t.DataAtom] {
			f.start(t)
		}
	}
}

func (f *flattener) skipping(kind html.TokenType, t html.Token) {
	if t.Data != f.skipName {
		return
	}
	switch kind {
	case html.StartTagToken:
		f.depth++
	case html.EndTagToken:
		if f.depth--; f.depth == 0 {
			f.skipName = ""
		}
	}
}

func (f *flattener) start(t html.Token) {
	n := &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	away := Unwanted(n) || partOf(n) != "" && partOf(n) != Margin
	n.Attr = TrimAttributes(n)
	switch {
	case t.DataAtom == atom.Title:
		f.title = true
	case t.DataAtom == atom.Meta:
		f.head.AppendChild(n)
	case t.DataAtom == atom.Br:
		if f.block != nil {
			f.block.AppendChild(n)
		}
	case t.DataAtom == atom.Hr:
		f.block = nil
	case voidElement[t.DataAtom] || t.DataAtom == atom.Body || t.DataAtom == atom.Html:
	case away:
		f.skipName, f.depth = t.Data, 1
	case BlockElements[t.DataAtom]:
		f.block = nil
		if kind, special := flatKinds[t.DataAtom]; special {
			f.kind = kind
		} else if f.kind != atom.Li && f.kind != atom.Pre {
			f.kind = 0
		}
	}
}

func (f *flattener) text(s string) {
	if f.title {
		title := Element(atom.Title)
		title.AppendChild(&html.Node{Type: html.TextNode, Data: s})
		f.head.AppendChild(title)
		return
	}
	if strings.TrimSpace(s) == "" && f.block == nil {
		return
	}
	if f.block == nil {
		kind := cmp.Or(f.kind, atom.P)
		f.block = Element(kind)
		parent := f.body
		if kind == atom.Li {
			parent = f.list()
		}
		parent.AppendChild(f.block)
	}
	f.block.AppendChild(&html.Node{Type: html.TextNode, Data: s})
}

// list is the list at the end of the body, a new one if something else is.
func (f *flattener) list() *html.Node {
	if last := f.body.LastChild; last != nil && last.DataAtom == atom.Ul {
		return last
	}
	list := Element(atom.Ul)
	f.body.AppendChild(list)
	return list
}
