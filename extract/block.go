package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// A blockKind says how a block is laid out and cut.
type blockKind int

const (
	paragraph blockKind = iota
	heading
	item        // of a list
	term        // of a list of terms, or the signature that a description follows
	explanation // of a term
	code
	grid // a table of data
)

// A block is one piece of content: a paragraph, a heading, a whole table.
type block struct {
	kind    blockKind
	level   int    // of a heading, 1 to 6; of a list item or a term, its depth
	text    string // as it stands in canonical text
	columns string // the line of a grid that names the columns of its rows; empty where none does
	marker  int    // bytes of text that are the mark of a list item
	list    int    // which list or list of terms it belongs to; 0 for none
	terms   int    // how many lists of terms it stands in
	linked  int    // bytes of text that stand inside links
	leaves  []*html.Node
	boiler  boilerplate // why it looks like a part of the site, not of the page
	element *html.Node  // the nearest block element around it
	page    int         // of the document, from 1; 0 where that has none. A page's first block is a heading of ours
}

// A span is where a block lies in canonical text.
type span struct {
	start, end int
	kind       blockKind
	level      int
	terms      int
	page       int
	columns    string // of a grid
}

// layOut joins the blocks to canonical text and says where each lies. Items of
// one list, and a term with what explains it, stand on neighbouring lines;
// everything else is set apart by a blank line. It stops before the block that
// would exceed limit and says whether everything had room.
func layOut(blocks []block, limit int) (text string, spans []span, whole bool) {
	var b strings.Builder
	for i, block := range blocks {
		if block.text == "" {
			continue
		}
		separator := "\n\n"
		if i > 0 && adjoining(blocks[i-1], block) {
			separator = "\n"
		}
		if b.Len() == 0 {
			separator = ""
		}
		body := block.text
		if room := limit - b.Len() - len(separator); len(body) > room {
			if b.Len() > 0 {
				return b.String(), spans, false
			}
			body = clip(body, max(room, 0))
		}
		b.WriteString(separator)
		start := b.Len()
		b.WriteString(body)
		spans = append(spans, span{start: start, end: b.Len(), kind: block.kind, level: block.level, terms: block.terms, page: block.page, columns: block.columns})
		if len(body) < len(block.text) {
			return b.String(), spans, false
		}
	}
	return b.String(), spans, true
}

func adjoining(above, below block) bool {
	switch {
	case above.kind == item && below.kind == item:
		return above.list == below.list
	case above.kind == term:
		return below.kind == explanation || below.kind == term
	}
	return false
}
