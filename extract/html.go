package extract

import (
	"context"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readHTML reads one HTML page: parse, take the metadata, clean, cut into blocks,
// choose those that are the page's own content, write Markdown from what is left.
func readHTML(ctx context.Context, in input) (reading, error) {
	var r reading
	root, err := html.ParseWithOptions(&stoppable{ctx, strings.NewReader(in.text)}, html.ParseOptionEnableScripting(!in.noscript))
	if ctx.Err() != nil {
		return r, errCut
	}
	if err != nil {
		r.degraded = "the page is nested deeper than a parser follows: read as a flat list of blocks"
		root = flatten(ctx, in.text)
	}
	front := frontComment(root)
	if in.noscript {
		revealNoscript(root)
	}
	base := baseOf(root, in.base)
	clean(root)
	if ctx.Err() != nil {
		return r, errCut
	}
	m := readMetadata(root, in.base)
	r.links = linksOf(root, base, in.options.MaxLinks)
	blocks := render(root)
	markLinkLists(blocks)
	r.kind = kindOf(m, in.base, blocks)
	r.title, r.author, r.published, r.language = firstOf(m.title, front.Title), firstOf(m.author, front.author()), firstOf(m.published, front.Date), m.language
	r.affiliation = affiliation(r.title, blocks)
	if ctx.Err() != nil {
		return r, errCut
	}

	var chosen []block
	if r.kind == kindDocumentation || r.degraded != "" {
		chosen = chooseContent(blocks)
	} else if count(root) > maxElements {
		r.degraded = "the page has too many elements for the article reader: read whole"
		chosen = chooseContent(blocks)
	} else {
		chosen = choose(root, blocks, r.kind)
	}
	if ctx.Err() != nil {
		return r, errCut
	}
	if r.published == "" && r.kind != kindDocumentation {
		r.published = dateline(blocks, chosen, r.language)
	}
	if !in.noscript && r.degraded == "" && textSize(chosen) < lowYield && strings.Contains(in.text, "<noscript") {
		in.noscript = true
		if other, err := readHTML(ctx, in); err == nil && textSize(other.blocks) > max(2*textSize(chosen), lowYield) {
			other.degraded = joinReasons("the page shows its text by script: read from what it has for readers without", other.degraded)
			return other, nil
		}
	}
	if r.kind == kindArticle {
		chosen = withoutTitle(chosen, r.title)
	}
	r.blocks = dropEmptyHeadings(withTitle(chosen, r.title))
	if r.title == "" {
		r.title = firstHeading(r.blocks)
	}
	r.markdown = toMarkdown(root, r.blocks, base, in.options.MaxText)
	return r, nil
}

// withTitle makes a heading of a first line that repeats the title in another
// element than a heading.
func withTitle(blocks []block, title string) []block {
	if len(blocks) > 1 && blocks[0].kind == paragraph && title != "" && strings.EqualFold(blocks[0].text, title) {
		blocks[0].kind, blocks[0].level = heading, 1
	}
	return blocks
}

// withoutTitle leaves out an article's headline, which is the document's title, if
// its text begins with it.
func withoutTitle(blocks []block, title string) []block {
	for len(blocks) > 1 && len(blocks[0].text) < 300 && (blocks[0].kind == heading && blocks[0].level == 1 || strings.EqualFold(blocks[0].text, title)) {
		blocks = blocks[1:]
	}
	return blocks
}

func firstHeading(blocks []block) string {
	for _, b := range blocks {
		if b.kind == heading {
			return clip(b.text, 300)
		}
	}
	return ""
}

func textSize(blocks []block) int {
	n := 0
	for _, b := range blocks {
		n += len(b.text)
	}
	return n
}

// revealNoscript makes visible what a page has for readers without scripts.
func revealNoscript(root *html.Node) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Noscript {
			rename(n, atom.Div)
		}
	}
}

// stoppable ends a parse when ctx is over: the parser asks for more every few
// kilobytes.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

func count(root *html.Node) int {
	n := 0
	for c := range root.Descendants() {
		if c.Type == html.ElementNode {
			n++
		}
	}
	return n
}

func bodyOf(root *html.Node) *html.Node {
	for c := range root.Descendants() {
		if c.DataAtom == atom.Body {
			return c
		}
	}
	return root
}
