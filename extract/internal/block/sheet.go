package block

import (
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/plain"
)

// Cell is the text of a sheet's cell: one line that is no two cells.
func Cell(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(plain.CleanLine(s), citewell.Cells, " / "))
}

// Sheet writes the rows of a sheet as a table, without columns that are all empty. An empty first cell keeps its
// column.
func Sheet(rows [][]string) Block {
	var used []bool
	for _, row := range rows {
		for len(used) < len(row) {
			used = append(used, false)
		}
		for i, cell := range row {
			used[i] = used[i] || cell != ""
		}
	}
	dense, lines := make([][]string, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		var cells []string
		last := 0
		for j, cell := range row {
			if used[j] {
				cells = append(cells, cell)
				if cell != "" {
					last = len(cells)
				}
			}
		}
		dense[i] = cells[:last]
		if last > 1 && cells[0] == "" {
			cells[0] = "-"
		}
		lines[i] = strings.Join(dense[i], citewell.Cells)
	}
	return Block{Kind: Grid, Text: strings.Join(lines, "\n"), Columns: Columns(dense, 0, true)}
}

// Caps on a sheet.
const (
	MaxCells   = 1_000_000
	MaxColumns = 16_384
)
