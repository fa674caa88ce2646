package office

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/markup"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/extract/internal/xmltree"
)

// DOCX reads Word documents.
var DOCX = media.Reader{Name: docxType, Called: "docx", Bytes: true, Claims: zipOf(docxType, docxPart, false),
	Files: map[string]string{".docx": docxType},
	Read:  readDocx}

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

const docxPart = "word/document.xml"

// readDocx reads a Word document: headings by style, lists, tables, links, notes at the end. It leaves out hidden text.
func readDocx(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindDocument}
	a, parts, err := openParts(ctx, in, docxPart, "word/styles.xml", "word/numbering.xml", "word/footnotes.xml",
		"word/endnotes.xml", corePart)
	if err != nil {
		return r, err
	}
	w := docxWriter{room: min(4*in.MaxText, a.written()), numbers: map[string][maxLevels]int{},
		notes: map[string]*xmltree.Node{}, levels: docxStyles(parts["word/styles.xml"]),
		known: docxLists(parts["word/numbering.xml"])}
	if w.links, err = a.relations(docxPart); err != nil {
		return r, err
	}
	for _, name := range []string{"footnote", "endnote"} {
		for _, n := range parts["word/"+name+"s.xml"].All(name) {
			if kind := n.Attr("type"); kind == "" || kind == "normal" {
				w.notes[name+n.Attr("id")] = n
			}
		}
	}
	coreProperties(parts[corePart], &r)
	w.body(parts[docxPart].Kid("document", "body"))
	w.ending()
	if w.full() {
		r.Cut = "the document was read as far as is kept"
	}
	return markup.FromHTML(ctx, in, w.out.String(), r)
}

const corePart = "docProps/core.xml"

// coreProperties are what Office documents say of themselves.
func coreProperties(core *xmltree.Node, r *media.Reading) {
	core = core.Kid("coreProperties")
	r.Title = imprint.Title(core.Kid("title").Words())
	r.Author = imprint.Person(plain.CleanLine(core.Kid("creator").Words()))
	r.Published = imprint.Day(core.Kid("created").Words())
	r.Language = imprint.Language(core.Kid("language").Words())
}

// docxStyles are the heading levels of the paragraph styles, by id; styles that are based on a heading have its level.
func docxStyles(root *xmltree.Node) map[string]int {
	levels, base := map[string]int{}, map[string]string{}
	for _, s := range root.All("style") {
		id, name := s.Attr("styleId"), strings.ToLower(s.Kid("name").Attr("val"))
		base[id] = s.Kid("basedOn").Attr("val")
		switch {
		case name == "title":
			levels[id] = 1
		case strings.HasPrefix(name, "heading "):
			if n, err := strconv.Atoi(name[len("heading "):]); err == nil && n > 0 {
				levels[id] = min(n, 6)
			}
		default:
			if outline := s.Kid("pPr", "outlineLvl").Attr("val"); outline != "" {
				if n, err := strconv.Atoi(outline); err == nil && n >= 0 && n < 9 {
					levels[id] = min(n+1, 6)
				}
			}
		}
	}
	for id := range base {
		for at, steps := base[id], 0; levels[id] == 0 && at != "" && steps < 10; at, steps = base[at], steps+1 {
			levels[id] = levels[at]
		}
	}
	return levels
}

// maxLevels is how many levels a list of Word or PowerPoint has.
const maxLevels = 9

// A docxList is a list of Word: lists of one abstract list are counted together.
type docxList struct {
	abstract string
	first    []int  // number that each level begins with; 0 where it has bullets
	anew     []bool // levels that begin anew with the next item of this list, wherever the others are
}

// docxLists are the lists by id. A level that begins with 0 begins with 1 here.
func docxLists(root *xmltree.Node) map[string]docxList {
	abstract, lists := map[string][]int{}, map[string]docxList{}
	for _, l := range root.All("abstractNum") {
		var first []int
		for _, level := range l.All("lvl") {
			first = append(first, docxFirst(level))
		}
		abstract[l.Attr("abstractNumId")] = first[:min(len(first), maxLevels)]
	}
	for _, n := range root.All("num") {
		l := docxList{abstract: n.Kid("abstractNumId").Attr("val")}
		l.first = slices.Clone(abstract[l.abstract])
		l.anew = make([]bool, len(l.first))
		for _, other := range n.All("lvlOverride") {
			depth, err := strconv.Atoi(other.Attr("ilvl"))
			if err != nil || depth < 0 || depth >= len(l.first) {
				continue
			}
			if level := other.Kid("lvl"); level.Name != "" {
				l.first[depth] = docxFirst(level)
			}
			if start := other.Kid("startOverride").Attr("val"); start != "" && l.first[depth] > 0 {
				l.first[depth], l.anew[depth] = firstNumber(start), true
			}
		}
		lists[n.Attr("numId")] = l
	}
	return lists
}

// docxFirst is the number that a level begins with.
func docxFirst(level *xmltree.Node) int {
	if format := level.Kid("numFmt").Attr("val"); format == "bullet" || format == "none" || format == "" {
		return 0
	}
	return firstNumber(level.Kid("start").Attr("val"))
}

