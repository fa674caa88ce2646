package extract

import (
	"strings"

	"github.com/citewell/citewell"
)

// cellOf is the text of a sheet's cell: one line that is no two cells.
func cellOf(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(cleanLine(s), citewell.Cells, " / "))
}

// sheetOf writes the rows of a sheet as a table, without the columns that are empty in
// every row. An empty first cell keeps its column.
func sheetOf(rows [][]string) block {
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
	return block{kind: grid, text: strings.Join(lines, "\n"), columns: columnsOf(dense, 0, true)}
}
