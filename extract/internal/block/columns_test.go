package block

import (
	"strings"
	"testing"
)

func TestColumnsOf(t *testing.T) {
	rowsOf := func(table string) (rows [][]string) {
		for line := range strings.SplitSeq(table, "\n") {
			rows = append(rows, strings.Split(line, " | "))
		}
		return rows
	}
	for _, test := range []struct {
		name, table string
		marked      int
		sheet       bool
		want        string
	}{
		{"marked", "Name | Role\nAnn | Chair", 1, false, "Name | Role"},
		{"marked_in_two_rows", "Sizes | \nName | Page\nA | 1", 2, false, "Name | Page"},
		{"marked_whole", "Name | Role\nAnn | Chair", 2, false, ""},
		{"figures_below_names", "Model | Size\nA | 1024\nB | 4096", 0, false, "Model | Size"},
		{"title_above", "Prices of 2024\nModel | Size\nA | 1024", 0, false, "Model | Size"},
		{"years_above_figures", "Region | 2023 | 2024\nNorth | 12.5 | 13\nSouth | 9 | 11", 0, false,
			"Region | 2023 | 2024"},
		{"pairs", "Length | 2.4 km\nArea | 31 square kilometres", 0, false, ""},
		{"pairs_of_a_sheet", "Owner | Ann\nPlace | Bern\nSince | 2019", 0, true, ""},
		{"words", "Name | Role | Place\nAnn | Chair | Bern\nBob | Clerk | Basel", 0, false, ""},
		{"words_of_a_sheet", "Name | Role | Place\nAnn | Chair | Bern\nBob | Clerk | Basel", 0, true,
			"Name | Role | Place"},
		{"the_same_twice", "Size | Size\n1 | 2", 0, true, ""},
		{"a_name_is_missing", "Model |  | Size\nA | x | 1", 0, true, ""},
		{"one_row", "Model | Size", 0, true, ""},
		{"far_too_wide", strings.Repeat("A name of a column | ", 30) + "Size\n" + strings.Repeat("1 | ", 30) + "1",
			1, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := rowsOf(test.table)
			if got := Columns(rows, test.marked, test.sheet); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
