package demo

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// A body is a page's text, twice: as HTML for readers and as plain text for the index.
type body struct {
	html  string
	plain string // blocks separated by a newline
}

// markdown reads what the pages are written in: CommonMark with tables. HTML stands as it is.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))
})

// render makes the body of a page. HTML in it is not indexed. link turns the URL of a link into an absolute one.
func render(source string, link func(string) string) (body, error) {
	src := []byte(source)
	doc := markdown().Parser().Parse(text.NewReader(src))
	var plain strings.Builder
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link:
			if entering {
				n.Destination = []byte(link(string(n.Destination)))
			}
		case *ast.Text:
			if entering {
				plain.Write(n.Segment.Value(src))
				if n.SoftLineBreak() {
					plain.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				plain.Write(n.Lines().Value(src))
			}
		case *table.TableCell:
			if !entering && n.NextSibling() != nil {
				plain.WriteByte(' ')
			}
		case *ast.Paragraph, *ast.TextBlock, *ast.Heading, *table.TableHeader, *table.TableRow:
			if !entering {
				plain.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return body{}, err
	}
	var out bytes.Buffer
	err = markdown().Renderer().Render(&out, src, doc)
	return body{html: out.String(), plain: strings.TrimSpace(plain.String())}, err
}
