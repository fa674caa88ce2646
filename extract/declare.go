package extract

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
)

// declare sets what a file says of itself beside its text (front matter, the head of a
// page, the properties of an office document) above that text, as a table of one row: so
// its author and its date can be found and quoted. A page of the web keeps to what it
// shows, and its date stands beside it as the source's. The size is that of the table.
func (r *reading) declare() (size int) {
	if r.author == "" && r.published == "" || !slices.ContainsFunc(r.blocks, func(b block) bool { return b.text != "" }) {
		return 0
	}
	var names, values []string
	for _, field := range [][2]string{{"Title", r.title}, {"Author", r.author}, {"Date", r.published}} {
		if value := cellOf(field[1]); value != "" {
			names, values = append(names, field[0]), append(values, value)
		}
	}
	declared := block{kind: grid, columns: strings.Join(names, citewell.Cells)}
	declared.text = declared.columns + "\n" + strings.Join(values, citewell.Cells)
	r.blocks = append([]block{declared}, r.blocks...)
	r.markdown = plainMarkdown(r.blocks[:1]) + "\n\n" + r.markdown
	return len(declared.text)
}
