package textual

import (
	"context"
	"slices"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/xmltree"
)

// XML reads the words of elements that nobody has told us of.
var XML = media.Reader{Name: "application/xml", Called: "XML", Read: readXML,
	Files: map[string]string{".xml": "text/xml"}, Claims: func(page media.Page) string {
		switch {
		case page.Declared == "text/xml" || page.Declared == "application/xml" ||
			strings.HasPrefix(page.Declared, "application/") && strings.HasSuffix(page.Declared, "+xml"):
			return page.Declared
		case page.Vague && (page.Found == "text/xml" || page.Found == "application/xml"):
			return "application/xml"
		}
		return ""
	}}

// readXML reads XML that is no feed and no page: the text of its elements. Elements with words of their own are
// paragraphs; a record, whose elements each hold a short value, is one with a line "name: value" for each; titles are
// headings. XML without any text is kept as it stands.
func readXML(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindData}
	root, err := xmltree.Read(ctx, []byte(in.Text))
	if err != nil {
		return r, err
	}
	x := xmlText{room: in.MaxText}
	x.blocks(root, 1)
	if len(x.found) == 0 {
		return readText(ctx, in)
	}
	r.Blocks = x.found
	r.Title = block.FirstHeading(r.Blocks)
	r.Markdown = block.Markdown(r.Blocks)
	return r, nil
}

// headingNames are the elements that name the part they stand in.
var headingNames = []string{"title", "head", "heading", "article-title", "chapter-title", "headline"}

// maxLevels is how deep elements are told apart; those below are read as words of the one around them.
const maxLevels = 32

// maxValue is the longest value of a record, in bytes.
const maxValue = 200

type xmlText struct {
	found []block.Block
	room  int // bytes of text that are still kept
}

func (x *xmlText) add(b block.Block) {
	if x.room <= 0 {
		return
	}
	if b.Text = charset.WellFormedText(b.Text); b.Text != "" {
		x.room -= len(b.Text)
		x.found = append(x.found, b)
	}
}

func (x *xmlText) blocks(n *xmltree.Node, level int) {
	if x.record(n) {
		return
	}
	for _, k := range n.Kids {
		switch {
		case k.Name == "":
			x.add(block.Block{Text: plain.OneLine(k.Text)})
		case slices.Contains(headingNames, strings.ToLower(k.Name)) && len(k.Words()) <= 300:
			x.add(block.Block{Kind: block.Heading, Level: min(level, 6), Text: plain.OneLine(k.Words())})
		case level > maxLevels || k.IsProse():
			x.add(block.Block{Text: plain.OneLine(k.Words())})
		default:
			x.blocks(k, level+1)
		}
	}
}

// record writes an element that holds values alone.
func (x *xmlText) record(n *xmltree.Node) bool {
	var lines []string
	for _, k := range n.Kids {
		if k.Name == "" {
			continue
		}
		if k.HoldsElements() {
			return false
		}
		value := plain.OneLine(k.Words())
		if len(value) > maxValue || k.Name == "p" || k.Name == "para" {
			return false
		}
		if value != "" {
			lines = append(lines, k.Name+": "+value)
		}
	}
	if len(lines) < 2 || n.Name == "" {
		return false
	}
	x.add(block.Block{Text: strings.Join(lines, "\n")})
	return true
}
