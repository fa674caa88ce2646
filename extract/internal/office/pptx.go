package office

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/xmltree"
)

// PPTX reads PowerPoint presentations.
var PPTX = media.Reader{Name: pptxType, Called: "pptx", Bytes: true, Claims: zipOf(pptxType, pptxPart, false),
	Files: map[string]string{".pptx": pptxType},
	Read:  readPPTX}

const pptxType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

const (
	pptxPart  = "ppt/presentation.xml"
	maxSlides = 2000
)

// readPPTX reads a presentation slide by slide in the order of showing, each with a heading "Slide 7": titles, lists,
// other text, tables, then the speaker's notes. It leaves out hidden slides, page numbers, dates and footers.
func readPPTX(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindDocument}
	a, read, err := openParts(ctx, in, pptxPart, corePart)
	if err != nil {
		return r, err
	}
	parts, err := a.relations(pptxPart)
	if err != nil {
		return r, err
	}
	coreProperties(read[corePart], &r)
	w := slideWriter{room: 4 * in.MaxText}
	for i, slide := range read[pptxPart].Kid("presentation", "sldIdLst").All("sldId") {
		if i == maxSlides || w.room < 0 || w.out.Len() > 4*in.MaxText {
			r.Cut = fmt.Sprintf("the presentation was read to slide %d, as much as is kept", i)
			break
		}
		if err := w.slide(a, parts[relationOf(slide)], i+1); err != nil {
			return r, err
		}
	}
	if w.room < 0 && r.Cut == "" {
		r.Cut = "the presentation was read as far as is kept"
	}
	r.Unit = citewell.UnitSlide
	if r, err = markup.FromHTML(ctx, in, w.out.String(), r); err != nil {
		return r, err
	}
	w.number(r.Blocks)
	return r, nil
}

// number gives each block its slide: headings of level 2 are what slide wrote, and nothing else is.
func (w *slideWriter) number(blocks []block.Block) {
	at := -1
	for i, b := range blocks {
		if b.Kind == block.Heading && b.Level == 2 && at+1 < len(w.shown) {
			at++
		}
		if at >= 0 {
			blocks[i].Page = w.shown[at]
		}
	}
}

