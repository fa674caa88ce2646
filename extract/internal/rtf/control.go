package rtf

import (
	"strconv"
	"strings"
	"unicode/utf16"
)

// textOf are the control words that stand for characters.
var textOf = map[string]string{
	"tab": " ", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
	"bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": " | ", "nestrow": " ",
}

// unread are the destinations whose text is no part of what a reader sees.
var unread = map[string]bool{
	"colortbl": true, "pict": true, "header": true, "headerl": true, "headerr": true, "headerf": true, "footer": true,
	"footerl": true,
	"footerr": true, "footerf": true, "ftnsep": true, "ftnsepc": true, "aftnsep": true, "aftnsepc": true,
	"listtable": true, "listoverridetable": true, "info": true, "generator": true,
	"objdata": true, "nonshppict": true, "bkmkstart": true, "bkmkend": true, "annotation": true, "atnid": true,
	"atnauthor": true,
	"sp":        true, "themedata": true, "datastore": true, "latentstyles": true, "rsidtbl": true, "xmlnstbl": true,
	"filetbl": true, "revtbl": true, "tc": true, "xe": true,
}

// apart are the destinations whose text is kept apart, by what it is.
var apart = map[string]string{
	"title": "title", "author": "author", "footnote": "footnote", "fldinst": "fldinst", "listtext": "listtext",
	"pntext": "listtext", "fonttbl": "fonttbl", "stylesheet": "stylesheet",
}

// control reads what begins with a backslash.
func (p *reader) control() {
	p.at++
	if p.at >= len(p.raw) {
		return
	}
	c := p.raw[p.at]
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		p.word()
		return
	}
	p.at++
	switch c {
	case '\'':
		if p.at+2 <= len(p.raw) {
			if n, err := strconv.ParseUint(string(p.raw[p.at:p.at+2]), 16, 8); err == nil {
				p.at += 2
				p.char(byte(n))
			}
		}
	case '*':
		p.star = true
		return
	case '~':
		p.flush()
		p.write(" ")
	case '_':
		p.char('-')
	case '-':
	case '\r', '\n':
		p.endParagraph()
	case '\\', '{', '}':
		p.char(c)
	}
	p.star = false
}

// word reads a control word with its number.
func (p *reader) word() {
	start := p.at
	for p.at < len(p.raw) && p.at-start < 32 && (p.raw[p.at]|0x20 >= 'a' && p.raw[p.at]|0x20 <= 'z') {
		p.at++
	}
	name := string(p.raw[start:p.at])
	start = p.at
	for p.at < len(p.raw) && p.at-start < 12 && (p.raw[p.at] >= '0' && p.raw[p.at] <= '9' || p.at == start &&
		p.raw[p.at] == '-') {
		p.at++
	}
	n, err := strconv.Atoi(string(p.raw[start:p.at]))
	given := err == nil
	if p.at < len(p.raw) && p.raw[p.at] == ' ' {
		p.at++
	}
	star := p.star
	p.star = false
	p.flush()
	switch {
	case unread[name]:
		p.state.skip = true
	case apart[name] != "":
		p.state.into, p.state.skip = apart[name], p.state.skip && name != "title" && name != "author"
	case textOf[name] != "":
		p.write(textOf[name])
	case p.format(name, n, !given || n != 0) || p.layout(name, n):
	case star && name != "shpinst" && name != "shptxt":
		p.state.skip = true
	}
}

// format is the control words on characters; on says whether one is switched on.
func (p *reader) format(name string, n int, on bool) bool {
	switch name {
	case "ansicpg":
		if e := encodingOf(n); e != nil {
			p.page = e
		}
	case "mac":
		p.page = encodingOf(10000)
	case "pc":
		p.page = encodingOf(437)
	case "pca":
		p.page = encodingOf(850)
	case "f":
		p.state.face, p.defining = n, n
	case "fcharset":
		pages := map[int]int{77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258,
			177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}
		if e := encodingOf(pages[n]); p.state.into == "fonttbl" && e != nil && len(p.faces) < 10_000 {
			p.faces[p.defining] = e
		}
	case "u":
		p.unicode(n)
	case "uc":
		p.state.unicodeSkip = max(0, min(n, 8))
	case "bin":
		p.at = min(len(p.raw), p.at+max(0, n))
	case "v", "deleted":
		p.state.hidden = on
	case "strike", "striked":
		p.state.struck = on
	case "plain":
		p.state.hidden, p.state.struck, p.state.raised = false, false, 0
	case "super":
		p.state.raised = 1
	case "sub":
		p.state.raised = -1
	case "nosupersub":
		p.state.raised = 0
	case "fldrslt":
		p.state.result = true
	default:
		return false
	}
	return true
}

func (p *reader) unicode(n int) {
	if n < 0 {
		n += 1 << 16
	}
	r := rune(n)
	switch {
	case r >= 0xd800 && r < 0xdc00:
		p.high = r
	case utf16.IsSurrogate(r):
		p.write(string(utf16.DecodeRune(p.high, r)))
		p.high = 0
	default:
		p.write(string(r))
	}
	p.pending = p.state.unicodeSkip
}

// layout is the control words on paragraphs and tables.
func (p *reader) layout(name string, n int) bool {
	switch name {
	case "par", "sect", "page":
		p.endParagraph()
	case "line":
		if p.state.into == "" && !p.state.skip && !p.state.hidden {
			p.paragraph.WriteString("<br>")
		}
	case "pard":
		p.style, p.outline, p.level, p.inTable, p.list = 0, -1, 0, false, false
	case "s":
		if p.state.into == "stylesheet" {
			p.defining = n
		} else {
			p.style = n
		}
	case "outlinelevel":
		if p.state.into == "stylesheet" && len(p.levels) < 10_000 {
			if n >= 0 && n < 6 {
				p.levels[p.defining] = n + 1
			}
		} else {
			p.outline = n
		}
	case "ilvl":
		p.level = max(0, min(n, 8))
	case "intbl":
		p.inTable = true
	case "cell":
		p.endCell()
	case "row":
		p.endRow()
	default:
		return false
	}
	return true
}

// learnStyle reads the name of the style that is being defined.
func (p *reader) learnStyle(name string) {
	name = strings.ToLower(strings.TrimSpace(name))
	digits, found := strings.CutPrefix(name, "heading ")
	switch n, err := strconv.Atoi(digits); {
	case len(p.levels) > 10_000:
	case name == "title":
		p.levels[p.defining] = 1
	case found && err == nil && n > 0:
		p.levels[p.defining] = min(n, 6)
	}
	p.defining = -1
}