// firstNumber is the number that a list or an item says it begins with, at least 1.
func firstNumber(start string) int {
	n, err := strconv.Atoi(start)
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// A docxWriter writes a document's body as HTML.
type docxWriter struct {
	out     strings.Builder
	room    int // bytes of out after which no more is written
	links   map[string]string
	levels  map[string]int
	known   map[string]docxList
	numbers map[string][maxLevels]int // of the items written last, by abstract list and level
	notes   map[string]*xmltree.Node
	cited   []*xmltree.Node // notes in the order of their marks
	lists   markup.ItemLists
	nested  int // of tables
}

// full says whether as much was written as is kept.
func (w *docxWriter) full() bool { return w.out.Len() > w.room }

// maxNested is how deep tables and text boxes are followed.
const maxNested = 12

func (w *docxWriter) body(n *xmltree.Node) {
	for _, k := range n.Kids {
		if w.full() {
			break
		}
		switch k.Name {
		case "p":
			w.paragraph(k)
		case "tbl":
			w.table(k)
		case "sdt":
			w.body(k.Kid("sdtContent"))
		case "ins", "moveTo", "smartTag", "customXml":
			w.body(k)
		case "AlternateContent":
			w.body(k.Kid("Choice"))
		}
	}
	w.lists.Close(&w.out, 0)
}

func (w *docxWriter) paragraph(p *xmltree.Node) {
	about := p.Kid("pPr")
	var words strings.Builder
	var boxes []*xmltree.Node
	w.runs(p, &words, &boxes)
	text := strings.TrimSpace(words.String())
	level := w.levels[about.Kid("pStyle").Attr("val")]
	if outline, err := strconv.Atoi(about.Kid("outlineLvl").Attr("val")); err == nil && outline < 6 && outline >= 0 {
		level = outline + 1
	}
	list := about.Kid("numPr", "numId").Attr("val")
	switch {
	case text == "":
	case level > 0:
		w.lists.Close(&w.out, 0)
		clear(w.numbers) // headings are the upper levels of many lists
		fmt.Fprintf(&w.out, "<h%d>%s</h%d>\n", level, text, level)
	case list != "" && list != "0":
		depth, err := strconv.Atoi(about.Kid("numPr", "ilvl").Attr("val"))
		if err != nil {
			depth = 0
		}
		depth = max(0, min(depth, maxLevels-1))
		w.lists.Item(&w.out, depth, w.number(list, depth), text)
	default:
		w.lists.Close(&w.out, 0)
		fmt.Fprintf(&w.out, "<p>%s</p>\n", text)
	}
	for _, box := range boxes {
		if w.nested < maxNested {
			w.nested++
			w.body(box)
			w.nested--
		}
	}
}

// number is the number of the next item of a list at depth, 0 for a bullet. A heading, or what stands higher, ends a
// list.
func (w *docxWriter) number(id string, depth int) int {
	list := w.known[id]
	numbers := w.numbers[list.abstract]
	clear(numbers[depth+1:])
	if depth < len(list.first) && list.first[depth] > 0 {
		numbers[depth] = max(numbers[depth]+1, list.first[depth])
		if list.anew[depth] {
			numbers[depth], list.anew[depth] = list.first[depth], false
		}
	}
	w.numbers[list.abstract] = numbers
	return numbers[depth]
}

// runs writes the text within a paragraph, its links and the marks of its notes.
func (w *docxWriter) runs(n *xmltree.Node, out *strings.Builder, boxes *[]*xmltree.Node) {
	for _, k := range n.Kids {
		if w.out.Len()+out.Len() > w.room {
			return
		}
		switch k.Name {
		case "t":
			out.WriteString(html.EscapeString(k.Words()))
		case "tab", "ptab":
			out.WriteByte(' ')
		case "br", "cr":
			out.WriteString("<br>")
		case "noBreakHyphen":
			out.WriteByte('-')
		case "r":
			if !docxIs(k, "vanish") && !docxIs(k, "strike") && !docxIs(k, "dstrike") {
				w.runs(k, out, boxes)
			}
		case "hyperlink":
			if target := w.links[k.Attr("id")]; isWeb(target) {
				fmt.Fprintf(out, `<a href="%s">`, html.EscapeString(target))
				w.runs(k, out, boxes)
				out.WriteString("</a>")
				continue
			}
			w.runs(k, out, boxes)
		case "footnoteReference", "endnoteReference":
			if note := w.notes[strings.TrimSuffix(k.Name, "Reference")+k.Attr("id")]; note != nil &&
				len(w.cited) < 10_000 {
				w.cited = append(w.cited, note)
				fmt.Fprintf(out, "[%d]", len(w.cited))
			}
		case "txbxContent":
			*boxes = append(*boxes, k)
		case "AlternateContent":
			w.runs(k.Kid("Choice"), out, boxes)
		case "pPr", "rPr", "del", "moveFrom", "instrText", "delText", "Fallback", "":
		default:
			w.runs(k, out, boxes)
		}
	}
}

// docxIs says whether a run has a property that is on or off.
func docxIs(run *xmltree.Node, property string) bool {
	p := run.Kid("rPr", property)
	switch p.Attr("val") {
	case "0", "false", "off":
		return false
	}
	return p.Name != ""
}

func (w *docxWriter) table(t *xmltree.Node) {
	if w.nested >= maxNested {
		return
	}
	w.nested++
	w.lists.Close(&w.out, 0)
	w.out.WriteString("<table>\n")
	for _, row := range t.All("tr") {
		w.out.WriteString("<tr>")
		for _, cell := range row.All("tc") {
			fmt.Fprintf(&w.out, "<td%s>", spans(cell.Kid("tcPr", "gridSpan").Attr("val"), ""))
			w.body(cell)
			w.out.WriteString("</td>")
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
	w.nested--
}

// ending writes the marked notes, each with its number, within bounds: one may be marked any number of times.
func (w *docxWriter) ending() {
	for i := 0; i < len(w.cited) && !w.full(); i++ {
		var words strings.Builder
		var boxes []*xmltree.Node
		for _, p := range w.cited[i].All("p") {
			w.runs(p, &words, &boxes)
			words.WriteByte(' ')
		}
		fmt.Fprintf(&w.out, "<p>[%d] %s</p>\n", i+1, strings.TrimSpace(words.String()))
	}
}
