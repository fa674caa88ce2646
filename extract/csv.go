package extract

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// csvType is the media type of rows whose cells are parted by a mark.
const csvType = "text/csv"

// readCSV reads rows of cells parted by commas, semicolons, tabs or bars, whichever the
// first line has most of, as a table. Text that is no such rows is read as text.
func readCSV(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindSpreadsheet}
	decoder := csv.NewReader(&stoppable{ctx, strings.NewReader(strings.TrimPrefix(in.text, "\ufeff"))})
	decoder.Comma, decoder.FieldsPerRecord, decoder.LazyQuotes, decoder.ReuseRecord = separatorOf(in.text), -1, true, true
	var rows [][]string
	room, cells := in.options.MaxText, 0
	for {
		record, err := decoder.Read()
		if ctx.Err() != nil {
			return r, errCut
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return readText(in)
		}
		row := make([]string, len(record))
		for i, value := range record {
			row[i] = cellOf(value)
			room -= len(row[i]) + 3
		}
		if cells += len(row); room < 0 || cells > maxCells || len(row) > maxColumns {
			r.cut = "the table was read as far as is kept"
			break
		}
		if filled(row) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) < 2 || len(rows[0]) < 2 && len(rows[1]) < 2 {
		return readText(in)
	}
	r.blocks = []block{sheetOf(rows)}
	r.markdown = plainMarkdown(r.blocks)
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
