package report

import (
	"bufio"
	"bytes"
	"fmt"
	stdhtml "html"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/weburl"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	mdparser "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// contentParser reads a report's Markdown: CommonMark with tables and struck words,
// without HTML, which thus stays words, and without definitions of links, which would
// take the numbers of sources for their names.
func contentParser() mdparser.Parser {
	return mdparser.NewParser(
		mdparser.WithBlockParsers(
			util.Prioritized(mdparser.NewSetextHeadingParser(), 100),
			util.Prioritized(mdparser.NewThematicBreakParser(), 200),
			util.Prioritized(mdparser.NewListParser(), 300),
			util.Prioritized(mdparser.NewListItemParser(), 400),
			util.Prioritized(mdparser.NewCodeBlockParser(), 500),
			util.Prioritized(mdparser.NewATXHeadingParser(), 600),
			util.Prioritized(mdparser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(mdparser.NewBlockquoteParser(), 800),
			util.Prioritized(mdparser.NewParagraphParser(), 1000)),
		mdparser.WithInlineParsers(
			util.Prioritized(mdparser.NewCodeSpanParser(), 100),
			util.Prioritized(mdparser.NewLinkParser(), 200),
			util.Prioritized(mdparser.NewAutoLinkParser(), 300),
			util.Prioritized(mdparser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500)),
		mdparser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		mdparser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
}

// maxNesting bounds how deep lists and quotations are shown inside each other.
const maxNesting = 20

// A contentWriter writes Markdown as HTML, element by element: what it does not name
// is not written. Only its own elements, and of attributes only those that it makes
// itself, can come out, whatever was parsed.
type contentWriter struct {
	w        bytes.Buffer
	source   []byte
	sources  map[int]string  // addresses by number
	cited    map[string]int  // numbers by canonical URL
	run      strings.Builder // escaped words, until it is clear where they end
	top      int             // level of the highest heading
	depth    int
	verbatim bool // in a link or code, where numbers and links are words
}

// contentHTML is the content of a report as HTML.
func contentHTML(r citewell.Report) string {
	c := &contentWriter{source: []byte(tidyContent(r.Content)), sources: map[int]string{}, cited: map[string]int{}}
	for _, s := range r.Sources {
		c.sources[s.N] = address(s)
		for _, url := range []string{s.URL, s.FinalURL} {
			if webURL.MatchString(url) && webURL.MatchString(address(s)) {
				c.cited[weburl.Canonical(url)] = s.N
			}
		}
	}
	root := contentParser().Parse(text.NewReader(c.source))
	c.top = topHeading(root)
	c.children(root)
	c.flush()
	return c.w.String()
}

// topHeading is the level of the highest heading outside lists and quotations.
func topHeading(root ast.Node) int {
	top := 6
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			top = min(top, h.Level)
		}
	}
	return top
}

func (c *contentWriter) children(n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		c.node(child)
	}
}

// element writes what is inside a node between the tags of an element.
func (c *contentWriter) element(n ast.Node, name, after string) {
	if c.depth >= maxNesting {
		c.children(n)
		c.run.WriteByte(' ')
		return
	}
	c.flush()
	c.depth++
	c.w.WriteString("<" + name + ">")
	c.children(n)
	c.flush()
	name, _, _ = strings.Cut(name, " ")
	c.w.WriteString("</" + name + ">" + after)
	c.depth--
}

