package textual

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/markdown"
)

// Markdown reads Markdown, which servers mostly declare as plain text.
var Markdown = media.Reader{Name: "text/markdown", Called: "Markdown", Read: readMarkdown,
	Files: map[string]string{".md": "text/markdown", ".markdown": "text/markdown", ".mdown": "text/markdown",
		".mkd": "text/markdown"},
	Claims: func(page media.Page) string {
		if page.Declared == "text/markdown" || page.Declared == "text/x-markdown" ||
			page.MayBe(".md", ".markdown", ".mdown", ".mkd") {
			return "text/markdown"
		}
		return ""
	}}

// commonMark reads Markdown with tables, tasks, notes, terms and raw HTML, which is cleaned later, within bounds.
var commonMark = sync.OnceValues(func() (*markdown.Parser, goldmark.Markdown) {
	p := markdown.New(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		parser.WithAttribute())
	return p, goldmark.New(
		goldmark.WithParser(p), // which the extensions add their parts to
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.DefinitionList, extension.TaskList,
			extension.Footnote),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
})

// tooManyMarks says that a text was read without its markup.
const tooManyMarks = "the Markdown has more marks, or deeper ones, than a reader follows: read as words without markup"

// HTML writes Markdown as HTML, plainly without marks that would take too much work. Its only error is the end of ctx.
func HTML(ctx context.Context, source string) (page string, plainly bool, err error) {
	p, writer := commonMark()
	root, plainly, err := p.ParseWithin(ctx, []byte(source))
	if err != nil {
		return "", false, err
	}
	var out bytes.Buffer
	err = writer.Renderer().Render(&out, []byte(source), root)
	return out.String(), plainly, err
}

// readMarkdown reads a Markdown file: front matter, then the text by way of HTML, as a page is. Nothing is left out but
// what is hidden.
func readMarkdown(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindMarkdown}
	front, body := imprint.CutFront(strings.ReplaceAll(in.Text, "\r\n", "\n"))
	page, plainly, err := HTML(ctx, body)
	if ctx.Err() != nil {
		return r, deadline.ErrCut
	} else if err != nil {
		return r, err
	}
	root, degraded, err := tree.Parse(ctx, page, true)
	if err != nil {
		return r, err
	}
	if plainly {
		degraded = plain.JoinReasons(tooManyMarks, degraded)
	}
	r.Degraded = degraded
	markup.Clean(ctx, root)
	blocks := markup.Render(ctx, root)
	r.Blocks = blocks
	r.Title = cmp.Or(front.Title, block.FirstHeading(blocks))
	r.Author, r.Published, r.Language = front.Author(), front.Date, front.Lang
	r.Links = markup.Links(ctx, root, in.Base, in.MaxLinks)
	r.Affiliation = block.Affiliation(r.Title, blocks)
	r.Markdown = markup.Markdown(ctx, root, blocks, in.Base, in.MaxText)
	return r, nil
}
