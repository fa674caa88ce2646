package extract

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"
)

const docxPart = "word/document.xml"

// readDocx reads a Word document: headings by their styles, lists, tables, links,
// notes at the end. Hidden and deleted text is left out.
func readDocx(ctx context.Context, in input) (reading, error) {
	r := reading{kind: kindDocument}
	a, err := openArchive(ctx, in)
	if err != nil {
		return r, err
	}
	document, err := a.xml(docxPart)
	if err != nil {
		return r, err
	}
	w := docxWriter{notes: map[string]*xmlNode{}}
	if w.links, err = a.relations(docxPart); err != nil {
		return r, err
	}
	styles, err := a.xml("word/styles.xml")
	if err != nil {
		return r, err
	}
	numbering, err := a.xml("word/numbering.xml")
	if err != nil {
		return r, err
	}
	for part, name := range map[string]string{"word/footnotes.xml": "footnote", "word/endnotes.xml": "endnote"} {
		notes, err := a.xml(part)
		if err != nil {
			return r, err
		}
		for _, n := range notes.all(name) {
			if kind := n.attr("type"); kind == "" || kind == "normal" {
				w.notes[name+n.attr("id")] = n
			}
		}
	}
	w.levels, w.ordered = docxStyles(styles), docxLists(numbering)
	if err := coreProperties(a, &r); err != nil {
		return r, err
	}
	w.body(document.kid("document", "body"))
	w.ending()
	return fromHTML(ctx, in, w.out.String(), r)
}

// coreProperties are what Office documents say of themselves.
func coreProperties(a *archive, r *reading) error {
	core, err := a.xml("docProps/core.xml")
	if err != nil {
		return err
	}
	core = core.kid("coreProperties")
	r.title = ownTitle(core.kid("title").words())
	r.author = personName(cleanLine(core.kid("creator").words()))
	r.published = day(core.kid("created").words())
	r.language = languageTag(core.kid("language").words())
	return nil
}

