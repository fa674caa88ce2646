package cite

import (
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// Row writes a row of a table as a text for comparison: each cell follows the name of its column, and a
// bare number gets the unit that ends that name. Empty cells are left out.
func Row(columns, cells []string, lang string) string {
	return row(columns, cells, new(text.Readings).Read("", lang).Beside)
}

func row(columns, cells []string, read func(string) *text.Reading) string {
	var row []string
	for i, cell := range cells {
		switch {
		case cell == "":
		case i < len(columns) && columns[i] != "":
			row = append(row, columns[i]+": "+withUnit(cell, columns[i], read))
		default:
			row = append(row, cell)
		}
	}
	return strings.Join(row, "; ")
}

// rowWords returns the Row at p.Text[from:to] in the language of r, which is kept with others.
func rowWords(p citewell.Passage, from, to int, r *text.Reading) string {
	return row(strings.Split(p.Columns, citewell.Cells), strings.Split(p.Text[from:to], citewell.Cells), r.Beside)
}

// rowsOf returns the Rows of the table in a passage, one a line.
func rowsOf(p citewell.Passage, r *text.Reading) string {
	if p.Columns == "" {
		return ""
	}
	var rows []string
	at := 0
	for line := range strings.Lines(p.Text) {
		if end := at + len(strings.TrimSuffix(line, "\n")); p.IsRow(at, end) {
			rows = append(rows, rowWords(p, at, end, r))
		}
		at += len(line)
	}
	return strings.Join(rows, "\n")
}

// withUnit adds to a bare number the unit that ends its column's name, as in "Weight (kg)". In a column
// "Year", 1840 is a date and not a duration.
func withUnit(cell, column string, read func(string) *text.Reading) string {
	words := read(column).Words()
	if len(words) == 0 {
		return cell
	}
	last := words[len(words)-1]
	with := cell + " " + column[last.Start:last.End]
	bare, whole := quantity.Figures(read(cell)), quantity.Figures(read(with))
	if len(bare) != 1 || !bare[0].Plain() || len(whole) != 1 || whole[0].Dimension == quantity.DimensionCount {
		return cell
	}
	if whole[0].Dimension == "duration" && len(quantity.Dates(read("in "+cell).In("en"))) > 0 {
		return cell
	}
	return with
}
