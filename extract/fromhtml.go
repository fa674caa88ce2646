package extract

import (
	"context"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fromHTML finishes a document that was turned into an HTML page of our own: text
// and Markdown are written as for a web page, and nothing is left out but what is
// hidden.
func fromHTML(ctx context.Context, in input, page string, r reading) (reading, error) {
	root, degraded, err := parse(ctx, page, true)
	if err != nil {
		return r, err
	}
	r.degraded = joinReasons(r.degraded, degraded)
	return fromTree(ctx, in, root, r)
}

func fromTree(ctx context.Context, in input, root *html.Node, r reading) (reading, error) {
	clean(ctx, root)
	r.blocks = render(ctx, root)
	if ctx.Err() != nil {
		return r, errCut
	}
	r.title = firstOf(r.title, firstTitle(r.blocks))
	r.links = linksOf(ctx, root, in.base, in.options.MaxLinks)
	r.affiliation = affiliation(r.title, r.blocks)
	r.markdown = toMarkdown(ctx, root, r.blocks, in.base, in.options.MaxText)
	return r, nil
}

// addFragment appends markup that someone else wrote to n, or its plain words when
// it is none.
func addFragment(n *html.Node, markup string) {
	nodes, err := parseFragment(markup, element(atom.Div))
	if err != nil {
		return
	}
	for _, each := range nodes {
		n.AppendChild(each)
	}
}

// addText appends an element with words to n, unless there are none.
func addText(n *html.Node, kind atom.Atom, words string) {
	if words = cleanLine(words); words != "" {
		e := element(kind)
		e.AppendChild(&html.Node{Type: html.TextNode, Data: words})
		n.AppendChild(e)
	}
}