// docxStyles are the heading levels of the paragraph styles, by id; styles that are
// based on a heading have its level.
func docxStyles(root *xmlNode) map[string]int {
	levels, base := map[string]int{}, map[string]string{}
	for _, s := range root.all("style") {
		id, name := s.attr("styleId"), strings.ToLower(s.kid("name").attr("val"))
		base[id] = s.kid("basedOn").attr("val")
		switch {
		case name == "title":
			levels[id] = 1
		case strings.HasPrefix(name, "heading "):
			if n, err := strconv.Atoi(name[len("heading "):]); err == nil && n > 0 {
				levels[id] = min(n, 6)
			}
		default:
			if outline := s.kid("pPr", "outlineLvl").attr("val"); outline != "" {
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

// docxLists says which lists are numbered, by list and level.
func docxLists(root *xmlNode) map[string]bool {
	abstract, ordered := map[string][]bool{}, map[string]bool{}
	for _, l := range root.all("abstractNum") {
		var levels []bool
		for _, level := range l.all("lvl") {
			format := level.kid("numFmt").attr("val")
			levels = append(levels, format != "bullet" && format != "none" && format != "")
		}
		abstract[l.attr("abstractNumId")] = levels
	}
	for _, n := range root.all("num") {
		for level, is := range abstract[n.kid("abstractNumId").attr("val")] {
			ordered[fmt.Sprint(n.attr("numId"), ".", level)] = is
		}
	}
	return ordered
}

// A docxWriter writes a document's body as HTML.
type docxWriter struct {
	out     strings.Builder
	links   map[string]string
	levels  map[string]int
	ordered map[string]bool
	notes   map[string]*xmlNode
	cited   []*xmlNode // notes in the order of their marks
	lists   itemLists
	nested  int // of tables
}

// maxNested is how deep tables and text boxes are followed.
const maxNested = 12

func (w *docxWriter) body(n *xmlNode) {
	for _, k := range n.kids {
		switch k.name {
		case "p":
			w.paragraph(k)
		case "tbl":
			w.table(k)
		case "sdt":
			w.body(k.kid("sdtContent"))
		case "ins", "moveTo", "smartTag", "customXml":
			w.body(k)
		case "AlternateContent":
			w.body(k.kid("Choice"))
		}
	}
	w.lists.close(&w.out, 0)
}

func (w *docxWriter) paragraph(p *xmlNode) {
	about := p.kid("pPr")
	if about.kid("rPr", "vanish").name != "" && p.kid("r").name == "" {
		return
	}
	var words strings.Builder
	var boxes []*xmlNode
	w.runs(p, &words, &boxes, 0)
	text := strings.TrimSpace(words.String())
	level := w.levels[about.kid("pStyle").attr("val")]
	if outline, err := strconv.Atoi(about.kid("outlineLvl").attr("val")); err == nil && outline < 6 && outline >= 0 {
		level = outline + 1
	}
	list := about.kid("numPr", "numId").attr("val")
	switch {
	case text == "":
	case level > 0:
		w.lists.close(&w.out, 0)
		fmt.Fprintf(&w.out, "<h%d>%s</h%d>\n", level, text, level)
	case list != "" && list != "0":
		depth, err := strconv.Atoi(about.kid("numPr", "ilvl").attr("val"))
		if err != nil {
			depth = 0
		}
		depth = max(0, min(depth, 8))
		w.lists.item(&w.out, depth, w.ordered[fmt.Sprint(list, ".", depth)], text)
	default:
		w.lists.close(&w.out, 0)
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

// runs writes the text within a paragraph, its links and the marks of its notes.
func (w *docxWriter) runs(n *xmlNode, out *strings.Builder, boxes *[]*xmlNode, depth int) {
	if depth > maxXMLDepth {
		return
	}
	for _, k := range n.kids {
		switch k.name {
		case "t":
			out.WriteString(html.EscapeString(k.words()))
		case "tab", "ptab":
			out.WriteByte(' ')
		case "br", "cr":
			out.WriteString("<br>")
		case "noBreakHyphen":
			out.WriteByte('-')
		case "r":
			if !docxIs(k, "vanish") && !docxIs(k, "strike") && !docxIs(k, "dstrike") {
				w.runs(k, out, boxes, depth+1)
			}
		case "hyperlink":
			if target := w.links[k.attr("id")]; strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://") {
				fmt.Fprintf(out, `<a href="%s">`, html.EscapeString(target))
				w.runs(k, out, boxes, depth+1)
				out.WriteString("</a>")
				continue
			}
			w.runs(k, out, boxes, depth+1)
		case "footnoteReference", "endnoteReference":
			if note := w.notes[strings.TrimSuffix(k.name, "Reference")+k.attr("id")]; note != nil && len(w.cited) < 10_000 {
				w.cited = append(w.cited, note)
				fmt.Fprintf(out, "[%d]", len(w.cited))
			}
		case "txbxContent":
			*boxes = append(*boxes, k)
		case "AlternateContent":
			w.runs(k.kid("Choice"), out, boxes, depth+1)
		case "pPr", "rPr", "del", "moveFrom", "instrText", "delText", "Fallback", "":
		default:
			w.runs(k, out, boxes, depth+1)
		}
	}
}

// docxIs says whether a run has a property that is on or off.
func docxIs(run *xmlNode, property string) bool {
	p := run.kid("rPr", property)
	switch p.attr("val") {
	case "0", "false", "off":
		return false
	}
	return p.name != ""
}

func (w *docxWriter) table(t *xmlNode) {
	if w.nested >= maxNested {
		return
	}
	w.nested++
	w.lists.close(&w.out, 0)
	w.out.WriteString("<table>\n")
	for _, row := range t.all("tr") {
		w.out.WriteString("<tr>")
		for _, cell := range row.all("tc") {
			span := ""
			if n, err := strconv.Atoi(cell.kid("tcPr", "gridSpan").attr("val")); err == nil && n > 1 && n < 100 {
				span = fmt.Sprintf(` colspan="%d"`, n)
			}
			fmt.Fprintf(&w.out, "<td%s>", span)
			w.body(cell)
			w.out.WriteString("</td>")
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
	w.nested--
}

// ending writes the notes that were marked, each with its number.
func (w *docxWriter) ending() {
	for i := 0; i < len(w.cited); i++ {
		var words strings.Builder
		var boxes []*xmlNode
		for _, p := range w.cited[i].all("p") {
			w.runs(p, &words, &boxes, 0)
			words.WriteByte(' ')
		}
		fmt.Fprintf(&w.out, "<p>[%d] %s</p>\n", i+1, strings.TrimSpace(words.String()))
	}
}
