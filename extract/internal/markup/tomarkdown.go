package markup

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// maxConverted is the number of elements up to which a tree is converted; the converter's work grows too fast.
const maxConverted = 30_000

// maxConvertedBlock is the size in bytes of one block's text up to which it is converted, character by character.
const maxConvertedBlock = 256 << 10

func tooLarge(b block.Block) bool {
	return b.Kind == block.Grid && cellsOf(b.Element) > 2*maxConverted ||
		b.Kind != block.Code && (len(b.Text) > maxConvertedBlock || bracketSteps(b.Text) > maxBracketSteps)
}

// maxBracketSteps bounds how far the converter looks for the ends of brackets, from each to the end of its line.
const maxBracketSteps = 8 << 20

// bracketSteps is how many bytes of a text that is.
func bracketSteps(s string) int {
	open := s[strings.LastIndexByte(s, ']')+1:]
	return strings.Count(open, "[") * len(open)
}

// Markdown writes the chosen blocks as Markdown, and takes all other text out of the tree they came from.
func Markdown(ctx context.Context, root *html.Node, chosen []block.Block, address *url.URL, limit int) string {
	if slices.ContainsFunc(chosen, tooLarge) {
		return text.Prefix(block.Markdown(chosen), limit+limit/2)
	}
	body := tree.BodyOf(root)
	kept := map[*html.Node]bool{}
	data := map[*html.Node]bool{}
	for _, b := range chosen {
		for _, leaf := range b.Leaves {
			kept[leaf] = true
		}
		switch {
		case b.Kind == block.Grid:
			data[b.Element] = true
		case b.Kind == block.Item && b.Marker > 0:
			markItem(b)
		case b.Kind == block.Heading && block.HeadingLevels[b.Element.DataAtom] == 0 &&
			plain.OneLine(tree.Text(b.Element)) == b.Text:
			tree.Rename(b.Element, atom.H1)
		}
	}
	pruning{kept, &deadline.Watch{Ctx: ctx}}.prune(body)
	for _, b := range chosen {
		switch {
		case b.Kind == block.Code:
			recode(b)
		case b.Kind == block.Paragraph && block.HeadingLevels[b.Element.DataAtom] > 0:
			embolden(b.Element)
		}
	}
	if ctx.Err() != nil {
		return ""
	}
	if tree.Count(body) > maxConverted {
		return text.Prefix(block.Markdown(chosen), limit+limit/2)
	}
	reshape(body, data, address)
	// Nothing that is crossed out is left; its plugin keeps "~~" in words from crossing them out.
	convert := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), dialect{}, strikethrough.NewStrikethroughPlugin(),
		commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)),
		table.NewTablePlugin(table.WithSpanCellBehavior(table.SpanBehaviorEmpty),
			table.WithNewlineBehavior(table.NewlineBehaviorSkip),
			table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
	))
	out, err := convert.ConvertNode(body, converter.WithContext(ctx))
	if err != nil {
		return block.Markdown(chosen)
	}
	return text.Prefix(strings.TrimSpace(string(out)), limit+limit/2)
}

// A pruning knows the texts that are kept.
type pruning struct {
	kept  map[*html.Node]bool
	watch *deadline.Watch
}

// prune takes out of n texts that are not kept, elements that are empty then, and pictures outside of kept text.
func (p pruning) prune(n *html.Node) (holds, pictured bool) {
	var pictures []*html.Node // children that hold pictures and no text
	after := 0                // of those, how many stand before the last text
	for c := n.FirstChild; c != nil && !p.watch.Ended(); {
		next := c.NextSibling
		switch {
		case c.Type == html.TextNode:
			blank := strings.TrimSpace(c.Data) == ""
			if !p.kept[c] && !blank {
				n.RemoveChild(c)
			}
			if p.kept[c] && !blank {
				holds, after = true, len(pictures)
			}
		case c.Type != html.ElementNode:
			n.RemoveChild(c)
		case c.DataAtom == atom.Br:
		case c.DataAtom == atom.Img:
			pictures = append(pictures, c)
		default:
			inner, shows := p.prune(c)
			switch {
			case inner:
				if !holds && !pictureFirst(n) {
					pictures = drop(n, pictures)
				}
				holds, after = true, len(pictures)
			case shows:
				pictures = append(pictures, c)
			case c.DataAtom == atom.Td || c.DataAtom == atom.Th:
				// An empty cell keeps its column.
			default:
				n.RemoveChild(c)
			}
		}
		c = next
	}
	switch {
	case block.HeadingLevels[n.DataAtom] > 0:
		pictures = drop(n, pictures)
	case holds && !pictureFirst(n):
		pictures = append(pictures[:after:after], drop(n, pictures[after:])...)
	}
	return holds, len(pictures) > 0
}

