package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
)

// A pdfLine is a run of marks on one baseline without a wide gap.
type pdfLine struct {
	text               string
	start, end, across float64
	size               float64 // of most of its letters
	turn               int
	bold               bool
	beside             bool // it follows the line before on the same baseline
}

// Gaps between marks, in parts of the font's size.
const (
	wordGap   = 0.16 // more is a space
	columnGap = 1.9  // more parts cells and columns
)

// pdfLines joins marks to lines in the order in which the page writes them, which is nearly always that of reading.
func pdfLines(marks []pdfMark) []pdfLine {
	var lines []pdfLine
	var b lineBuilder
	for i, m := range marks {
		if i > 0 && m.text == marks[i-1].text && m.turn == b.turn && math.Abs(m.along-marks[i-1].along) < 0.12*m.size &&
			math.Abs(m.across-marks[i-1].across) < 0.12*m.size {
			continue // drawn twice to look bold
		}
		if b.empty() || !b.continues(m) {
			beside := !b.empty() && m.turn == b.turn && math.Abs(m.across-b.across) < 0.3*math.Max(m.size, b.largest) &&
				m.along > b.end
			if line, ok := b.line(); ok {
				lines = append(lines, line)
			} else {
				beside = false
			}
			b = lineBuilder{turn: m.turn, across: m.across, start: m.along, end: m.along, beside: beside}
		}
		b.add(m)
	}
	if line, ok := b.line(); ok {
		lines = append(lines, line)
	}
	return lines
}

type lineBuilder struct {
	text               strings.Builder
	start, end, across float64
	largest            float64
	turn               int
	sizes              map[float64]int // letters by size, in quarter points
	letters, bold      int
	beside             bool
	last               rune
}

func (b *lineBuilder) empty() bool { return b.sizes == nil }

// continues tells a mark that goes on where the line stands: on its baseline, or a little above or below.
func (b *lineBuilder) continues(m pdfMark) bool {
	size := math.Max(m.size, b.largest)
	gap := m.along - b.end
	return m.turn == b.turn && math.Abs(m.across-b.across) < 0.55*size && gap > -0.6*size && gap < columnGap*size
}

func (b *lineBuilder) add(m pdfMark) {
	if b.sizes == nil {
		b.sizes = map[float64]int{}
	}
	text := pdfWords(m.text)
	blank := strings.TrimSpace(text) == ""
	gap := m.along - b.end
	if !blank && b.text.Len() > 0 && b.last != ' ' && gap > wordGap*math.Min(m.size, math.Max(b.largest, 1)) &&
		!tight(b.last, text) {
		b.text.WriteByte(' ')
		b.last = ' '
	}
	if blank {
		if text != "" && b.last != ' ' && b.text.Len() > 0 {
			b.text.WriteByte(' ')
			b.last = ' '
		}
	} else {
		b.text.WriteString(text)
		b.last, _ = utf8.DecodeLastRuneInString(text)
		n := utf8.RuneCountInString(text)
		b.letters += n
		b.sizes[math.Round(m.size*4)/4] += n
		if m.bold {
			b.bold += n
		}
		if m.size > b.largest {
			b.largest, b.across = m.size, m.across
		}
	}
	b.end = math.Max(m.along+m.width, b.start)
}

// tight tells writing that has no spaces between its words.
func tight(last rune, text string) bool {
	next, _ := utf8.DecodeRuneInString(text)
	return wide(last) && wide(next)
}

func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f ||
		r >= 0xff00 && r <= 0xffef
}

func (b *lineBuilder) line() (pdfLine, bool) {
	text := strings.TrimSpace(b.text.String())
	if text == "" {
		return pdfLine{}, false
	}
	size, most := 0.0, 0
	for s, n := range b.sizes {
		if n > most || n == most && s > size {
			size, most = s, n
		}
	}
	return pdfLine{text, b.start, b.end, b.across, size, b.turn, b.bold*2 > b.letters, b.beside}, true
}

// pdfWords mends what fonts say of their glyphs: ligatures come apart, private characters go, bullets are bullets.
func pdfWords(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] >= ' ' && s[i] < 0x7f
	}
	if plain {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 0xfb00 && r <= 0xfb06:
			b.WriteString(norm.NFKC.String(string(r)))
		case r == 0xf0b7 || r == 0xf0a7 || r == 0xf0d8 || r == 0xf076:
			b.WriteRune('•')
		case r >= 0xe000 && r <= 0xf8ff || r == utf8.RuneError:
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case r == 0xad:
			b.WriteByte('-')
		default:
			if clean := charset.WellFormed(r); clean >= ' ' {
				b.WriteRune(clean)
			}
		}
	}
	return b.String()
}

// A pdfBlock is a block of a page as the child sends it.
type pdfBlock struct {
	Kind  string `json:"k"` // p, h, i or t: paragraph, heading, item of a list, table
	Text  string `json:"t"`
	Level int    `json:"l,omitempty"`
}

// pdfBlocks joins the lines of a page to blocks. body is the size of most of the document's letters so far.
func pdfBlocks(lines []pdfLine, body float64) []pdfBlock {
	lines, tables := findTables(lines)
	step := commonStep(lines)
	var blocks []pdfBlock
	var open []pdfLine
	flush := func() {
		if len(open) > 0 {
			blocks = append(blocks, paragraphOf(open, body))
			open = nil
		}
	}
	for i, line := range lines {
		if rows, is := tables[i]; is {
			flush()
			blocks = append(blocks, pdfBlock{Kind: "t", Text: rows})
			continue
		}
		if len(open) > 0 && !sameParagraph(open, line, step) {
			flush()
		}
		open = append(open, line)
	}
	flush()
	return blocks
}

