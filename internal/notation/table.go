package notation

import (
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
)

var (
	delimiterRow = lazyregexp.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	endsTable    = lazyregexp.New(`^\s*(?:[-*+>#]|\d{1,3}[.)]\s)`)
)

// Heads gives for each line of a Markdown text the line with the head of its table, or -1 outside of
// tables. The line of delimiters has the head's number, as the head itself. code tells which lines are
// code.
func Heads(lines []string, code []bool) []int {
	heads := make([]int, len(lines))
	open := -1
	for i, line := range lines {
		switch {
		case code[i] || !strings.Contains(line, "|"):
			open = -1
		case open >= 0 && (i == open+1 || !endsTable.MatchString(line)):
		case i+1 < len(lines) && !code[i+1] && delimits(line, lines[i+1]):
			open = i
		default:
			open = -1
		}
		heads[i] = open
	}
	return heads
}

// delimits reports whether a line has a delimiter for each cell of the row before it.
func delimits(head, line string) bool {
	return strings.Contains(line, "|") && delimiterRow.MatchString(line) && len(RowCells(head)) == len(RowCells(line))
}

// RowCells parts a row of a Markdown table at its bars. A bar behind a backslash belongs to its cell.
func RowCells(row string) []string {
	const bar = "\x00"
	row = strings.TrimPrefix(strings.TrimSpace(strings.ReplaceAll(row, `\|`, bar)), "|")
	cells := strings.Split(strings.TrimSuffix(row, "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
	}
	return cells
}
