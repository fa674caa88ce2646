package extract

import (
	"context"
	"slices"
	"strings"
)

// readXMLText reads XML that is no feed and no page: the text of its elements, not
// their tags. Elements with words of their own are paragraphs; a record, whose
// elements each hold a short value, is a paragraph with a line "name: value" for
// each; titles are headings. XML without any text is kept as it stands.
func readXMLText(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindData}
	root, err := readXML(ctx, []byte(in.text))
	if err != nil {
		return r, err
	}
	x := xmlText{room: in.options.MaxText}
	x.blocks(root, 1)
	if len(x.found) == 0 {
		return readText(in)
	}
	r.blocks = x.found
	r.title = firstHeading(r.blocks)
	r.markdown = plainMarkdown(r.blocks)
	return r, nil
}

// headingNames are the elements that name the part they stand in.
var headingNames = []string{"title", "head", "heading", "article-title", "chapter-title", "headline"}

// maxLevels is how deep elements are told apart; those below are read as words of
// the one around them.
const maxLevels = 32

// maxValue is the longest value of a record, in bytes.
const maxValue = 200

type xmlText struct {
	found []block
	room  int // bytes of text that are still kept
}

func (x *xmlText) add(b block) {
	if x.room <= 0 {
		return
	}
	if b.text = wellFormedText(b.text); b.text != "" {
		x.room -= len(b.text)
		x.found = append(x.found, b)
	}
}

func (x *xmlText) blocks(n *xmlNode, level int) {
	if x.record(n) {
		return
	}
	for _, k := range n.kids {
		switch {
		case k.name == "":
			x.add(block{text: oneLine(k.text)})
		case slices.Contains(headingNames, strings.ToLower(k.name)) && len(k.words()) <= 300:
			x.add(block{kind: heading, level: min(level, 6), text: oneLine(k.words())})
		case level > maxLevels || k.isProse():
			x.add(block{text: oneLine(k.words())})
		default:
			x.blocks(k, level+1)
		}
	}
}

// record writes an element that holds values alone.
func (x *xmlText) record(n *xmlNode) bool {
	var lines []string
	for _, k := range n.kids {
		if k.name == "" {
			continue
		}
		if k.holdsElements() {
			return false
		}
		value := oneLine(k.words())
		if len(value) > maxValue || k.name == "p" || k.name == "para" {
			return false
		}
		if value != "" {
			lines = append(lines, k.name+": "+value)
		}
	}
	if len(lines) < 2 || n.name == "" {
		return false
	}
	x.add(block{text: strings.Join(lines, "\n")})
	return true
}

func (n *xmlNode) holdsElements() bool {
	return slices.ContainsFunc(n.kids, func(k *xmlNode) bool { return k.name != "" })
}

// isProse tells an element most of whose words are its own: those within it are
// emphasis, links and the like.
func (n *xmlNode) isProse() bool {
	own, all := 0, len(strings.TrimSpace(n.words()))
	for _, k := range n.kids {
		if k.name == "" {
			own += len(strings.TrimSpace(k.text))
		}
	}
	return own*2 >= all
}