// pictureFirst tells elements whose pictures always belong to their text; in others, such as <div>, those above the
// first text or below the last may be the site's.
func pictureFirst(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Figure, atom.Figcaption, atom.P, atom.Li, atom.Td, atom.Th, atom.Dd, atom.A, atom.Span, atom.Blockquote:
		return true
	}
	return false
}

func drop(n *html.Node, pictures []*html.Node) []*html.Node {
	for _, p := range pictures {
		n.RemoveChild(p)
	}
	return nil
}

// reshape turns what Markdown has no words for into what it has: layout tables into blocks, terms into bold lines,
// links into absolute ones or plain text.
func reshape(n *html.Node, data map[*html.Node]bool, address *url.URL) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}

		switch c.DataAtom {
		case atom.Table:
			if data[c] {
				spreadSpans(c)
				raiseCaption(c)
				reshapeCells(c, address)
				continue
			}
			tree.Rename(c, atom.Div)
		case atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Dl, atom.Dd,
			atom.Center, atom.Figure, atom.Figcaption, atom.Details:
			tree.Rename(c, atom.Div)
		case atom.Span:
			if styledAsBlock(c) {
				tree.Rename(c, atom.Div)
			}
		case atom.Dt, atom.Summary:
			embolden(c)
		case atom.A:
			absolute(c, address)
		case atom.Img:
			showPicture(c, address)
		}
		reshape(c, data, address)
		if c.DataAtom == atom.A {
			spreadLink(c)
		}
	}
}

// reshapeCells puts the content of each cell of a data table on one line, as its text has it, and mends its links.
func reshapeCells(n *html.Node, address *url.URL) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		reshapeCells(c, address)
		switch c.DataAtom {
		case atom.A:
			absolute(c, address)
		case atom.Img:
			showPicture(c, address)
		case atom.Pre, atom.Listing, atom.Xmp:
			tree.Rename(c, atom.Code)
			escapePipes(c)
		case atom.Code, atom.Kbd, atom.Samp, atom.Tt, atom.Var:
			escapePipes(c)
		case atom.Td, atom.Th:
			align(c)
		case atom.Br:
			separator := ", "
			if before := strings.TrimSpace(tree.Text(previous(c))); before == "" ||
				strings.ContainsRune(".,;:!?", rune(before[len(before)-1])) {
				separator = " "
			}
			c.Type, c.Data, c.DataAtom = html.TextNode, separator, 0
		case atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Dl, atom.Dd, atom.Dt, atom.Blockquote, atom.Center:
			tree.Rename(c, atom.Span)
			setApart(c)
		case atom.Span:
			if styledAsBlock(c) {
				setApart(c)
			}
		}
		if c.Type == html.TextNode {
			c.Data = strings.Join(strings.FieldsFunc(c.Data, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
		}
	}
}

// setApart keeps the words of n from running into those around it.
func setApart(n *html.Node) {
	n.InsertBefore(&html.Node{Type: html.TextNode, Data: " "}, n.FirstChild)
	n.AppendChild(&html.Node{Type: html.TextNode, Data: " "})
}

// previous is the sibling before n, or an empty text.
func previous(n *html.Node) *html.Node {
	if n.PrevSibling != nil {
		return n.PrevSibling
	}
	return &html.Node{Type: html.TextNode}
}

// absolute gives an anchor its absolute web address, or makes plain text of it.
func absolute(a *html.Node, address *url.URL) {
	u := resolve(address, tree.Attribute(a, "href"))
	if u == nil || sameDocument(u, address) {
		tree.Rename(a, atom.Span)
		return
	}
	a.Attr = []html.Attribute{{Key: "href", Val: u.String()}}
}

// embolden makes a paragraph in bold of n, its emphasis and links dropped: a signature in code is emphasis enough.
func embolden(n *html.Node) {
	words := plain.OneLine(tree.Text(n))
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	tree.Rename(n, atom.P)
	strong := tree.Element(atom.Strong)
	strong.AppendChild(&html.Node{Type: html.TextNode, Data: words})
	n.AppendChild(strong)
}
