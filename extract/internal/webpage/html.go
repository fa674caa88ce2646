// Package webpage reads HTML pages: a page's declared metadata, its kind, and the blocks of its own content.
//
// Flow: page → tree → metadata → blocks → kind → content → Markdown.
// Units: lengths in bytes of UTF-8.
// Errors: deadline.ErrCut. Degraded says if something was read from a place that the page does not show.
package webpage

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/content"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// HTML reads web pages. What is content in them is judged by j, or by the package's own forests where j is nil.
func HTML(j *content.Judge) media.Reader {
	return media.Reader{Name: "text/html", Called: "web pages", Meta: true, Claims: claims,
		Files: map[string]string{".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"},
		Read: func(ctx context.Context, in media.Input) (media.Reading, error) {
			return readPage(ctx, in, cmp.Or(j, content.OwnJudge()), false)
		}}
}

// claims tells web pages by their declared type, by their name, and, declared as XML or not at all, by their look.
func claims(page media.Page) string {
	switch {
	case page.Declared == "text/html" || page.Declared == "application/xhtml+xml":
		return page.Declared
	case page.Vague && (page.Found == "text/html" || page.MayBe(".html", ".htm", ".xhtml")):
		return "text/html"
	case (page.Declared == "text/xml" || page.Declared == "application/xml") &&
		(page.Found == "text/html" || looksXHTML(page.Body)):
		return page.Declared
	}
	return ""
}

func looksXHTML(body []byte) bool {
	head := strings.ToLower(string(body[:min(len(body), 1024)]))
	return strings.Contains(head, "<html")
}

// A Page is an HTML page cut into blocks, before any is chosen.
type Page struct {
	root     *html.Node
	base     *url.URL // of its links
	front    imprint.Front
	about    metadata
	kind     string
	Blocks   []block.Block
	degraded string
	tracks   []track // of its recording
}

// Outlook is what the scan says of the page as a whole, for the signals of its blocks.
func (s *Page) Outlook(address *url.URL) content.Outlook {
	label, _, _ := strings.Cut(address.Hostname(), ".")
	m := s.about
	return content.Outlook{
		Title: m.title, Body: m.body, Described: m.described, SchemaTypes: m.schemaTypes, OgType: m.ogType,
		Authored: m.author != "", Dated: m.published != "", DeclaredArticle: m.isArticle(),
		Forum: forumHosts[label], Documentation: documentationHosts[label],
		Kind: s.kind, Path: address.Path, Query: address.RawQuery != "",
	}
}

// Scan parses, takes the metadata, cleans and cuts into blocks.
func Scan(ctx context.Context, in media.Input, noscript bool) (*Page, error) {
	s := &Page{}
	var err error
	if noscript {
		s.root, s.degraded, err = tree.Parse(ctx, in.Text, false)
	} else {
		s.root, s.degraded, err = tree.ParseWords(ctx, in.Text)
	}
	if err != nil {
		return nil, err
	}
	s.front = imprint.FrontComment(s.root)
	if noscript {
		revealNoscript(s.root)
	}
	s.base = markup.Base(s.root, in.Base)
	s.tracks = tracksOf(s.root, s.base)
	if markup.Clean(ctx, s.root) {
		s.degraded = plain.JoinReasons(s.degraded, shownByScript)
	}
	if ctx.Err() != nil {
		return nil, deadline.ErrCut
	}
	s.about = readMetadata(s.root, in.Base)
	s.Blocks = markup.Render(ctx, s.root)
	content.MarkLinkLists(s.Blocks)
	s.kind = kindOf(s.about, in.Base, s.Blocks)
	if ctx.Err() != nil {
		return nil, deadline.ErrCut
	}
	return s, nil
}

const shownByScript = "most of the page is hidden until its scripts have run: read as if they had"

