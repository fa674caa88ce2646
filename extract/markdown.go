package extract

import (
	"bytes"
	"context"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
)

// commonMark reads Markdown with tables, tasks, notes and terms; raw HTML stays, because the tree that is
// made of it is cleaned like any page's.
var commonMark = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.DefinitionList, extension.TaskList, extension.Footnote),
	goldmark.WithParserOptions(parser.WithAttribute()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// readMarkdown reads a Markdown file: front matter, then the whole text by way of
// HTML, so that text and Markdown are written as for a page. Nothing is left out
// but what is hidden.
func readMarkdown(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindMarkdown}
	front, body := cutFront(strings.ReplaceAll(in.text, "\r\n", "\n"))
	var page bytes.Buffer
	if err := commonMark.Convert([]byte(body), &page); err != nil {
		return r, err
	}
	if ctx.Err() != nil {
		return r, errCut
	}
	root, degraded, err := parse(ctx, page.String(), true)
	if err != nil {
		return r, err
	}
	r.degraded = degraded
	clean(ctx, root)
	blocks := render(ctx, root)
	r.blocks = blocks
	r.title = firstOf(front.Title, firstHeading(blocks))
	r.author, r.published, r.language = front.author(), front.Date, front.Lang
	r.links = linksOf(ctx, root, in.base, in.options.MaxLinks)
	r.affiliation = affiliation(r.title, blocks)
	r.markdown = toMarkdown(ctx, root, blocks, in.base, in.options.MaxText)
	return r, nil
}
