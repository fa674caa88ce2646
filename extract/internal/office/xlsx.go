package office

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/xmltree"
	"github.com/citewell/citewell/internal/text"
)

// XLSX reads Excel workbooks.
var XLSX = media.Reader{Name: xlsxType, Called: "xlsx", Bytes: true, Claims: zipOf(xlsxType, xlsxPart, false),
	Files: map[string]string{".xlsx": xlsxType},
	Read:  readXLSX}

const (
	xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	xlsxPart = "xl/workbook.xml"
)

// maxSheets caps what is read of a workbook.
const maxSheets = 200

// readXLSX reads a workbook: each visible sheet with its name as heading and its rows as a table, as last computed.
func readXLSX(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindSpreadsheet}
	a, read, err := openParts(ctx, in, xlsxPart, corePart, "xl/sharedStrings.xml", "xl/styles.xml")
	if err != nil {
		return r, err
	}
	parts, err := a.relations(xlsxPart)
	if err != nil {
		return r, err
	}
	coreProperties(read[corePart], &r)
	book := read[xlsxPart]
	x := sheetReader{epoch: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	if v := book.Kid("workbook", "workbookPr").Attr("date1904"); v == "1" || v == "true" {
		x.epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	x.shared(read["xl/sharedStrings.xml"])
	x.formats(read["xl/styles.xml"])
	size := 0
	for i, sheet := range book.Kid("workbook", "sheets").All("sheet") {
		if sheet.Attr("state") == "hidden" || sheet.Attr("state") == "veryHidden" {
			continue
		}
		if i >= maxSheets || x.cells >= block.MaxCells || size > in.MaxText {
			r.Cut = fmt.Sprintf("the workbook was read to sheet %d, as much as is kept", i)
			break
		}
		root, err := a.xml(parts[sheet.Attr("id")])
		if err != nil {
			return r, err
		}
		rows := x.rows(root, in.MaxText-size)
		if len(rows) == 0 {
			continue
		}
		table := block.Sheet(rows)
		size += len(table.Text)
		if name := text.Prefix(plain.CleanLine(sheet.Attr("name")), 100); name != "" {
			r.Blocks = append(r.Blocks, block.Block{Kind: block.Heading, Level: 2, Text: name})
		}
		r.Blocks = append(r.Blocks, table)
	}
	r.Title = cmp.Or(r.Title, block.FirstHeading(r.Blocks))
	r.Markdown = block.Markdown(r.Blocks)
	return r, nil
}

type sheetReader struct {
	strings []string
	kinds   []numberKind // by style
	epoch   time.Time
	cells   int
}

// A numberKind says how a number is shown: as one of these, or as elapsed time in neighbouring units of h, m and s.
type numberKind string

const (
	plainNumber   numberKind = ""
	dateNumber    numberKind = "date"
	timeNumber    numberKind = "time" // date and time, or time alone
	percentNumber numberKind = "percent"
	elapsedUnits             = "hms"
)

func (x *sheetReader) shared(root *xmltree.Node) {
	for _, item := range root.Kid("sst").Kids {
		if item.Name == "si" {
			x.strings = append(x.strings, block.Cell(richText(item))) // once, and not at each cell that names it
		}
	}
}

// richText is a string's text without its readings in another script.
func richText(n *xmltree.Node) string {
	var b strings.Builder
	for _, k := range n.Kids {
		switch k.Name {
		case "t":
			b.WriteString(k.Words())
		case "r":
			b.WriteString(k.Kid("t").Words())
		}
	}
	return b.String()
}

func (x *sheetReader) formats(root *xmltree.Node) {
	sheet := root.Kid("styleSheet")
	own := map[string]numberKind{}
	for _, f := range sheet.Kid("numFmts").All("numFmt") {
		own[f.Attr("numFmtId")] = kindOfFormat(f.Attr("formatCode"))
	}
	for _, f := range sheet.Kid("cellXfs").Kids {
		if f.Name != "xf" {
			continue
		}
		id := f.Attr("numFmtId")
		kind, known := own[id]
		if n, err := strconv.Atoi(id); !known && err == nil {
			kind = builtinFormat(n)
		}
		x.kinds = append(x.kinds, kind)
	}
}

// builtinFormat is what the numbered formats that need no definition show.
func builtinFormat(n int) numberKind {
	switch {
	case n == 9 || n == 10:
		return percentNumber
	case n >= 14 && n <= 17:
		return dateNumber
	case n == 46:
		return elapsedUnits
	case n >= 18 && n <= 22 || n >= 45 && n <= 47:
		return timeNumber
	}
	return plainNumber
}

// kindOfFormat reads a format's code, without quoted words and colours. A unit of time in brackets counts on: "[h]:mm"
// is 26:30 after a day and more.
func kindOfFormat(code string) numberKind {
	var b strings.Builder
	quoted, bracket := false, -1 // where a bracket opened
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			bracket = i + 1
		case c == ']' && bracket >= 0:
			if unit := strings.ToLower(code[bracket:i]); unit != "" && strings.Trim(unit, unit[:1]) == "" &&
				strings.Contains(elapsedUnits, unit[:1]) {
				b.WriteString("[" + unit[:1])
			}
			bracket = -1
		case bracket < 0:
			b.WriteByte(c)
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(b.String()), ";")
	_, counted, elapsed := strings.Cut(first, "[")
	switch {
	case elapsed:
		from, to := strings.IndexByte(elapsedUnits, counted[0]), 0
		for i := range elapsedUnits {
			if strings.IndexByte(counted, elapsedUnits[i]) >= 0 {
				to = i + 1
			}
		}
		return numberKind(elapsedUnits[from:to])
	case strings.Contains(first, "%"):
		return percentNumber
	case strings.Contains(first, "general"):
		return plainNumber
	case strings.ContainsAny(first, "hs"):
		return timeNumber
	case strings.ContainsAny(first, "yd"):
		return dateNumber
	}
	return plainNumber
}