// readPage reads one HTML page: it cuts it into blocks, chooses the page's own content, and writes Markdown of it, with
// noscript of what the page has for readers without scripts.
func readPage(ctx context.Context, in media.Input, j *content.Judge, noscript bool) (media.Reading, error) {
	s, err := Scan(ctx, in, noscript)
	if err != nil {
		return media.Reading{}, err
	}
	m := s.about
	r := media.Reading{
		Title: cmp.Or(m.title, s.front.Title), Author: cmp.Or(m.author, s.front.Author()),
		Published: cmp.Or(m.published, s.front.Date),
		Language:  m.language, Kind: s.Label(in.Base), Degraded: s.degraded,
		Links:    markup.Links(ctx, s.root, s.base, in.MaxLinks),
		Captions: bestTrack(append(s.tracks, m.tracks...), m.language),
	}
	if r.Captions != "" {
		r.Links = append(r.Links, citewell.Link{Text: "captions", URL: r.Captions})
	}
	r.Affiliation = block.Affiliation(r.Title, s.Blocks)
	if ctx.Err() != nil {
		return r, deadline.ErrCut
	}

	chosen := s.Blocks
	if !in.Whole {
		chosen = s.Content(j, in.Base)
	}
	if ctx.Err() != nil {
		return r, deadline.ErrCut
	}
	if len(s.Blocks) > content.MaxJudged {
		r.Degraded = plain.JoinReasons(r.Degraded, "the page has too many parts to judge each: read whole")
	}
	if r.Published == "" && s.kind != media.KindDocumentation {
		r.Published = dateline(s.Blocks, chosen, r.Language)
	}
	if !noscript && s.degraded == "" && block.Size(chosen) < media.LowYield && strings.Contains(in.Text, "<noscript") {
		if other, err := readPage(ctx, in, j, true); err == nil &&
			block.Size(other.Blocks) > max(2*block.Size(chosen), media.LowYield) {
			other.Degraded = plain.JoinReasons("the page shows its text by script: read from what it has for readers "+
				"without", other.Degraded)
			return other, nil
		}
	}
	if block.Size(chosen) < media.LowYield {
		if told := m.structuredBlocks(ctx); block.Size(told) > max(2*block.Size(chosen), media.LowYield) {
			r.Blocks, r.Markdown = told, text.Prefix(block.Markdown(told), in.MaxText+in.MaxText/2)
			r.Degraded = plain.JoinReasons(r.Degraded, fromStructuredData)
			return r, nil
		}
	}
	said := m.transcriptBlocks(ctx, chosen)
	r.Blocks = slices.Concat(withTitle(chosen, r.Title), said)
	if r.Title == "" {
		r.Title = block.FirstHeading(r.Blocks)
	}
	r.Markdown = markup.Markdown(ctx, s.root, r.Blocks[:len(r.Blocks)-len(said)], s.base, in.MaxText)
	if len(said) > 0 {
		r.Markdown = strings.TrimSpace(text.Prefix(r.Markdown+"\n\n"+block.Markdown(said), in.MaxText+in.MaxText/2))
	}
	if r.Kind == media.KindProduct && !in.Whole {
		if told := m.productBlocks(ctx, r.Blocks); len(told) > 0 {
			r.Markdown = strings.TrimSpace(text.Prefix(block.Markdown(told)+"\n\n"+r.Markdown, in.MaxText+in.MaxText/2))
			r.Blocks = append(told, r.Blocks...)
			r.Degraded = plain.JoinReasons(r.Degraded, withProductData)
		}
	}
	return r, nil
}

// fewBlocks is the number of blocks up to which a page that is nothing in particular is read whole.
const fewBlocks = 12

// Content is the chosen blocks of the page: of documentation all that is no part of the site around it.
func (s *Page) Content(j *content.Judge, address *url.URL) []block.Block {
	var chosen []block.Block
	if s.kind == media.KindDocumentation || s.kind == media.KindPage && len(s.Blocks) <= fewBlocks ||
		len(s.Blocks) > content.MaxJudged || strings.Contains(s.degraded, tree.NestedTooDeep) {
		chosen = content.OutsideSite(s.Blocks)
	} else {
		chosen = j.Choose(s.Outlook(address), s.Blocks)
		if whole := content.OutsideSite(s.Blocks); s.handmade() && block.Size(chosen)*10 >= block.Size(whole)*9 {
			chosen = whole
		}
	}
	if s.kind == media.KindArticle {
		chosen = withoutByline(withoutTitle(chosen, cmp.Or(s.about.title, s.front.Title)), s.about.author)
	}
	if s.kind == media.KindPage || s.kind == media.KindArticle && !s.about.isArticle() {
		return chosen // a heading may be all that a list has of a thing
	}
	return content.DropEmptyHeadings(chosen)
}

// handmade tells pages that declare nothing of themselves, most of which is meant to be read.
func (s *Page) handmade() bool {
	return s.kind == media.KindPage && len(s.about.types) == 0 && len(s.about.schemaTypes) == 0
}

// withTitle makes a heading of a first line that repeats the title in another element than a heading.
func withTitle(blocks []block.Block, title string) []block.Block {
	if len(blocks) > 1 && blocks[0].Kind == block.Paragraph && title != "" && strings.EqualFold(blocks[0].Text, title) {
		blocks[0].Kind, blocks[0].Level = block.Heading, 1
	}
	return blocks
}

// withoutTitle leaves out an article's headline, which is the document's title, if its text begins with it.
func withoutTitle(blocks []block.Block, title string) []block.Block {
	for len(blocks) > 1 && len(blocks[0].Text) < 300 && (blocks[0].Kind == block.Heading && blocks[0].Level == 1 ||
		strings.EqualFold(blocks[0].Text, title)) {
		blocks = blocks[1:]
	}
	return blocks
}

// withoutByline leaves out a first line that names the document's author, and perhaps the time.
func withoutByline(blocks []block.Block, author string) []block.Block {
	if len(blocks) < 2 || len(author) < 4 || blocks[0].Kind != block.Paragraph {
		return blocks
	}
	if line := blocks[0].Text; len(line) <= len(author)+50 && strings.Contains(line, author) &&
		!strings.ContainsAny(line[len(line)-1:], ".!?") {
		return blocks[1:]
	}
	return blocks
}

// revealNoscript makes visible what a page has for readers without scripts.
func revealNoscript(root *html.Node) {
	for n := range root.Descendants() {
		if n.DataAtom == atom.Noscript {
			tree.Rename(n, atom.Div)
		}
	}
}