func (c *contentWriter) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading: // the title of the report is h1
		c.element(n, "h"+strconv.Itoa(min(max(n.Level-c.top, 0)+2, 6)), "\n")
	case *ast.Paragraph:
		c.element(n, "p", "\n")
	case *ast.Blockquote:
		c.element(n, "blockquote", "\n")
	case *ast.List:
		switch {
		case n.IsOrdered() && n.Start != 1:
			c.element(n, fmt.Sprintf(`ol start="%d"`, n.Start), "\n")
		case n.IsOrdered():
			c.element(n, "ol", "\n")
		default:
			c.element(n, "ul", "\n")
		}
	case *ast.ListItem:
		c.element(n, "li", "\n")
	case *ast.TextBlock:
		c.children(n)
	case *ast.ThematicBreak:
		c.flush()
		c.w.WriteString("<hr>\n")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		c.flush()
		c.w.WriteString("<pre><code>")
		lines := n.Lines()
		for i := range lines.Len() {
			segment := lines.At(i)
			c.w.WriteString(stdhtml.EscapeString(string(segment.Value(c.source))))
		}
		c.w.WriteString("</code></pre>\n")
	case *ast.CodeSpan:
		c.flush()
		before := c.verbatim
		c.verbatim = true
		c.element(n, "code", "")
		c.verbatim = before
	case *ast.Emphasis:
		name := "em"
		if n.Level > 1 {
			name = "strong"
		}
		c.element(n, name, "")
	case *extast.Strikethrough:
		c.element(n, "del", "")
	case *extast.Table:
		c.flush()
		c.w.WriteString(`<div class="wide">`)
		c.element(n, "table", "</div>\n")
	case *extast.TableHeader, *extast.TableRow:
		c.element(n, "tr", "\n")
	case *extast.TableCell:
		name := "td"
		if _, head := n.Parent().(*extast.TableHeader); head {
			name = "th"
		}
		c.element(n, name, "")
	case *ast.Link:
		c.link(n, string(n.Destination))
	case *ast.AutoLink:
		c.autoLink(n)
	case *ast.Text:
		c.words(n)
	case *ast.String:
		c.run.WriteString(stdhtml.EscapeString(string(n.Value)))
	default: // an image is its words
		c.children(n)
	}
}

// words takes in a piece of text, with its escapes and entities resolved.
func (c *contentWriter) words(n *ast.Text) {
	segment := n.Segment.Value(c.source)
	if _, code := n.Parent().(*ast.CodeSpan); code || n.IsRaw() {
		c.run.WriteString(stdhtml.EscapeString(string(segment)))
	} else {
		var resolved strings.Builder
		buffered := bufio.NewWriter(&resolved)
		html.DefaultWriter.Write(buffered, segment)
		buffered.Flush()
		c.run.WriteString(stdhtml.EscapeString(withoutUnseen(stdhtml.UnescapeString(resolved.String()), "")))
	}
	if n.HardLineBreak() {
		c.flush()
		c.w.WriteString("<br>\n")
	} else if n.SoftLineBreak() {
		c.run.WriteByte('\n')
	}
}

// flush writes the words that were taken in. The numbers of sources in them lead to
// the sources.
func (c *contentWriter) flush() {
	words := c.run.String()
	c.run.Reset()
	if !c.verbatim {
		words = cite.MapMarks(words, func(mark cite.Reference) string {
			var links strings.Builder
			for _, n := range mark.Numbers {
				if _, known := c.sources[n]; !known {
					return words[mark.Start:mark.End]
				}
				links.WriteString(markLink(n))
			}
			return links.String()
		})
	}
	c.w.WriteString(words)
}

func markLink(n int) string { return fmt.Sprintf(`<a class="mark" href="#s%d">[%d]</a>`, n, n) }

// link writes a link to a cited source, at the address that the run knows of; of
// another the words only.
func (c *contentWriter) link(n ast.Node, url string) {
	source, cited := c.cited[weburl.Canonical(url)]
	if !cited || c.verbatim {
		c.children(n)
		return
	}
	c.flush()
	before := c.w.Len()
	c.open(source)
	inside := c.w.Len()
	c.verbatim = true
	c.children(n)
	c.flush()
	c.verbatim = false
	if words := string(c.w.Bytes()[inside:]); words == strconv.Itoa(source) || words == "" { // [2](URL)
		c.w.Truncate(before)
		c.w.WriteString(markLink(source))
		return
	}
	c.w.WriteString("</a>")
}

func (c *contentWriter) open(source int) {
	fmt.Fprintf(&c.w, `<a href="%s" rel="noreferrer nofollow">`, stdhtml.EscapeString(wholeURL(c.sources[source])))
}

func (c *contentWriter) autoLink(n *ast.AutoLink) {
	words := stdhtml.EscapeString(string(n.Label(c.source)))
	source, cited := c.cited[weburl.Canonical(string(n.URL(c.source)))]
	if !cited || c.verbatim {
		c.run.WriteString(words)
		return
	}
	c.flush()
	c.open(source)
	c.w.WriteString(words + "</a>")
}
