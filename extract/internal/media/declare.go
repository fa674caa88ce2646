package media

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
)

// Declare sets what a file says of itself beside its text (front matter, the head of a page, office properties) above
// that text, as a table of one row, so that author and date can be found and quoted. A web page keeps to what it shows.
// The size is that of the table.
func (r *Reading) Declare() (size int) {
	if r.Author == "" && r.Published == "" || !slices.ContainsFunc(r.Blocks, func(b block.Block) bool {
		return b.Text != ""
	}) {
		return 0
	}
	var names, values []string
	for _, field := range [][2]string{{"Title", r.Title}, {"Author", r.Author}, {"Date", r.Published}} {
		if value := block.Cell(field[1]); value != "" {
			names, values = append(names, field[0]), append(values, value)
		}
	}
	declared := block.Block{Kind: block.Grid, Columns: strings.Join(names, citewell.Cells)}
	declared.Text = declared.Columns + "\n" + strings.Join(values, citewell.Cells)
	r.Blocks = append([]block.Block{declared}, r.Blocks...)
	r.Markdown = block.Markdown(r.Blocks[:1]) + "\n\n" + r.Markdown
	return len(declared.Text)
}
