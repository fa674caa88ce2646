package textual

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
)

// CSV reads tables whose cells a comma, a semicolon or a tab parts.
var CSV = media.Reader{Name: csvType, Called: "CSV", Read: readCSV,
	Files: map[string]string{".csv": csvType, ".tsv": csvType}, Claims: func(page media.Page) string {
		if page.Declared == csvType || page.Declared == "text/tab-separated-values" || page.MayBe(".csv", ".tsv") {
			return csvType
		}
		return ""
	}}

// csvType is the media type of rows whose cells are parted by a mark.
const csvType = "text/csv"

// readCSV reads rows of cells parted by the commonest of commas, semicolons, tabs or bars as a table, other text as
// text.
func readCSV(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindSpreadsheet}
	decoder := csv.NewReader(deadline.Reader(ctx, strings.NewReader(strings.TrimPrefix(in.Text, "\ufeff"))))
	decoder.Comma, decoder.FieldsPerRecord, decoder.LazyQuotes, decoder.ReuseRecord = separatorOf(in.Text),
		-1, true, true
	var rows [][]string
	room, cells := in.MaxText, 0
	for {
		record, err := decoder.Read()
		if ctx.Err() != nil {
			return r, deadline.ErrCut
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return readText(ctx, in)
		}
		row := make([]string, len(record))
		for i, value := range record {
			row[i] = block.Cell(value)
			room -= len(row[i]) + 3
		}
		if cells += len(row); room < 0 || cells > block.MaxCells || len(row) > block.MaxColumns {
			r.Cut = "the table was read as far as is kept"
			break
		}
		if block.Filled(row) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) < 2 || len(rows[0]) < 2 && len(rows[1]) < 2 {
		return readText(ctx, in)
	}
	r.Blocks = []block.Block{block.Sheet(rows)}
	r.Markdown = block.Markdown(r.Blocks)
	return r, nil
}

// separatorOf is what parts the cells of the first line that is not blank.
func separatorOf(s string) rune {
	line, _, _ := strings.Cut(strings.TrimLeft(s, "\ufeff \r\n"), "\n")
	best, most := ',', 0
	for _, mark := range ",;\t|" {
		if n := strings.Count(line, string(mark)); n > most {
			best, most = mark, n
		}
	}
	return best
}
