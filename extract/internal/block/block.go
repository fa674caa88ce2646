// Package block defines the blocks that every reader makes of its page, lays them out as canonical text and as
// Markdown, and reads from them facts about the whole document.
//
// Units: sizes and offsets in bytes of UTF-8.
package block

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/text"
)

// A Kind says how a block is laid out and cut.
type Kind int

const (
	Paragraph Kind = iota
	Heading
	Item        // of a list
	Term        // of a list of terms, or the signature that a description follows
	Explanation // of a term
	Code
	Grid // a table of data
)

// A Block is one piece of content: a paragraph, a heading, a whole table.
type Block struct {
	Kind    Kind
	Level   int    // of a heading, 1 to 6; of a list item or a term, its depth
	Text    string // as it stands in canonical text
	Columns string // the line of a grid that names the columns of its rows; empty where none does
	Marker  int    // bytes of text that are the mark of a list item
	List    int    // which list or list of terms it belongs to; 0 for none
	Terms   int    // how many lists of terms it stands in
	Linked  int    // bytes of text that stand inside links
	Leaves  []*html.Node
	Boiler  tree.Boilerplate // why it looks like a part of the site, not of the page
	Element *html.Node       // the nearest block element around it
	// Page is the number of the page that holds the block, from 1; 0 if the document has no pages. The first block of a
	// page is a heading that the reader adds.
	Page int
}

// A Span is where a block lies in canonical text.
type Span struct {
	Start, End int
	Kind       Kind
	Level      int
	Terms      int
	Page       int
	Columns    string // of a grid
}

// LayOut joins the blocks to canonical text and says where each lies. Items of one list, and a term with what explains
// it, stand on neighbouring lines; a blank line parts all else. It stops before the block that would exceed limit and
// says whether everything had room.
func LayOut(blocks []Block, limit int) (laid string, spans []Span, whole bool) {
	var b strings.Builder
	for i, block := range blocks {
		if block.Text == "" {
			continue
		}
		separator := "\n\n"
		if i > 0 && adjoining(blocks[i-1], block) {
			separator = "\n"
		}
		if b.Len() == 0 {
			separator = ""
		}
		body := block.Text
		if room := limit - b.Len() - len(separator); len(body) > room {
			if b.Len() > 0 {
				return b.String(), spans, false
			}
			body = text.Prefix(body, room)
		}
		b.WriteString(separator)
		start := b.Len()
		b.WriteString(body)
		spans = append(spans, Span{Start: start, End: b.Len(), Kind: block.Kind, Level: block.Level, Terms: block.Terms,
			Page: block.Page, Columns: block.Columns})
		if len(body) < len(block.Text) {
			return b.String(), spans, false
		}
	}
	return b.String(), spans, true
}

func adjoining(above, below Block) bool {
	switch {
	case above.Kind == Item && below.Kind == Item:
		return above.List == below.List
	case above.Kind == Term:
		return below.Kind == Explanation || below.Kind == Term
	}
	return false
}