// commonStep is the distance of most lines to the one below.
func commonStep(lines []pdfLine) float64 {
	var steps []float64
	for i := 1; i < len(lines); i++ {
		if d := lines[i-1].across - lines[i].across; lines[i].turn == lines[i-1].turn && d > 0.5*lines[i].size &&
			d < 3*lines[i].size {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// sameParagraph tells a line that goes on with the open paragraph.
func sameParagraph(open []pdfLine, line pdfLine, step float64) bool {
	last := open[len(open)-1]
	size := math.Max(last.size, line.size)
	down := last.across - line.across
	sentence := unfinished(last.text) && startsLow(line.text)
	switch {
	case line.turn != last.turn || block.IsItem(line.text) && !line.beside:
		return false
	case math.Abs(last.size-line.size) > 0.12*size:
		return false
	case line.beside:
		return true
	case last.bold != line.bold && !sentence && len(open) == 1:
		return false
	case down < 0.3*size: // up again: the next column
		return sentence
	case down > 1.3*math.Max(step, size) && down > 1.25*size:
		return sentence && down < 2.2*math.Max(step, size)
	}
	left := open[0].start
	if len(open) > 1 {
		left = open[1].start
	}
	widest := 0.0
	for _, l := range open {
		widest = math.Max(widest, l.end)
	}
	indented := line.start > left+0.8*size && len(open) > 1 && math.Abs(last.start-left) < 0.5*size
	short := last.end < widest-0.25*(widest-left) || len(open) == 1 && last.end < line.end-0.25*(line.end-left)
	switch {
	case indented && !unfinished(last.text):
		return false
	case short && !unfinished(last.text):
		return false
	case line.start > last.end || line.end < math.Min(last.start, left)-size:
		return false // beside or left of everything: another column
	}
	return true
}

func unfinished(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, `"'”’)]`))
	return !strings.ContainsRune(".!?:;。！？", r)
}

func startsLow(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// paragraphOf makes a block of its lines: a short one in larger or bold letters is a heading.
func paragraphOf(lines []pdfLine, body float64) pdfBlock {
	var b strings.Builder
	bold := true
	for i, line := range lines {
		bold = bold && line.bold
		if i == 0 {
			b.WriteString(line.text)
			continue
		}
		so := b.String()
		last, _ := utf8.DecodeLastRuneInString(so)
		first, _ := utf8.DecodeRuneInString(line.text)
		switch {
		case hyphenated(so, first):
			b.Reset()
			b.WriteString(so[:len(so)-len(string(last))])
		case wide(last) && wide(first), last == '-' && unicode.IsLetter(first):
		default:
			b.WriteByte(' ')
		}
		b.WriteString(line.text)
	}
	made := pdfBlock{Kind: "p", Text: strings.TrimSpace(b.String())}
	size, letters := lines[0].size, strings.IndexFunc(made.Text, unicode.IsLetter) >= 0
	switch {
	case block.IsItem(made.Text):
		made.Kind = "i"
	case len(made.Text) > 200 || len(lines) > 4 || !letters || utf8.RuneCountInString(made.Text) < 3:
	case body > 0 && size >= 1.6*body:
		made.Kind, made.Level = "h", 2
	case body > 0 && size >= 1.15*body:
		made.Kind, made.Level = "h", 3
	case bold && len(made.Text) < 120 && unfinished(made.Text) && body > 0 && size >= 0.95*body:
		made.Kind, made.Level = "h", 4
	}
	return made
}

// hyphenated tells a word that a line's end cut: a hyphen after a small letter and a small letter to go on with.
func hyphenated(above string, first rune) bool {
	last, size := utf8.DecodeLastRuneInString(above)
	if last != '-' && last != '‐' || !unicode.IsLower(first) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(above[:len(above)-size])
	return unicode.IsLower(before)
}

// findTables finds rows of short cells that follow each other. Each table comes back as one line without text, with its
// rows by that line's place; other pieces of a row become one line.
func findTables(lines []pdfLine) ([]pdfLine, map[int]string) {
	var rows [][]pdfLine
	for _, line := range lines {
		if line.beside && len(rows) > 0 {
			rows[len(rows)-1] = append(rows[len(rows)-1], line)
			continue
		}
		rows = append(rows, []pdfLine{line})
	}
	var out []pdfLine
	tables := map[int]string{}
	for i := 0; i < len(rows); {
		end := i
		for end < len(rows) && isRow(rows[end]) {
			end++
		}
		if end-i < 2 {
			out = append(out, rows[i]...)
			i++
			continue
		}
		var table []string
		for _, row := range rows[i:end] {
			var cells []string
			for _, cell := range row {
				cells = append(cells, strings.ReplaceAll(cell.text, " | ", " "))
			}
			table = append(table, strings.Join(cells, " | "))
		}
		tables[len(out)] = strings.Join(table, "\n")
		last := rows[end-1][0]
		out = append(out, pdfLine{across: last.across, start: last.start, end: last.end, size: last.size,
			turn: last.turn})
		i = end
	}
	return out, tables
}

// isRow tells a row of a table from a line of two columns of prose.
func isRow(row []pdfLine) bool {
	letters := 0
	for _, cell := range row {
		letters += utf8.RuneCountInString(cell.text)
	}
	return len(row) > 1 && letters/len(row) <= 40
}