// relationOf is the id of the part that n stands for, beside which it may have an id of its own.
func relationOf(n *xmltree.Node) string {
	for _, a := range n.Attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// A slideWriter writes slides as HTML.
type slideWriter struct {
	out   strings.Builder
	room  int   // bytes of runs that are still written, less than 0 where no more are
	shown []int // the numbers of the slides that were written
	links map[string]string
	lists markup.ItemLists
}

func (w *slideWriter) slide(a *archive, part string, number int) error {
	root, err := a.xml(part)
	if err != nil {
		return err
	}
	slide := root.Kid("sld")
	if shown := slide.Attr("show"); shown == "0" || shown == "false" {
		return nil
	}
	if w.links, err = a.relations(part); err != nil {
		return err
	}
	w.shown = append(w.shown, number)
	fmt.Fprintf(&w.out, "<h2>Slide %d</h2>\n", number)
	tree := slide.Kid("cSld", "spTree")
	w.shapes(tree, true, 0)
	w.shapes(tree, false, 0)
	for _, target := range w.links {
		if w.room < 0 || !strings.HasPrefix(target, "ppt/notesSlides/") {
			continue
		}
		notes, err := a.xml(target)
		if err != nil {
			return err
		}
		n := slideWriter{room: w.room}
		n.notes(notes.Kid("notes", "cSld", "spTree"))
		w.room = n.room
		if n.out.Len() > 0 {
			w.out.WriteString("<h4>Notes</h4>\n" + n.out.String())
		}
	}
	return nil
}

// shapes writes the titles among the shapes of n, or the others.
func (w *slideWriter) shapes(n *xmltree.Node, titles bool, depth int) {
	if depth > maxNested {
		return
	}
	for _, k := range n.Kids {
		switch k.Name {
		case "sp":
			role := placeholderOf(k)
			title := role == "title" || role == "ctrTitle"
			if hidden := k.Kid("nvSpPr", "cNvPr").Attr("hidden"); titles != title || hidden == "1" || hidden == "true" {
				continue
			}
			switch role {
			case "sldNum", "dt", "ftr", "hdr":
			case "title", "ctrTitle":
				if words := w.words(k.Kid("txBody")); words != "" {
					fmt.Fprintf(&w.out, "<h3>%s</h3>\n", words)
				}
			default:
				w.text(k.Kid("txBody"), role == "body" || role == "obj")
			}
		case "graphicFrame":
			if table := k.Kid("graphic", "graphicData", "tbl"); !titles && table.Name != "" {
				w.table(table)
			}
		case "grpSp":
			w.shapes(k, titles, depth+1)
		case "AlternateContent":
			w.shapes(k.Kid("Choice"), titles, depth+1)
		}
	}
}

func (w *slideWriter) notes(tree *xmltree.Node) {
	for _, k := range tree.Kids {
		if k.Name == "sp" && placeholderOf(k) == "body" {
			w.text(k.Kid("txBody"), false)
		}
	}
}

// placeholderOf is what a shape is on its slide: a title, a body; empty for a text box of its own.
func placeholderOf(shape *xmltree.Node) string {
	ph := shape.Kid("nvSpPr", "nvPr", "ph")
	if ph.Name == "" {
		return ""
	}
	return cmp.Or(ph.Attr("type"), "obj")
}

// text writes paragraphs; those of a body are the items of a list where there are several.
func (w *slideWriter) text(body *xmltree.Node, listed bool) {
	paragraphs := body.All("p")
	listed = listed && len(paragraphs) > 1
	var numbers slideNumbers
	for _, p := range paragraphs {
		words := w.runs(p)
		if words == "" {
			continue
		}
		about := p.Kid("pPr")
		level, err := strconv.Atoi(about.Attr("lvl"))
		if err != nil {
			level = 0
		}
		level = max(0, min(level, maxLevels-1))
		number := numbers.next(level, about.Kid("buAutoNum"))
		if about.Kid("buNone").Name != "" || !listed && number == 0 && about.Kid("buChar").Name == "" {
			w.lists.Close(&w.out, 0)
			fmt.Fprintf(&w.out, "<p>%s</p>\n", words)
			continue
		}
		w.lists.Item(&w.out, level, number, words)
	}
	w.lists.Close(&w.out, 0)
}

// slideNumbers are, by level, the scheme that the last paragraph of a body was numbered by, and its number.
type slideNumbers [maxLevels]struct {
	scheme, start string
	number        int
}

// next is the number of a body's next paragraph, 0 without one. A paragraph of the same level or above that is numbered
// otherwise, or not at all, ends a sequence.
func (s *slideNumbers) next(level int, scheme *xmltree.Node) int {
	clear(s[level+1:])
	at := &s[level]
	if scheme.Name == "" {
		at.number = 0
		return 0
	}
	if kind, start := scheme.Attr("type"), scheme.Attr("startAt"); at.number == 0 || kind != at.scheme ||
		start != at.start {
		at.scheme, at.start, at.number = kind, start, firstNumber(start)-1
	}
	at.number++
	return at.number
}

// words are the paragraphs of a body on one line.
func (w *slideWriter) words(body *xmltree.Node) string {
	var parts []string
	for _, p := range body.All("p") {
		if words := w.runs(p); words != "" {
			parts = append(parts, words)
		}
	}
	return strings.Join(parts, " ")
}

func (w *slideWriter) runs(p *xmltree.Node) string {
	var b strings.Builder
	for _, k := range p.Kids {
		if w.room < 0 {
			break
		}
		switch k.Name {
		case "r", "fld":
			if strike := k.Kid("rPr").Attr("strike"); strike != "" && strike != "noStrike" {
				continue
			}
			words := html.EscapeString(k.Kid("t").Words())
			if target := w.links[relationOf(k.Kid("rPr", "hlinkClick"))]; isWeb(target) {
				words = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(target), words)
			}
			if raised, err := strconv.Atoi(k.Kid("rPr").Attr("baseline")); err == nil && raised != 0 && words != "" {
				kind := "sup"
				if raised < 0 {
					kind = "sub"
				}
				words = fmt.Sprintf("<%s>%s</%s>", kind, words, kind)
			}
			b.WriteString(words)
			w.room -= len(words)
		case "br":
			b.WriteString("<br>")
		}
	}
	return strings.TrimSpace(b.String())
}

func (w *slideWriter) table(t *xmltree.Node) {
	w.out.WriteString("<table>\n")
	for _, row := range t.All("tr") {
		w.out.WriteString("<tr>")
		for _, cell := range row.All("tc") {
			if cell.Attr("hMerge") == "1" || cell.Attr("vMerge") == "1" {
				continue
			}
			fmt.Fprintf(&w.out, "<td%s>%s</td>", spans(cell.Attr("gridSpan"), cell.Attr("rowSpan")),
				w.words(cell.Kid("txBody")))
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
}
