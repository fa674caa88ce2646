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
	"github.com/citewell/citewell/extract/internal/tree"
)

// Markdown reads Markdown, which servers mostly declare as plain text.
var Markdown = media.Reader{Name: "text/markdown", Called: "Markdown", Read: readMarkdown, Claims: func(page media.Page) string {
	if page.Declared == "text/markdown" || page.Declared == "text/x-markdown" || page.MayBe(".md", ".markdown", ".mdown", ".mkd") {
		return "text/markdown"
	}
	return ""
}}

// CommonMark reads Markdown with tables, tasks, notes and terms; raw HTML stays, because the tree that is
// made of it is cleaned like any page's.
var CommonMark = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.DefinitionList, extension.TaskList, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAttribute()),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
})

// readMarkdown reads a Markdown file: front matter, then the whole text by way of
// HTML, so that text and Markdown are written as for a page. Nothing is left out
// but what is hidden.
func readMarkdown(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindMarkdown}
	front, body := imprint.CutFront(strings.ReplaceAll(in.Text, "\r\n", "\n"))
	var page bytes.Buffer
	if err := CommonMark().Convert([]byte(body), &page); err != nil {
		return r, err
	}
	if ctx.Err() != nil {
		return r, deadline.ErrCut
	}
	root, degraded, err := tree.Parse(ctx, page.String(), true)
	if err != nil {
		return r, err
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
