// Package rtf reads Rich Text documents.
//
// Flow: groups and control words → a page in HTML → blocks.
// Units: characters in the font's character set.
// Errors: deadline.ErrCut.
package rtf

import (
	"bytes"
	"context"
	"html"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
)

// Reader reads Rich Text.
var Reader = media.Reader{Name: mediaType, Called: "rtf", Bytes: true, Read: read,
	Files: map[string]string{".rtf": mediaType},
	Claims: func(page media.Page) string {
		if bytes.HasPrefix(bytes.TrimPrefix(page.Body, []byte("\xef\xbb\xbf")), []byte(`{\rtf`)) {
			return mediaType
		}
		return ""
	}}

const mediaType = "application/rtf"

// maxNotes is how many notes of one document are followed.
const maxNotes = 10_000

// maxGroups is how deep the groups of an RTF document are followed.
const maxGroups = 512

// read reads a Rich Text document: headings by style or outline level, lists, tables, links, notes at the end. It
// leaves out hidden and deleted text, headers, footers and pictures.
func read(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindDocument}
	p := reader{raw: in.Raw, levels: map[int]int{}, faces: map[int]encoding.Encoding{}, about: map[string]string{},
		page: charmap.Windows1252, outline: -1}
	p.state.unicodeSkip = 1
	for p.at < len(p.raw) {
		if p.steps++; p.steps&0xfff == 0 && ctx.Err() != nil {
			return r, deadline.ErrCut
		}
		if p.out.Len() > 4*in.MaxText {
			r.Cut = "the document was read as far as is kept"
			break
		}
		if !p.step() {
			break
		}
	}
	p.flush()
	if p.linked { // a document may break off in a link
		p.paragraph.WriteString("</a>")
	}
	p.state = state{} // or in a note
	p.endParagraph()
	p.endRow()
	p.endTable()
	p.lists.Close(&p.out, 0)
	for i, note := range p.notes {
		p.out.WriteString("<p>[" + strconv.Itoa(i+1) + "] " + html.EscapeString(plain.OneLine(note)) + "</p>\n")
	}
	r.Title = imprint.Title(p.about["title"])
	r.Author = imprint.Person(plain.CleanLine(p.about["author"]))
	return markup.FromHTML(ctx, in, p.out.String(), r)
}

// state is what a group inherits and ends with.
type state struct {
	skip        bool   // a destination that is no text
	into        string // a destination whose text is kept apart
	result      bool   // what a field shows
	hidden      bool
	struck      bool // crossed out
	unicodeSkip int  // characters that stand for a \u where it is not understood
	face        int
	raised      int
}

// An reader goes through an RTF document and writes it as HTML.
type reader struct {
	raw    []byte
	at     int
	steps  int
	state  state
	stack  []state
	star   bool                      // what follows may be left out by who does not know it
	page   encoding.Encoding         // of the document
	faces  map[int]encoding.Encoding // of its fonts
	levels map[int]int               // headings by style
	about  map[string]string
	notes  []string

	out       strings.Builder
	paragraph strings.Builder // as HTML
	apart     strings.Builder // text of the destination in state.into
	bytes     []byte          // of text, not yet decoded
	pending   int             // characters to be left out after a \u
	high      rune            // first half of a character
	linked    bool            // in a link
	defining  int             // the style or font that is being defined

	style, outline, level int
	list                  bool
	label                 string // the mark of the item
	lists                 markup.ItemLists
	inTable, table        bool
	cell                  strings.Builder
	cells                 []string
}

// step reads one control or one character; false at the end.
func (p *reader) step() bool {
	switch c := p.raw[p.at]; c {
	case '{':
		p.flush()
		p.at++
		if len(p.stack) >= maxGroups {
			return false
		}
		p.stack = append(p.stack, p.state)
	case '}':
		p.flush()
		p.at++
		if len(p.stack) == 0 {
			return false
		}
		p.leave()
	case '\\':
		p.control()
	case '\r', '\n':
		p.at++
	default:
		p.at++
		p.char(c)
	}
	return true
}

// leave ends a group and whatever destination it opened.
func (p *reader) leave() {
	before := p.stack[len(p.stack)-1]
	if p.state.into != before.into {
		words := p.apart.String()
		p.apart.Reset()
		switch p.state.into {
		case "title", "author":
			p.about[p.state.into] = words
		case "footnote":
			if words = strings.TrimSpace(words); words != "" && len(p.notes) < maxNotes {
				p.notes = append(p.notes, words)
				p.paragraph.WriteString("[" + strconv.Itoa(len(p.notes)) + "]")
			}
		case "fldinst":
			if target := hyperlink(words); target != "" && !p.linked {
				p.linked = true
				p.paragraph.WriteString(`<a href="` + html.EscapeString(target) + `">`)
			}
		case "listtext":
			p.list, p.label = true, strings.TrimSpace(words)
		}
	}
	if p.state.result && !before.result && p.linked {
		p.linked = false
		p.paragraph.WriteString("</a>")
	}
	p.state, p.stack = before, p.stack[:len(p.stack)-1]
}

// hyperlink is the web address in a field's instruction, or empty.
func hyperlink(instruction string) string {
	_, rest, found := strings.Cut(instruction, "HYPERLINK")
	if !found {
		return ""
	}
	rest = strings.Trim(strings.TrimSpace(rest), `"`)
	rest, _, _ = strings.Cut(rest, `"`)
	if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") {
		return rest
	}
	return ""
}

// encodingOf is the encoding of a code page by its number.
func encodingOf(page int) encoding.Encoding {
	names := map[int]string{437: "", 850: "", 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5",
		10000: "macintosh", 65001: "utf-8"}
	name, special := names[page]
	switch {
	case page == 437:
		return charmap.CodePage437
	case page == 850:
		return charmap.CodePage850
	case !special:
		name = "windows-" + strconv.Itoa(page)
	}
	if e, err := htmlindex.Get(name); err == nil {
		return e
	}
	return nil
}
