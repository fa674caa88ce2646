package extract

import (
	"context"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const fromStructuredData = "the page shows its text by script: read from its structured data"

// structuredBlocks are the paragraphs of the article that a page's structured data
// holds whole, for pages that show it to nobody without scripts. It is text or, as
// some sites have it, HTML.
func (m *metadata) structuredBlocks(ctx context.Context) []block {
	if len(m.body) < lowYield {
		return nil
	}
	text := wellFormedText(strings.ToValidUTF8(m.body, "\uFFFD"))
	body := element(atom.Body)
	if strings.Contains(text, "</") || strings.Contains(text, "<br") {
		nodes, err := parseFragment(text, body)
		if err != nil {
			return nil
		}
		for _, n := range nodes {
			body.AppendChild(n)
		}
		clean(ctx, body)
		return render(ctx, body)
	}
	for line := range strings.SplitSeq(text, "\n") {
		p := element(atom.P)
		p.AppendChild(&html.Node{Type: html.TextNode, Data: line})
		body.AppendChild(p)
	}
	return render(ctx, body)
}
