package report

import (
	"bufio"
	"bytes"
	"fmt"
	stdhtml "html"
	"html/template"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/markdown"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	mdparser "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// contentParser reads a report's Markdown: CommonMark with tables and struck words, without HTML, which thus stays
// words, and without definitions of links, which would take the numbers of sources for their names.
func contentParser() *markdown.Parser {
	return markdown.New(
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

// A contentWriter writes Markdown as HTML, element by element: what it does not name is not written. Only its own
// elements, and of attributes only those that it makes itself, can come out, whatever was parsed.
type contentWriter struct {
	w        bytes.Buffer
	source   []byte
	sources  map[int]string  // addresses by number
	cited    map[string]int  // numbers by canonical URL
	run      strings.Builder // escaped words, until it is clear where they end
	top      int             // level of the highest heading
	depth    int
	verbatim bool // in a link or code, where numbers and links are words

	report    citewell.Report
	leads     func(Cited) string // where the number of a citation leads to
	citations int                // how many there are
	of        [][]Cited          // by finding
	places    []citewell.Place
	at        int                  // the place of the words in run; -1 is none
	figures   []span               // of the source, that are set bold
	bold      bool                 // the words in run are
	last      []int                // where the last words of each place end
	marked    map[int]map[int]bool // the numbers that are shown, by place
	headings  []Heading
	ids       map[string]bool // of marks
}

// Content is the content of a report as HTML, and its headings. leads gives where the number of a citation leads to.
// Each sentence that has a place stands in elements of class said, with its standing where that is less than supported;
// a source that it leans on without a number is shown behind it.
func Content(r citewell.Report, leads func(Cited) string) (template.HTML, []Heading) {
	c := newContentWriter(r, leads)
	root := contentParser().Parse(text.NewReader(c.source))
	c.top = topHeading(root)
	c.findLast(root)
	c.children(root)
	c.flush()
	return template.HTML(c.w.String()), c.headings
}

func newContentWriter(r citewell.Report, leads func(Cited) string) *contentWriter {
	content := tidyContent(r.Content)
	c := &contentWriter{source: []byte(content), sources: map[int]string{}, cited: map[string]int{},
		report: r, leads: leads, citations: len(Citations(r)), of: byFinding(r), places: placesOf(r, content), at: -1,
		marked: map[int]map[int]bool{}, ids: map[string]bool{}}
	c.last, c.figures = make([]int, len(c.places)), saidFigures(r, c.places, content)
	for _, s := range r.Sources {
		c.sources[s.N] = address(s)
		for _, url := range []string{s.URL, s.FinalURL} {
			if webURL.MatchString(url) && webURL.MatchString(address(s)) {
				c.cited[weburl.Canonical(url)] = s.N
			}
		}
	}
	return c
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
		c.heading(n)
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
	code := n.IsRaw()
	if _, within := n.Parent().(*ast.CodeSpan); within {
		code = true
	}
	for from := n.Segment.Start; from < n.Segment.Stop; {
		place, until := c.placeAt(from)
		bold, same := c.boldAt(from)
		until = min(until, same, n.Segment.Stop)
		if place != c.at || bold != c.bold {
			c.flush()
			c.at, c.bold = place, bold
		}
		if piece := c.source[from:until]; code {
			c.run.WriteString(stdhtml.EscapeString(string(piece)))
		} else {
			var resolved strings.Builder
			buffered := bufio.NewWriter(&resolved)
			html.DefaultWriter.Write(buffered, piece)
			buffered.Flush()
			c.run.WriteString(stdhtml.EscapeString(withoutUnseen(stdhtml.UnescapeString(resolved.String()), "")))
		}
		if place >= 0 && until == c.last[place] && !c.verbatim {
			c.flush()
			c.unmarked(place)
		}
		from = until
	}
	if n.HardLineBreak() {
		c.flush()
		c.w.WriteString("<br>\n")
	} else if n.SoftLineBreak() {
		c.run.WriteByte('\n')
	}
}

// flush writes the words that were taken in. The numbers of sources in them lead to what they cite.
func (c *contentWriter) flush() {
	words := c.run.String()
	c.run.Reset()
	if !c.verbatim {
		words = notation.MapMarks(words, func(mark notation.Reference) string {
			var links strings.Builder
			for _, n := range mark.Numbers {
				if _, known := c.sources[n]; !known {
					return words[mark.Start:mark.End]
				}
				links.WriteString(c.mark(n))
			}
			return links.String()
		})
		// a number does not begin a line; what is foreign has no < here
		words = strings.ReplaceAll(words, ` <a class="mark`, "\u00a0"+`<a class="mark`)
	}
	if c.bold && !c.verbatim && words != "" {
		words = "<strong>" + words + "</strong>"
	}
	if class := c.class(); class != "" && strings.TrimSpace(words) != "" {
		words = class + words + "</span>"
	}
	c.w.WriteString(words)
}
