package extract

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
)

const odtPart = "content.xml"

// readODT reads an OpenDocument text: headings by their level, lists, tables,
// links, notes at the end. Hidden and deleted text, comments and the table of
// contents are left out.
func readODT(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindDocument}
	content, styles, err := openODF(ctx, in, &r)
	if err != nil {
		return r, err
	}
	w := odtWriter{hidden: map[string]bool{}, titles: map[string]bool{"Title": true}, ordered: map[string]bool{}}
	w.styles(styles)
	w.styles(content)
	w.body(content.kid("document-content", "body", "text"), 0)
	for i := 0; i < len(w.notes); i++ { // a note may hold the mark of another
		var words strings.Builder
		for _, p := range w.notes[i].kids {
			w.inline(p, &words, 0)
			words.WriteByte(' ')
		}
		fmt.Fprintf(&w.out, "<p>[%d] %s</p>\n", i+1, strings.TrimSpace(words.String()))
	}
	return fromHTML(ctx, in, w.out.String(), r)
}

// openODF opens an OpenDocument file and reads what it says of itself.
func openODF(ctx context.Context, in input, r *reading) (content, styles *xmlNode, err error) {
	a, err := openArchive(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	parts := map[string]*xmlNode{}
	for _, name := range []string{"META-INF/manifest.xml", odtPart, "styles.xml", "meta.xml"} {
		if parts[name], err = a.xml(name); err != nil {
			return nil, nil, err
		}
	}
	if len(parts["META-INF/manifest.xml"].all("encryption-data")) > 0 {
		return nil, nil, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op, Message: "the document is encrypted"}
	}
	about := parts["meta.xml"].kid("document-meta", "meta")
	r.title = ownTitle(about.kid("title").words())
	r.author = personName(cleanLine(firstOf(about.kid("initial-creator").words(), about.kid("creator").words())))
	r.published = day(firstOf(about.kid("creation-date").words(), about.kid("date").words()))
	r.language = languageTag(about.kid("language").words())
	return parts[odtPart], parts["styles.xml"], nil
}

// readODS reads an OpenDocument sheet as a workbook is read: each table with its name as
// heading, its values as they are shown.
func readODS(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindSpreadsheet}
	content, _, err := openODF(ctx, in, &r)
	if err != nil {
		return r, err
	}
	room, cells := in.options.MaxText, maxCells
	for _, table := range content.kid("document-content", "body", "spreadsheet").kids {
		if table.name != "table" {
			continue
		}
		var rows [][]string
		for _, row := range table.all("table-row") {
			if row.attr("visibility") != "" && row.attr("visibility") != "visible" {
				continue
			}
			values := odsCells(row, &room, &cells)
			for range min(timesOf(row, "number-rows-repeated"), maxRepeated) {
				if room -= len(strings.Join(values, citewell.Cells)) + 1; len(values) > 0 && room > 0 {
					rows = append(rows, values)
				}
			}
		}
		if room <= 0 || cells <= 0 {
			r.cut = "the sheets were read as far as is kept"
		}
		if len(rows) == 0 {
			continue
		}
		if name := clip(cleanLine(table.attr("name")), 100); name != "" {
			r.blocks = append(r.blocks, block{kind: heading, level: 2, text: name})
		}
		r.blocks = append(r.blocks, sheetOf(rows))
	}
	r.title = firstOf(r.title, firstHeading(r.blocks))
	r.markdown = plainMarkdown(r.blocks)
	return r, nil
}

// maxRepeated is how often a cell or row of a sheet is repeated: what a sheet says more
// often is its empty rest.
const maxRepeated = 64

func timesOf(n *xmlNode, key string) int {
	if times, err := strconv.Atoi(n.attr(key)); err == nil && times > 1 {
		return times
	}
	return 1
}

// odsCells are the values of a row to the last that holds anything. Room and cells say how
// much more is read, of bytes and of cells.
func odsCells(row *xmlNode, room, cells *int) []string {
	var values []string
	last := 0
	for _, cell := range row.kids {
		if cell.name != "table-cell" && cell.name != "covered-table-cell" {
			continue
		}
		var lines []string
		for _, k := range cell.kids {
			if k.name == "p" {
				lines = append(lines, k.words())
			}
		}
		value := cellOf(strings.Join(lines, " "))
		for range min(timesOf(cell, "number-columns-repeated"), maxRepeated) {
			if *cells--; *cells < 0 || *room <= 0 {
				return values[:last]
			}
			values = append(values, value)
			if value != "" {
				*room -= len(value)
				last = len(values)
			}
		}
	}
	return values[:last]
}

// maxODTNotes is how many notes of one document are followed.
const maxODTNotes = 10_000
