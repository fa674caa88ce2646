package passage

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
)

// A table that fills several passages gives each of them its heads; two tables with
// different heads share no passage.
func TestPassagesOfTablesHaveTheirColumns(t *testing.T) {
	row := strings.Repeat("x", 40)
	long := "Name | Size" + strings.Repeat("\n"+row+" | 1", 40)
	text, spans, _ := block.LayOut([]block.Block{{Kind: block.Grid, Text: long, Columns: "Name | Size"},
		{Kind: block.Grid, Text: "Day | Load\nMon | 3", Columns: "Day | Load"}, {Text: "After them."}}, 1<<20)
	passages := Cut(text, spans, "")
	if len(passages) < 4 {
		t.Fatalf("got %d passages", len(passages))
	}
	for i, p := range passages {
		want := "Name | Size"
		if i == len(passages)-1 {
			want = "Day | Load"
		}
		if p.Columns != want || strings.Contains(p.Text, "Mon") != (want == "Day | Load") {
			t.Errorf("passage %d has columns %q: %q", i, p.Columns, p.Text)
		}
	}
	rows := 0
	for _, p := range passages {
		at := 0
		for line := range strings.Lines(p.Text) {
			if p.IsRow(at, at+len(strings.TrimSuffix(line, "\n"))) {
				rows++
			}
			at += len(line)
		}
	}
	if rows != 41 || slices.ContainsFunc(passages, func(p citewell.Passage) bool {
		return p.IsRow(1, 8) || p.IsRow(5, 2) || p.IsRow(0, 1<<20)
	}) {
		t.Errorf("%d rows are told, want 41 and none that begins within a line", rows)
	}
}
