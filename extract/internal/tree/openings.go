package tree

import (
	"strings"

	"github.com/citewell/citewell/internal/text"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The HTML standard has formatting that is left open go on in the next block: a parser repeats every such element
// there, so that a kilobyte of open tags costs as much again for each of a million paragraphs. openings follows the
// tags of a page and estimates what a parser would repeat, without a tree.
type openings struct {
	unfolded int // weight of what was repeated so far
	formats  []openFormat
	around   []openElement
	floor    int  // index of the first format within the innermost cell
	foreign  int  // svg and math elements that are open
	closed   bool // an element ended since the last text
}

// maxUnfolded is the weight beyond which a page is not made a tree: on real pages it is some thousands.
const maxUnfolded = 500_000

// maxOpen is how many elements a parser lets be open; more are not looked through.
const maxOpen = 512

// An openFormat is a formatting element without its end.
type openFormat struct {
	tag    atom.Atom
	start  string // as it is written
	weight int    // 1 for the element, and what its attributes take
	depth  int    // elements that were open around where it stands
	loose  bool   // where it stood has ended: it is repeated before the next words
}

// An openElement is any other element without its end, and how many formats there were before it.
type openElement struct {
	tag     atom.Atom
	formats int
}

// goesOn are the formatting elements of the standard.
var goesOn = map[atom.Atom]bool{
	atom.A: true, atom.B: true, atom.Big: true, atom.Code: true, atom.Em: true, atom.Font: true, atom.I: true,
	atom.Nobr: true, atom.S: true, atom.Small: true, atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true,
}

// endsItself are elements that begin where another of them ends, if that has no end tag.
var endsItself = map[atom.Atom]bool{
	atom.P: true, atom.Li: true, atom.Dt: true, atom.Dd: true, atom.Tr: true, atom.Td: true, atom.Th: true,
	atom.Option: true, atom.Caption: true,
}

func (o *openings) part(page string, p part) {
	switch p.kind {
	case html.TextToken:
		if o.closed && len(o.formats) > o.floor && strings.TrimSpace(page[p.start:p.end]) != "" {
			o.repeat()
		}
	case html.StartTagToken, html.SelfClosingTagToken:
		switch size := p.end - p.start; {
		case voidElement[p.tag] || p.tag == atom.Meta || p.kind == html.SelfClosingTagToken && o.foreign > 0:
		case goesOn[p.tag]:
			o.repeat()
			o.format(p.tag, text.Prefix(page[p.start:p.end], MaxAttribute), 1+size/16)
		default:
			o.open(p.tag)
		}
	case html.EndTagToken:
		if goesOn[p.tag] {
			o.endFormat(p.tag)
		} else {
			o.end(p.tag)
		}
	}
}

// repeat puts the formats whose place has ended into the present one.
func (o *openings) repeat() {
	o.closed = false
	for i := len(o.formats) - 1; i >= max(o.floor, len(o.formats)-maxOpen) && o.formats[i].loose; i-- {
		f := &o.formats[i]
		o.unfolded += f.weight
		f.depth, f.loose = len(o.around), false
	}
}

// loosen marks the formats that stood deeper than what is open still.
func (o *openings) loosen() {
	o.closed = true
	for i := len(o.formats) - 1; i >= max(o.floor, len(o.formats)-maxOpen); i-- {
		f := &o.formats[i]
		if !f.loose && f.depth <= len(o.around) {
			return
		}
		f.loose = true
	}
}

// format adds one. Of those that are written alike a parser keeps three, and of links one.
func (o *openings) format(tag atom.Atom, start string, weight int) {
	alike := 0
	for i := len(o.formats) - 1; i >= max(o.floor, len(o.formats)-maxOpen); i-- {
		if f := o.formats[i]; f.tag == tag && (tag == atom.A || f.start == start) {
			if alike++; alike == 3 || tag == atom.A {
				o.formats = append(o.formats[:i], o.formats[i+1:]...)
				break
			}
		}
	}
	o.formats = append(o.formats, openFormat{tag: tag, start: start, weight: weight, depth: len(o.around)})
}

func (o *openings) endFormat(tag atom.Atom) {
	for i := len(o.formats) - 1; i >= max(o.floor, len(o.formats)-maxOpen); i-- {
		if o.formats[i].tag == tag {
			o.formats = append(o.formats[:i], o.formats[i+1:]...)
			return
		}
	}
}

func (o *openings) open(tag atom.Atom) {
	switch {
	case tag == atom.Td || tag == atom.Th:
		o.end(atom.Td)
		o.end(atom.Th)
	case endsItself[tag]:
		o.end(tag)
	case BlockElements[tag] && len(o.around) > 0 && o.around[len(o.around)-1].tag == atom.P:
		o.end(atom.P)
	}
	o.around = append(o.around, openElement{tag, len(o.formats)})
	switch {
	case isCell(tag):
		o.floor = len(o.formats)
	case tag == atom.Svg || tag == atom.Math:
		o.foreign++
	}
}

func isCell(tag atom.Atom) bool { return tag == atom.Td || tag == atom.Th || tag == atom.Caption }

// end closes the innermost element of that name and all in it, within its table.
// What formatting a cell had ends with it.
func (o *openings) end(tag atom.Atom) {
	for i := len(o.around) - 1; i >= max(0, len(o.around)-maxOpen); i-- {
		if at := o.around[i].tag; at != tag {
			if at == atom.Table {
				return
			}
			continue
		}
		cells := false
		for _, e := range o.around[i:] {
			if isCell(e.tag) && !cells {
				o.formats, cells = o.formats[:min(e.formats, len(o.formats))], true
			}
			if e.tag == atom.Svg || e.tag == atom.Math {
				o.foreign--
			}
		}
		o.around = o.around[:i]
		if cells {
			o.floor = 0
			for j := i - 1; j >= max(0, i-maxOpen); j-- {
				if isCell(o.around[j].tag) {
					o.floor = min(o.around[j].formats, len(o.formats))
					break
				}
			}
		}
		o.loosen()
		return
	}
}
