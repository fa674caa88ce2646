package office

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/xmltree"
	"github.com/citewell/citewell/internal/text"
)

// ODS reads OpenDocument's spreadsheets.
var ODS = media.Reader{Name: odsType, Called: "ods", Bytes: true, Claims: zipOf(odsType, odfPart, true),
	Files: map[string]string{".ods": odsType}, Read: readODS}

const odsType = "application/vnd.oasis.opendocument.spreadsheet"

// ODT reads OpenDocument's texts.
var ODT = media.Reader{Name: odtType, Called: "odt", Bytes: true, Claims: zipOf(odtType, odfPart, true),
	Files: map[string]string{".odt": odtType}, Read: readODT}

const odtType = "application/vnd.oasis.opendocument.text"

const odfPart = "content.xml"

// readODT reads an OpenDocument text: headings by level, lists, tables, links, notes at the end. It leaves out hidden
// and deleted text, comments and the table of contents.
func readODT(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindDocument}
	_, content, styles, err := openODF(ctx, in, &r)
	if err != nil {
		return r, err
	}
	w := odtWriter{hidden: map[string]bool{}, titles: map[string]bool{"Title": true}, first: map[string]int{},
		next: map[string]int{}}
	w.styles(styles)
	w.styles(content)
	w.body(content.Kid("document-content", "body", "text"), 0)
	for i := 0; i < len(w.notes); i++ { // a note may hold the mark of another
		var words strings.Builder
		for _, p := range w.notes[i].Kids {
			w.inline(p, &words)
			words.WriteByte(' ')
		}
		fmt.Fprintf(&w.out, "<p>[%d] %s</p>\n", i+1, strings.TrimSpace(words.String()))
	}
	return markup.FromHTML(ctx, in, w.out.String(), r)
}

// openODF opens an OpenDocument file and reads what it says of itself.
func openODF(ctx context.Context, in media.Input, r *media.Reading) (a *archive, content, styles *xmltree.Node,
	err error) {
	a, parts, err := openParts(ctx, in, "META-INF/manifest.xml", odfPart, "styles.xml", "meta.xml")
	if err != nil {
		return nil, nil, nil, err
	}
	if len(parts["META-INF/manifest.xml"].All("encryption-data")) > 0 {
		return nil, nil, nil, &citewell.Error{Code: citewell.CodeUnsupportedType, Op: a.op,
			Message: "the document is encrypted"}
	}
	about := parts["meta.xml"].Kid("document-meta", "meta")
	r.Title = imprint.Title(about.Kid("title").Words())
	r.Author = imprint.Person(plain.CleanLine(cmp.Or(about.Kid("initial-creator").Words(),
		about.Kid("creator").Words())))
	r.Published = imprint.Day(cmp.Or(about.Kid("creation-date").Words(), about.Kid("date").Words()))
	r.Language = imprint.Language(about.Kid("language").Words())
	return a, parts[odfPart], parts["styles.xml"], nil
}

// readODS reads an OpenDocument sheet: each table with its name as heading, its values as they are shown.
func readODS(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindSpreadsheet}
	a, content, _, err := openODF(ctx, in, &r)
	if err != nil {
		return r, err
	}
	room, cells := min(in.MaxText, a.written()), block.MaxCells
	for _, table := range content.Kid("document-content", "body", "spreadsheet").Kids {
		if table.Name != "table" {
			continue
		}
		var rows [][]string
		for _, row := range table.All("table-row") {
			if row.Attr("visibility") != "" && row.Attr("visibility") != "visible" {
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
			r.Cut = "the sheets were read as far as is kept"
		}
		if len(rows) == 0 {
			continue
		}
		if name := text.Prefix(plain.CleanLine(table.Attr("name")), 100); name != "" {
			r.Blocks = append(r.Blocks, block.Block{Kind: block.Heading, Level: 2, Text: name})
		}
		r.Blocks = append(r.Blocks, block.Sheet(rows))
	}
	r.Title = cmp.Or(r.Title, block.FirstHeading(r.Blocks))
	r.Markdown = block.Markdown(r.Blocks)
	return r, nil
}

// maxRepeated is how often a cell or row of a sheet is repeated: what a sheet says more often is its empty rest.
const maxRepeated = 64

func timesOf(n *xmltree.Node, key string) int {
	if times, err := strconv.Atoi(n.Attr(key)); err == nil && times > 1 {
		return times
	}
	return 1
}

// odsCells are the values of a row to the last that holds anything, within room bytes and cells.
func odsCells(row *xmltree.Node, room, cells *int) []string {
	var values []string
	last := 0
	for _, cell := range row.Kids {
		if cell.Name != "table-cell" && cell.Name != "covered-table-cell" {
			continue
		}
		var lines []string
		for _, k := range cell.Kids {
			if k.Name == "p" {
				lines = append(lines, k.Words())
			}
		}
		value := block.Cell(strings.Join(lines, " "))
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
