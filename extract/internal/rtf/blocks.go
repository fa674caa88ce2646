package rtf

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
)

// char takes one byte of text.
func (p *reader) char(c byte) {
	if p.pending > 0 {
		p.pending--
		return
	}
	p.high = 0
	if p.state.into == "stylesheet" && c == ';' {
		p.flush()
		p.learnStyle(p.apart.String())
		p.apart.Reset()
		return
	}
	p.bytes = append(p.bytes, c)
	p.star = false
}

// flush decodes the bytes that were gathered and writes them.
func (p *reader) flush() {
	if len(p.bytes) == 0 {
		return
	}
	from := p.page
	if e := p.faces[p.state.face]; e != nil {
		from = e
	}
	words, err := from.NewDecoder().Bytes(p.bytes)
	if err != nil {
		words = p.bytes
	}
	p.bytes = p.bytes[:0]
	p.write(charset.WellFormedText(strings.ToValidUTF8(string(words), "\uFFFD")))
}

// write puts words where the group around them belongs.
func (p *reader) write(words string) {
	switch {
	case p.state.skip || p.state.hidden || p.state.struck || p.state.into == "fonttbl":
	case p.state.into != "":
		if p.apart.Len() < 1<<16 {
			p.apart.WriteString(words)
		}
	case p.state.raised > 0:
		p.paragraph.WriteString("<sup>" + html.EscapeString(words) + "</sup>")
	case p.state.raised < 0:
		p.paragraph.WriteString("<sub>" + html.EscapeString(words) + "</sub>")
	default:
		p.paragraph.WriteString(html.EscapeString(words))
	}
}

// endParagraph writes the paragraph that was gathered, unless it stands in a note or in what is left out.
func (p *reader) endParagraph() {
	p.flush()
	if p.state.into != "" || p.state.skip {
		p.apart.WriteByte(' ')
		return
	}
	text := strings.TrimSpace(p.paragraph.String())
	p.paragraph.Reset()
	level := p.levels[p.style]
	if p.outline >= 0 && p.outline < 6 {
		level = p.outline + 1
	}
	switch {
	case text == "":
	case p.inTable:
		if p.cell.Len() > 0 {
			p.cell.WriteString("<br>")
		}
		p.cell.WriteString(text)
	case level > 0:
		p.endTable()
		p.lists.Close(&p.out, 0)
		fmt.Fprintf(&p.out, "<h%d>%s</h%d>\n", level, text, level)
	case p.list:
		p.endTable()
		p.lists.Item(&p.out, p.level, numberOf(p.label), text)
	default:
		p.endTable()
		p.lists.Close(&p.out, 0)
		fmt.Fprintf(&p.out, "<p>%s</p>\n", text)
	}
}

// numberOf is the number that an item's mark shows: 2 of "(2)" and of "1.2."; 0 of a bullet.
func numberOf(mark string) int {
	if mark == "" || strings.Trim(mark, "0123456789.)(") != "" {
		return 0
	}
	mark = strings.TrimRight(mark, ".)(")
	n, err := strconv.Atoi(mark[strings.LastIndexAny(mark, ".)(")+1:])
	if err != nil {
		return 1
	}
	return max(1, n)
}

func (p *reader) endCell() {
	p.inTable = true
	p.endParagraph()
	if len(p.cells) < block.MaxColumns {
		p.cells = append(p.cells, p.cell.String())
	}
	p.cell.Reset()
}

func (p *reader) endRow() {
	if p.cell.Len() > 0 {
		p.endCell()
	}
	if len(p.cells) == 0 {
		return
	}
	p.lists.Close(&p.out, 0)
	if !p.table {
		p.table = true
		p.out.WriteString("<table>\n")
	}
	p.out.WriteString("<tr><td>" + strings.Join(p.cells, "</td><td>") + "</td></tr>\n")
	p.cells = nil
}

func (p *reader) endTable() {
	if p.table {
		p.table = false
		p.out.WriteString("</table>\n")
	}
}
