package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/tree"
)

// maxSpread is how many cells are added to one table for those that reach over several columns or rows.
const maxSpread = 5000

// spreadSpans gives every row of a data table all its cells, as canonical text has them: it repeats cells in rows
// below, and puts empty ones for columns.
func spreadSpans(table *html.Node) {
	type reach struct {
		cell *html.Node
		rows int // still to come
	}
	var tall []reach
	added := 0
	for tr := range table.Descendants() {
		if tr.DataAtom != atom.Tr {
			continue
		}
		column := 0
		put := func(cell *html.Node, rows int) {
			for len(tall) <= column {
				tall = append(tall, reach{})
			}
			tall[column] = reach{cell, rows}
			column++
		}
		fromAbove := func(before *html.Node) {
			for column < len(tall) && tall[column].rows > 0 && added < maxSpread {
				above := tall[column]
				tr.InsertBefore(copyOf(above.cell), before)
				added++
				put(above.cell, above.rows-1)
			}
		}
		for c := tr.FirstChild; c != nil; {
			next := c.NextSibling
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				fromAbove(c)
				rows, columns := spanOf(c, "rowspan"), spanOf(c, "colspan")
				unspan(c)
				put(c, rows-1)
				for range columns - 1 {
					if added >= maxSpread {
						break
					}
					empty := tree.Element(c.DataAtom)
					tr.InsertBefore(empty, next)
					added++
					put(empty, rows-1)
				}
			}
			c = next
		}
		fromAbove(nil)
	}
}

// cellsOf is how many cells a table has once every row is as wide as the widest.
func cellsOf(table *html.Node) int {
	rows, widest := 0, 0
	for tr := range table.Descendants() {
		if tr.DataAtom != atom.Tr {
			continue
		}
		rows++
		width := 0
		for c := tr.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				width += spanOf(c, "colspan")
			}
		}
		widest = max(widest, width)
	}
	return rows * widest
}

func unspan(cell *html.Node) {
	kept := cell.Attr[:0]
	for _, a := range cell.Attr {
		if a.Key != "rowspan" && a.Key != "colspan" {
			kept = append(kept, a)
		}
	}
	cell.Attr = kept
}

// copyOf is a copy of n with all it holds.
func copyOf(n *html.Node) *html.Node {
	twin := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: append([]html.Attribute(nil), n.Attr...)}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		twin.AppendChild(copyOf(c))
	}
	return twin
}

// raiseCaption puts a table's caption above it, where canonical text has it.
func raiseCaption(table *html.Node) {
	for c := range table.Descendants() {
		if c.DataAtom == atom.Caption {
			c.Parent.RemoveChild(c)
			tree.Rename(c, atom.P)
			table.Parent.InsertBefore(c, table)
			return
		}
	}
}

// align writes the side on which a cell's text stands where the converter reads it.
func align(cell *html.Node) {
	side := strings.ToLower(tree.Attribute(cell, "align"))
	for declaration := range strings.SplitSeq(strings.ToLower(tree.Attribute(cell, "style")), ";") {
		if property, value, _ := strings.Cut(declaration, ":"); strings.TrimSpace(property) == "text-align" {
			side = strings.TrimSpace(value)
		}
	}
	switch side {
	case "left", "right", "center":
		cell.Attr = append(cell.Attr, html.Attribute{Key: "align", Val: side})
	case "end":
		cell.Attr = append(cell.Attr, html.Attribute{Key: "align", Val: "right"})
	}
}

// escapePipes keeps code in a cell from being read as two cells.
func escapePipes(code *html.Node) {
	for c := range code.Descendants() {
		if c.Type == html.TextNode {
			c.Data = strings.ReplaceAll(c.Data, "|", `\|`)
		}
	}
}
