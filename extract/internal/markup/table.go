package markup

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// maxCell is the text in bytes beyond which a cell is a column of a page's layout rather than a value.
const maxCell = 1200

// dataTable renders n as one block, a row a line, cells joined by " | ", if it holds data and does not lay out the
// page.
func (r *renderer) dataTable(n *html.Node, p place) bool {
	if role := strings.ToLower(tree.Attribute(n, "role")); role == "presentation" || role == "none" {
		return false
	}
	// Nothing is rendered before it is known that no table lies inside, or nested tables would double the work.
	var caption *html.Node
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Article, atom.Section:
			return false
		case atom.Pre:
			if strings.Count(strings.TrimSpace(tree.Text(c)), "\n") > 2 {
				return false
			}
		case atom.Caption:
			caption = c
		}
	}
	var rows [][]string
	var leaves []*html.Node
	var tall []tallCell
	columns, linked, spread, heads := 0, 0, maxSpreadText, 0
	for c := range n.Descendants() {
		if c.DataAtom != atom.Tr {
			continue
		}
		cells, links, filled := r.rowOf(c, &tall, &spread)
		linked += links
		for _, cell := range cells {
			if len(cell) > maxCell {
				return false
			}
		}
		if filled > 0 {
			if heads == len(rows) && isHead(c) {
				heads++
			}
			rows = append(rows, cells)
		}
		columns = max(columns, filled)
	}
	if columns < 2 || len(rows) == 0 {
		return false
	}
	if caption != nil {
		captionPlace := p
		captionPlace.element = caption
		r.walk(caption, captionPlace)
		r.flush()
	}
	for c := range n.Descendants() {
		if c.Type == html.TextNode && (caption == nil || !within(c, caption)) {
			leaves = append(leaves, c)
		}
	}
	lines := make([]string, 0, len(rows))
	for _, cells := range rows {
		if line := block.JoinCells(cells); line != "" {
			lines = append(lines, line)
		}
	}
	r.marker = ""
	r.blocks = append(r.blocks, block.Block{Kind: block.Grid, Text: strings.Join(lines, "\n"),
		Columns: block.Columns(rows, heads, false), Leaves: leaves, Linked: linked,
		Boiler: p.boiler, Element: n, List: p.list, Terms: p.terms})
	return true
}

// A tallCell reaches into the rows below it. Its text is repeated there, so that a row can be quoted by itself.
type tallCell struct {
	text string
	rows int // still to come
}

// maxSpreadText is how many cells of one table are added for those that reach over several columns or rows.
const maxSpreadText = 100_000

// rowOf reads the cells of one row, each on one line and followed by empty ones for its columns, at most spread.
func (r *renderer) rowOf(tr *html.Node, tall *[]tallCell, spread *int) (cells []string, linked, filled int) {
	add := func(text string, rows int) {
		column := len(cells)
		cells = append(cells, text)
		for len(*tall) <= column {
			*tall = append(*tall, tallCell{})
		}
		(*tall)[column] = tallCell{text, rows - 1}
	}
	fromAbove := func() {
		for len(cells) < len(*tall) && (*tall)[len(cells)].rows > 0 && *spread > 0 {
			*spread--
			above := (*tall)[len(cells)]
			add(above.text, above.rows)
		}
	}
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom != atom.Td && c.DataAtom != atom.Th {
			continue
		}
		fromAbove()
		text, links := r.cellText(c)
		linked += links
		if text != "" {
			filled++
		}
		rows := spanOf(c, "rowspan")
		add(text, rows)
		for range min(spanOf(c, "colspan")-1, *spread) {
			*spread--
			add("", rows)
		}
	}
	fromAbove()
	return cells, linked, filled
}

func spanOf(cell *html.Node, key string) int {
	n, err := strconv.Atoi(tree.Attribute(cell, key))
	if err != nil {
		return 1
	}
	return max(1, min(n, 99))
}

func (r *renderer) cellText(n *html.Node) (text string, linked int) {
	cell := &renderer{site: &tree.Site{}, watch: r.watch}
	cell.walk(n, place{element: n})
	cell.flush()
	parts := make([]string, len(cell.blocks))
	for i, b := range cell.blocks {
		parts[i] = b.Text[b.Marker:]
		linked += b.Linked
	}
	return joinLines(strings.Join(parts, "\n")), linked
}

// joinLines puts the lines of a cell on one: names below each other with commas, sentences with spaces.
func joinLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines[:len(lines)-1] {
		if len(line) < 48 && line != "" && !strings.ContainsRune(".,;:!?|", rune(line[len(line)-1])) &&
			len(lines[i+1]) < 48 {
			lines[i] = line + ","
		}
	}
	return strings.Join(lines, " ")
}

func within(n, ancestor *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == ancestor {
			return true
		}
	}
	return false
}

// isHead says whether every cell of a row that holds anything is marked as a head.
func isHead(tr *html.Node) bool {
	heads := false
	for c := tr.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.DataAtom == atom.Th:
			heads = true
		case c.DataAtom == atom.Td && strings.TrimSpace(tree.Text(c)) != "":
			return false
		}
	}
	return heads
}
