package extract

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// An odtWriter writes a document's body as HTML.
type odtWriter struct {
	out     strings.Builder
	hidden  map[string]bool // styles of text that is not shown, or crossed out
	titles  map[string]bool // styles of the document's title
	ordered map[string]bool // lists that are numbered, by style and level
	notes   []*xmlNode      // in the order of their marks
	list    string          // style of the list around
}

// styles learns what matters of the styles of one part.
func (w *odtWriter) styles(part *xmlNode) {
	for _, s := range part.all("style") {
		name := s.attr("name")
		shown := s.kid("text-properties")
		line := firstOf(shown.attr("text-line-through-style"), shown.attr("text-line-through-type"))
		if shown.attr("display") == "none" || line != "" && line != "none" {
			w.hidden[name] = true
		}
		if s.attr("parent-style-name") == "Title" {
			w.titles[name] = true
		}
	}
	for _, s := range part.all("list-style") {
		for _, level := range s.kids {
			w.ordered[s.attr("name")+"."+level.attr("level")] = level.name == "list-level-style-number" && level.attr("num-format") != ""
		}
	}
}

func (w *odtWriter) body(n *xmlNode, depth int) {
	if depth > maxXMLDepth {
		return
	}
	for _, k := range n.kids {
		switch k.name {
		case "h":
			level, err := strconv.Atoi(k.attr("outline-level"))
			if err != nil {
				level = 1
			}
			w.block(k, fmt.Sprintf("h%d", max(1, min(level, 6))), depth)
		case "p":
			kind := "p"
			if w.titles[k.attr("style-name")] {
				kind = "h1"
			}
			w.block(k, kind, depth)
		case "list":
			w.items(k, 1, depth+1)
		case "table":
			w.table(k, depth+1)
		case "tracked-changes", "annotation", "table-of-content", "alphabetical-index", "forms", "sequence-decls", "variable-decls", "":
		default: // sections, frames with text, indexes of other kinds
			w.body(k, depth+1)
		}
	}
}

// block writes a paragraph or a heading, then what its frames hold.
func (w *odtWriter) block(k *xmlNode, kind string, depth int) {
	var words strings.Builder
	frames := w.inline(k, &words, depth)
	if text := strings.TrimSpace(words.String()); text != "" {
		fmt.Fprintf(&w.out, "<%s>%s</%s>\n", kind, text, kind)
	}
	for _, f := range frames {
		w.body(f, depth+1)
	}
}

func (w *odtWriter) items(list *xmlNode, level, depth int) {
	if depth > maxXMLDepth {
		return
	}
	around := w.list
	if name := list.attr("style-name"); name != "" {
		w.list = name
	}
	kind := "ul"
	if w.ordered[fmt.Sprint(w.list, ".", level)] {
		kind = "ol"
	}
	fmt.Fprintf(&w.out, "<%s>", kind)
	for _, item := range list.kids {
		if item.name != "list-item" && item.name != "list-header" {
			continue
		}
		w.out.WriteString("<li>")
		for _, k := range item.kids {
			if k.name == "list" {
				w.items(k, level+1, depth+1)
			} else if k.name != "" {
				w.body(&xmlNode{kids: []*xmlNode{k}}, depth+1)
			}
		}
		w.out.WriteString("</li>\n")
	}
	fmt.Fprintf(&w.out, "</%s>\n", kind)
	w.list = around
}

func (w *odtWriter) table(t *xmlNode, depth int) {
	if depth > 2*maxNested {
		return
	}
	w.out.WriteString("<table>\n")
	for _, row := range t.all("table-row") {
		w.out.WriteString("<tr>")
		for _, cell := range row.kids {
			if cell.name != "table-cell" {
				continue
			}
			fmt.Fprintf(&w.out, "<td%s>", odtSpans(cell))
			w.body(cell, depth+1)
			w.out.WriteString("</td>")
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
}

// odtSpans are the attributes of a cell that reaches over others.
func odtSpans(cell *xmlNode) string {
	spans := ""
	for from, to := range map[string]string{"number-columns-spanned": "colspan", "number-rows-spanned": "rowspan"} {
		if n, err := strconv.Atoi(cell.attr(from)); err == nil && n > 1 && n < 100 {
			spans += fmt.Sprintf(` %s="%d"`, to, n)
		}
	}
	return spans
}

// inline writes the text within a paragraph and returns the frames that hang on it.
func (w *odtWriter) inline(n *xmlNode, out *strings.Builder, depth int) (frames []*xmlNode) {
	if depth > maxXMLDepth || w.hidden[n.attr("style-name")] {
		return nil
	}
	for _, k := range n.kids {
		switch k.name {
		case "":
			out.WriteString(html.EscapeString(k.text))
		case "s", "tab":
			out.WriteByte(' ')
		case "line-break":
			out.WriteString("<br>")
		case "a":
			target := k.attr("href")
			web := strings.HasPrefix(target, "http://") || strings.HasPrefix(target, "https://")
			if web {
				fmt.Fprintf(out, `<a href="%s">`, html.EscapeString(target))
			}
			frames = append(frames, w.inline(k, out, depth+1)...)
			if web {
				out.WriteString("</a>")
			}
		case "note":
			if len(w.notes) < maxODTNotes {
				w.notes = append(w.notes, k.kid("note-body"))
				fmt.Fprintf(out, "[%d]", len(w.notes))
			}
		case "frame", "text-box", "custom-shape":
			frames = append(frames, k)
		case "annotation", "annotation-end", "hidden-text", "hidden-paragraph", "ruby-text", "title", "desc", "binary-data":
		default:
			frames = append(frames, w.inline(k, out, depth+1)...)
		}
	}
	return frames
}
