package markup

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/formula"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// A dialect is what our Markdown adds to the converter's: formulas, boxes of tasks, numbers of lists as in the text.
type dialect struct{}

func (dialect) Name() string { return "dialect" }

func (dialect) Init(conv *converter.Converter) error {
	conv.Register.RendererFor("math", converter.TagTypeInline, writeFormula, converter.PriorityEarly)
	conv.Register.RendererFor(taskBox, converter.TagTypeInline, writeTask, converter.PriorityEarly)
	for _, list := range []string{"ul", "ol", "menu", "dir"} {
		conv.Register.RendererFor(list, converter.TagTypeBlock, writeList, converter.PriorityEarly)
	}
	conv.Register.RendererFor("blockquote", converter.TagTypeBlock, writeQuote, converter.PriorityEarly)
	conv.Register.Renderer(stopWriting, converter.PriorityEarly-1)
	conv.Register.TextTransformer(escapeReferences, converter.PriorityEarly)
	return nil
}

var reference = lazyregexp.New(`&(#?[0-9A-Za-z]{1,32};)`)

// escapeReferences keeps words such as "&lt;" from being read as a character.
func escapeReferences(_ converter.Context, words string) string {
	return reference.ReplaceAllString(words, "&amp;$1")
}

// inertTeX writes what Markdown or HTML would read in a formula in TeX's other ways; the formula stays the same.
var inertTeX = strings.NewReplacer("<", `\lt `, ">", `\gt `, "`", `\unicode{96}`, "](", "] (", "][", "] [", "]:", "] :",
	"$", `\text{\textdollar}`)

func writeFormula(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	tex := plain.OneLine(inertTeX.Replace(tree.Text(n)))
	for at := n.Parent; at != nil; at = at.Parent {
		if at.DataAtom == atom.Td || at.DataAtom == atom.Th {
			tex = strings.NewReplacer(`\|`, `\Vert `, "|", `\vert `).Replace(tex)
		}
	}
	fence := "$"
	if tree.Attribute(n, "class") == "display" {
		fence = "$$"
	}
	w.WriteString(fence + strings.TrimSpace(tex) + fence)
	return converter.RenderSuccess
}

// stopWriting passes over every element once the time for the page is over.
func stopWriting(ctx converter.Context, _ converter.Writer, _ *html.Node) converter.RenderStatus {
	if ctx.Err() != nil {
		return converter.RenderSuccess
	}
	return converter.RenderTryNext
}

// maxQuotes bounds quotations within each other: each rewrites every line in it, so their cost is quadratic.
const maxQuotes = 12

// writeQuote leaves quotations to the converter, the innermost of very many unmarked.
func writeQuote(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	around := 0
	for at := n.Parent; at != nil && around < maxQuotes; at = at.Parent {
		if at.DataAtom == atom.Blockquote {
			around++
		}
	}
	if around < maxQuotes {
		return converter.RenderTryNext
	}
	w.WriteString("\n\n")
	ctx.RenderChildNodes(ctx, w, n)
	w.WriteString("\n\n")
	return converter.RenderSuccess
}

// taskBox is the element that stands for the box of a task in a list.
const taskBox = "task"

// boxOf is what stands for an <input> that is the box of a task; nil for others.
func boxOf(n *html.Node) *html.Node {
	if n.DataAtom != atom.Input || !strings.EqualFold(tree.Attribute(n, "type"), "checkbox") {
		return nil
	}
	given := func(key string) bool {
		return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
	}
	task := given("disabled")
	at := n
	for steps := 0; at.DataAtom != atom.Li; at, steps = at.Parent, steps+1 {
		if steps == formula.MaxSteps || at.Parent == nil || at.PrevSibling != nil &&
			strings.TrimSpace(tree.Text(at.PrevSibling)) != "" {
			return nil
		}
	}
	if !task && !strings.Contains(tree.Attribute(at, "class"), "task") {
		return nil
	}
	box := &html.Node{Type: html.ElementNode, Data: taskBox}
	mark := "[ ] "
	if given("checked") {
		mark = "[x] "
	}
	box.AppendChild(&html.Node{Type: html.TextNode, Data: mark})
	return box
}

func writeTask(_ converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	w.WriteString(tree.Text(n))
	return converter.RenderSuccess
}

// markKey is the attribute that holds the mark of a list's item, as canonical text has it.
const markKey = "mark"

// markItem gives the item that a block begins the block's own mark.
func markItem(b block.Block) {
	for at := b.Element; at != nil; at = at.Parent {
		if at.DataAtom == atom.Li {
			at.Attr = []html.Attribute{{Key: markKey, Val: strings.TrimSpace(b.Text[:b.Marker])}}
			return
		}
	}
}

var (
	manyLines  = lazyregexp.New(`\n{3,}`)
	idleBreaks = lazyregexp.New(` {2,}\n\n`)
)

// writeList writes the items of a list, each with its mark; a list within an item of one line follows it without a gap.
func writeList(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	w.WriteString("\n\n")
	number, first := 1, true
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		var b bytes.Buffer
		ctx.RenderNodes(ctx, &b, c)
		content := bytes.TrimSpace(b.Bytes())
		if len(content) == 0 {
			continue
		}
		content = manyLines.ReplaceAll(content, []byte("\n\n"))
		content = ctx.UnEscapeContent(idleBreaks.ReplaceAll(content, []byte("\n\n")))
		if compact(c) {
			content = bytes.ReplaceAll(content, []byte("\n\n"), []byte("\n"))
		}
		mark := tree.Attribute(c, markKey)
		if given, err := strconv.Atoi(strings.TrimSuffix(mark, ".")); err == nil {
			number = given
		}
		if mark == "" {
			mark = "-"
			if n.DataAtom == atom.Ol {
				mark = strconv.Itoa(number) + "."
			}
		}
		number++
		if !first {
			w.WriteString("\n")
		}
		first = false
		indent := "\n" + strings.Repeat(" ", len(mark)+1)
		w.WriteString(mark + " ")
		for i, line := range strings.Split(string(content), "\n") {
			switch {
			case i > 0 && line == "":
				w.WriteString("\n")
			case i > 0:
				w.WriteString(indent)
			}
			newline := string(marker.MarkerCodeBlockNewline)
			w.WriteString(strings.ReplaceAll(line, newline, newline+indent[1:]))
		}
	}
	w.WriteString("\n\n")
	return converter.RenderSuccess
}

// compact tells an item whose only blocks are lists.
func compact(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.DataAtom == atom.Br || tree.BlockElements[c.DataAtom] && c.DataAtom != atom.Ul && c.DataAtom != atom.Ol &&
			c.DataAtom != atom.Li {
			return false
		}
	}
	return true
}
