package extract

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A scan is an HTML page cut into blocks, before any is chosen.
type scan struct {
	root     *html.Node
	base     *url.URL // of its links
	front    front
	about    metadata
	kind     string
	blocks   []block
	degraded string
}

// outlook is what the scan says of the page as a whole, for the signals of its blocks.
func (s *scan) outlook(address *url.URL) outlook {
	return outlook{meta: s.about, kind: s.kind, path: address.Path, query: address.RawQuery != "", host: address.Hostname()}
}

// scanHTML parses, takes the metadata, cleans and cuts into blocks.
func scanHTML(ctx context.Context, in input) (*scan, error) {
	s := &scan{}
	var err error
	if in.noscript {
		s.root, s.degraded, err = parse(ctx, in.text, false)
	} else {
		s.root, s.degraded, err = parseWords(ctx, in.text)
	}
	if err != nil {
		return nil, err
	}
	s.front = frontComment(s.root)
	if in.noscript {
		revealNoscript(s.root)
	}
	s.base = baseOf(s.root, in.base)
	if clean(ctx, s.root) {
		s.degraded = joinReasons(s.degraded, shownByScript)
	}
	if ctx.Err() != nil {
		return nil, errCut
	}
	s.about = readMetadata(s.root, in.base)
	s.blocks = render(ctx, s.root)
	markLinkLists(s.blocks)
	s.kind = kindOf(s.about, in.base, s.blocks)
	if ctx.Err() != nil {
		return nil, errCut
	}
	return s, nil
}

const shownByScript = "most of the page is hidden until its scripts have run: read as if they had"

// readHTML reads one HTML page: cut it into blocks, choose those that are the page's
// own content, write Markdown from what is left.
func readHTML(ctx context.Context, in input) (reading, error) {
	s, err := scanHTML(ctx, in)
	if err != nil {
		return reading{}, err
	}
	m := s.about
	r := reading{
		title: firstOf(m.title, s.front.Title), author: firstOf(m.author, s.front.author()), published: firstOf(m.published, s.front.Date),
		language: m.language, kind: s.label(in.base), degraded: s.degraded, links: linksOf(ctx, s.root, s.base, in.options.MaxLinks),
	}
	r.affiliation = affiliation(r.title, s.blocks)
	if ctx.Err() != nil {
		return r, errCut
	}

	chosen := s.blocks
	if !in.options.Whole {
		chosen = s.content(in.options.judge(), in.base)
	}
	if ctx.Err() != nil {
		return r, errCut
	}
	if len(s.blocks) > maxJudged {
		r.degraded = joinReasons(r.degraded, "the page has too many parts to judge each: read whole")
	}
	if r.published == "" && s.kind != kindDocumentation {
		r.published = dateline(s.blocks, chosen, r.language)
	}
	if !in.noscript && s.degraded == "" && textSize(chosen) < lowYield && strings.Contains(in.text, "<noscript") {
		in.noscript = true
		if other, err := readHTML(ctx, in); err == nil && textSize(other.blocks) > max(2*textSize(chosen), lowYield) {
			other.degraded = joinReasons("the page shows its text by script: read from what it has for readers without", other.degraded)
			return other, nil
		}
	}
	if textSize(chosen) < lowYield {
		if told := m.structuredBlocks(ctx); textSize(told) > max(2*textSize(chosen), lowYield) {
			r.blocks, r.markdown = told, clip(plainMarkdown(told), in.options.MaxText+in.options.MaxText/2)
			r.degraded = joinReasons(r.degraded, fromStructuredData)
			return r, nil
		}
	}
	r.blocks = withTitle(chosen, r.title)
	if r.title == "" {
		r.title = firstHeading(r.blocks)
	}
	r.markdown = toMarkdown(ctx, s.root, r.blocks, s.base, in.options.MaxText)
	if r.kind == kindProduct && !in.options.Whole {
		if told := m.productBlocks(ctx, r.blocks); len(told) > 0 {
			r.markdown = strings.TrimSpace(clip(plainMarkdown(told)+"\n\n"+r.markdown, in.options.MaxText+in.options.MaxText/2))
			r.blocks = append(told, r.blocks...)
			r.degraded = joinReasons(r.degraded, withProductData)
		}
	}
	return r, nil
}

// fewBlocks is the number of blocks up to which a page that is nothing in particular
// is read whole: it has no site around it.
const fewBlocks = 12

// content is the chosen blocks of the page: of documentation all that is no part of
// the site around it.
func (s *scan) content(j *judge, address *url.URL) []block {
	var chosen []block
	if s.kind == kindDocumentation || s.kind == kindPage && len(s.blocks) <= fewBlocks || len(s.blocks) > maxJudged || strings.Contains(s.degraded, nestedTooDeep) {
		chosen = chooseContent(s.blocks)
	} else {
		chosen = j.choose(s.outlook(address), s.blocks)
		if whole := chooseContent(s.blocks); s.handmade() && textSize(chosen)*10 >= textSize(whole)*9 {
			chosen = whole
		}
	}
	if s.kind == kindArticle {
		chosen = withoutByline(withoutTitle(chosen, firstOf(s.about.title, s.front.Title)), s.about.author)
	}
	if s.kind == kindPage || s.kind == kindArticle && !s.about.isArticle() {
		return chosen // a heading may be all that a list has of a thing
	}
	return dropEmptyHeadings(chosen)
}

// handmade tells pages that declare nothing of themselves, as those do that no
// publishing system made. What such a page holds is mostly meant to be read.
func (s *scan) handmade() bool {
	return s.kind == kindPage && len(s.about.types) == 0 && len(s.about.schemaTypes) == 0
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

// withoutByline leaves out a first line that says who wrote the article, which is the
// document's author, and perhaps when.
func withoutByline(blocks []block, author string) []block {
	if len(blocks) < 2 || len(author) < 4 || blocks[0].kind != paragraph {
		return blocks
	}
	if line := blocks[0].text; len(line) <= len(author)+50 && strings.Contains(line, author) && !strings.ContainsAny(line[len(line)-1:], ".!?") {
		return blocks[1:]
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
