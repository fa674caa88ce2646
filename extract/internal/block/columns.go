package block

import (
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/plain"
)

// Bounds of the row that names a table's columns.
const (
	maxColumnName  = 60  // bytes of one name
	maxColumnNames = 400 // of the whole row: with it a row can still be quoted
	titleRows      = 3   // rows above it that have one cell alone
	leastLists     = 3   // columns and rows from which a sheet of words alone has such a row
)

// Columns gives the line of the row that names the columns of rows, or nothing. marked is how many rows at the start
// the source itself marks as heads. Without any, the first row of several cells names the columns if its cells tell
// themselves from those below: a name where they have figures; in a sheet, also in a table of nothing but words.
func Columns(rows [][]string, marked int, sheet bool) string {
	at := marked - 1
	if marked == 0 {
		for at = 0; at < min(titleRows, len(rows)) && Filled(rows[at]) < 2; at++ {
		}
	}
	if at < 0 || at >= len(rows)-1 || Filled(rows[at]) < 2 {
		return ""
	}
	if marked == 0 && !namesColumns(rows[at], rows[at+1:], sheet) {
		return ""
	}
	if line := JoinCells(rows[at]); len(line) <= maxColumnNames {
		return line
	}
	return ""
}

// JoinCells writes a row as a line of canonical text, without the empty cells at its end.
func JoinCells(cells []string) string {
	return strings.TrimRight(strings.Join(cells, citewell.Cells), " |")
}

// Filled is how many of the cells are not empty.
func Filled(cells []string) (n int) {
	for _, cell := range cells {
		if cell != "" {
			n++
		}
	}
	return n
}

// namesColumns says whether head names what stands in the rows below it.
func namesColumns(head []string, below [][]string, sheet bool) bool {
	seen, differs := map[string]bool{}, false
	for column, name := range head {
		if name == "" && column > 0 || len(name) > maxColumnName || seen[name] || kindOfCell(name) == cellFigure {
			return false
		}
		seen[name] = true
		if kind := kindOfColumn(below, column); kind != kindOfCell(name) && kind == cellFigure {
			differs = true
		}
	}
	return differs || sheet && len(head) >= leastLists && len(below) >= leastLists-1
}

// A cellKind is what a cell's text looks like.
type cellKind int

const (
	cellEmpty cellKind = iota
	cellWords
	cellYear
	cellFigure
)

// kindOfCell goes by the first sign that is a letter or a digit.
func kindOfCell(s string) cellKind {
	switch {
	case s == "":
		return cellEmpty
	case len(s) == 4 && plain.IsDigits(s) && (s[:2] == "19" || s[:2] == "20"):
		return cellYear
	}
	for _, r := range s {
		if unicode.IsDigit(r) {
			return cellFigure
		}
		if unicode.IsLetter(r) {
			return cellWords
		}
	}
	return cellWords
}

// kindOfColumn is the kind of all cells of a column that hold anything, a year being a
// figure among figures; cellWords where they differ.
func kindOfColumn(rows [][]string, column int) cellKind {
	kind := cellEmpty
	for _, row := range rows {
		if column >= len(row) || row[column] == "" {
			continue
		}
		switch cell := kindOfCell(row[column]); {
		case kind == cellEmpty || kind == cell:
			kind = cell
		case cell == cellWords || kind == cellWords:
			return cellWords
		default:
			kind = cellFigure
		}
	}
	return kind
}