// rows are the rows that hold anything, their cells in their columns.
func (x *sheetReader) rows(root *xmltree.Node, room int) [][]string {
	var rows [][]string
	for _, row := range root.Kid("worksheet", "sheetData").Kids {
		if row.Name != "row" || row.Attr("hidden") == "1" || row.Attr("hidden") == "true" {
			continue
		}
		var cells []string
		at, filled := 0, 0
		for _, c := range row.Kids {
			if c.Name != "c" || x.cells >= block.MaxCells || room <= 0 {
				continue
			}
			if column, ok := columnOf(c.Attr("r")); ok {
				at = column
			}
			x.cells++
			value := block.Cell(x.value(c))
			// Cells far to the right follow their neighbour: an empty column each would say nothing.
			for len(cells) < at && len(cells) < filled+64 {
				cells = append(cells, "")
			}
			if value != "" {
				cells = append(cells, value)
				filled = len(cells)
				room -= len(value) + 3
			}
			at++
		}
		if cells = cells[:filled]; filled > 0 {
			rows = append(rows, cells)
		}
	}
	return rows
}

// columnOf reads the letters of "AB12" as a column from 0.
func columnOf(reference string) (int, bool) {
	n := 0
	for i := 0; i < len(reference) && reference[i] >= 'A' && reference[i] <= 'Z'; i++ {
		if n = n*26 + int(reference[i]-'A') + 1; n > block.MaxColumns {
			return 0, false
		}
	}
	return n - 1, n > 0
}

func (x *sheetReader) value(c *xmltree.Node) string {
	raw := strings.TrimSpace(c.Kid("v").Words())
	switch c.Attr("t") {
	case "s":
		if i, err := strconv.Atoi(raw); err == nil && i >= 0 && i < len(x.strings) {
			return x.strings[i]
		}
		return ""
	case "inlineStr":
		return richText(c.Kid("is"))
	case "b":
		if raw == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "str", "e", "d":
		return raw
	}
	n, err := strconv.ParseFloat(raw, 64)
	style, styleErr := strconv.Atoi(c.Attr("s"))
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return raw
	}
	kind := plainNumber
	if styleErr == nil && style >= 0 && style < len(x.kinds) {
		kind = x.kinds[style]
	}
	return x.shown(n, kind)
}

func (x *sheetReader) shown(n float64, kind numberKind) string {
	const lastDay = 2_958_465 // 31 December 9999
	if kind != percentNumber && !(n >= 0 && n <= lastDay) {
		kind = plainNumber
	}
	days, part := math.Modf(n)
	at := x.epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86400)) * time.Second)
	switch {
	case kind == percentNumber:
		return tidy(n*100) + "%"
	case kind == dateNumber:
		return at.Format(time.DateOnly)
	case kind == timeNumber && days == 0:
		return at.Format(time.TimeOnly)
	case kind == timeNumber:
		return at.Format(time.DateTime)
	case kind != plainNumber:
		return elapsedTime(n, string(kind))
	}
	return tidy(n)
}

// elapsedTime writes a number of days in units such as "hm", rounded to the second.
func elapsedTime(days float64, units string) string {
	seconds, shown := int64(math.Round(days*86400)), ""
	for _, unit := range units {
		size := map[rune]int64{'h': 3600, 'm': 60, 's': 1}[unit]
		if shown == "" {
			shown = strconv.FormatInt(seconds/size, 10)
		} else {
			shown += fmt.Sprintf(":%02d", seconds/size)
		}
		seconds %= size
	}
	return shown
}

// tidy writes a number with the fifteen digits that a spreadsheet has.
func tidy(n float64) string {
	s := strconv.FormatFloat(n, 'g', 15, 64)
	if short, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(short) < 1e15 &&
		(short == 0 || math.Abs(short) >= 1e-6) {
		return strconv.FormatFloat(short, 'f', -1, 64)
	}
	return s
}
