package markup

import (
	"cmp"
	"context"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
)

// FromHTML finishes a document that was turned into an HTML page of our own, as a web page, but leaves out only what is
// hidden.
func FromHTML(ctx context.Context, in media.Input, page string, r media.Reading) (media.Reading, error) {
	root, degraded, err := tree.Parse(ctx, page, true)
	if err != nil {
		return r, err
	}
	r.Degraded = plain.JoinReasons(r.Degraded, degraded)
	return FromTree(ctx, in, root, r)
}

// FromTree is FromHTML for a tree that is made already.
func FromTree(ctx context.Context, in media.Input, root *html.Node, r media.Reading) (media.Reading, error) {
	Clean(ctx, root)
	r.Blocks = Render(ctx, root)
	if ctx.Err() != nil {
		return r, deadline.ErrCut
	}
	r.Title = cmp.Or(r.Title, block.FirstTitle(r.Blocks))
	r.Links = Links(ctx, root, in.Base, in.MaxLinks)
	r.Affiliation = block.Affiliation(r.Title, r.Blocks)
	r.Markdown = Markdown(ctx, root, r.Blocks, in.Base, in.MaxText)
	return r, nil
}

// AddFragment appends markup that someone else wrote to n, or its plain words when it is none.
func AddFragment(n *html.Node, markup string) {
	nodes, err := tree.Fragment(markup, tree.Element(atom.Div))
	if err != nil {
		return
	}
	for _, each := range nodes {
		n.AppendChild(each)
	}
}

// AddText appends an element with words to n, unless there are none.
func AddText(n *html.Node, kind atom.Atom, words string) {
	if words = plain.CleanLine(words); words != "" {
		e := tree.Element(kind)
		e.AppendChild(&html.Node{Type: html.TextNode, Data: words})
		n.AppendChild(e)
	}
}
