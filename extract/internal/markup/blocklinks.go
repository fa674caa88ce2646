package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// spreadLink makes a block of a link around blocks: its first words are the link. A heading keeps its one line.
func spreadLink(a *html.Node) {
	for at := a.Parent; at != nil; at = at.Parent {
		if block.HeadingLevels[at.DataAtom] > 0 {
			return
		}
	}
	for n := range a.Descendants() {
		if isBlock(n) {
			link := &html.Node{Type: html.ElementNode, Data: "a", DataAtom: atom.A, Attr: a.Attr}
			if linkWords(a, link) {
				tree.Rename(a, atom.Div)
			}
			return
		}
	}
}

func isBlock(n *html.Node) bool {
	return tree.BlockElements[n.DataAtom] || n.Type == html.ElementNode && styledAsBlock(n)
}

// linkWords puts the first words of n that stand in one block into link; false where n has none.
func linkWords(n, link *html.Node) bool {
	var run []*html.Node // siblings within a line
	wrap := func() bool {
		words := false
		for _, c := range run {
			words = words || strings.TrimSpace(tree.Text(c)) != ""
		}
		if !words {
			run = nil
			return false
		}
		n.InsertBefore(link, run[0])
		for _, c := range run {
			n.RemoveChild(c)
			link.AppendChild(c)
		}
		return true
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if !holdsBlock(c) {
			run = append(run, c)
			continue
		}
		if wrap() || linkWords(c, link) {
			return true
		}
	}
	return wrap()
}

func holdsBlock(n *html.Node) bool {
	if isBlock(n) {
		return true
	}
	for c := range n.Descendants() {
		if isBlock(c) {
			return true
		}
	}
	return false
}
