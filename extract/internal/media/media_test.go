package media

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/block"
)

// What a file says of itself stands above its text as a table of one row, and nothing does where it says neither
// who wrote it nor when, or where there is no text below.
func TestDeclare(t *testing.T) {
	words := []block.Block{{Text: "The heron stands on 41 stones."}}
	for name, test := range map[string]struct {
		reading           Reading
		columns, declared string
	}{
		"all": {
			Reading{Title: "Herons", Author: "A. Lind", Published: "2024-02-03", Blocks: words},
			"Title | Author | Date", "Herons | A. Lind | 2024-02-03",
		},
		"no title":        {Reading{Author: "A. Lind", Blocks: words}, "Author", "A. Lind"},
		"only a date":     {Reading{Published: "2024-02-03", Blocks: words}, "Date", "2024-02-03"},
		"only a title":    {Reading{Title: "Herons", Blocks: words}, "", ""},
		"no text":         {Reading{Author: "A. Lind"}, "", ""},
		"an empty block":  {Reading{Author: "A. Lind", Blocks: []block.Block{{}}}, "", ""},
		"a cell's border": {Reading{Author: "Lind | Sund", Blocks: words}, "Author", block.Cell("Lind | Sund")},
	} {
		r := test.reading
		r.Markdown = "below"
		before := len(r.Blocks)
		size := r.Declare()
		if test.columns == "" {
			if size != 0 || len(r.Blocks) != before || r.Markdown != "below" {
				t.Errorf("%s: declared %d bytes: %+v", name, size, r.Blocks)
			}
			continue
		}
		if len(r.Blocks) != before+1 {
			t.Errorf("%s: %d blocks; want one more than %d", name, len(r.Blocks), before)
			continue
		}
		table := r.Blocks[0]
		if table.Kind != block.Grid || table.Columns != test.columns || table.Text != test.columns+"\n"+test.declared {
			t.Errorf("%s: declared as %+v", name, table)
		}
		if size != len(table.Text) {
			t.Errorf("%s: %d bytes; the table has %d", name, size, len(table.Text))
		}
		if above, found := strings.CutSuffix(r.Markdown, "\n\nbelow"); !found ||
			!strings.Contains(above, test.declared) {
			t.Errorf("%s: Markdown %q", name, r.Markdown)
		}
	}
}

// A page's extension counts only where its server says nothing better of it.
func TestMayBe(t *testing.T) {
	for name, test := range map[string]struct {
		page Page
		want bool
	}{
		"declared as plain text":   {Page{Declared: "text/plain", Extension: ".md"}, true},
		"declared as nothing":      {Page{Vague: true, Extension: ".markdown"}, true},
		"vague, whatever it says":  {Page{Vague: true, Declared: "application/octet-stream", Extension: ".md"}, true},
		"declared as another type": {Page{Declared: "text/html", Extension: ".md"}, false},
		"another extension":        {Page{Declared: "text/plain", Extension: ".mdx"}, false},
		"no extension":             {Page{Vague: true}, false},
	} {
		if got := test.page.MayBe(".md", ".markdown"); got != test.want {
			t.Errorf("%s: %v; want %v", name, got, test.want)
		}
	}
}
