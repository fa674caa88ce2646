package office

import (
	"cmp"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/citewell/citewell/extract/internal/xmltree"
)

// odtLevels is how many levels a list of an OpenDocument text has.
const odtLevels = 10

// An odtWriter writes a document's body as HTML.
type odtWriter struct {
	out    strings.Builder
	hidden map[string]bool // styles of text that is not shown, or crossed out
	titles map[string]bool // styles of the document's title
	first  map[string]int  // numbers that lists begin with, by style and level; 0 for bullets
	next   map[string]int  // numbers that lists go on with, by style and level, and by id behind a "#"
	notes  []*xmltree.Node // in the order of their marks
	list   string          // style of the list around
}

// styles learns what matters of the styles of one part.
func (w *odtWriter) styles(part *xmltree.Node) {
	for _, s := range part.All("style") {
		name := s.Attr("name")
		shown := s.Kid("text-properties")
		line := cmp.Or(shown.Attr("text-line-through-style"), shown.Attr("text-line-through-type"))
		if shown.Attr("display") == "none" || line != "" && line != "none" {
			w.hidden[name] = true
		}
		if s.Attr("parent-style-name") == "Title" {
			w.titles[name] = true
		}
	}
	for _, s := range part.All("list-style") {
		for _, level := range s.Kids {
			first := 0
			if level.Name == "list-level-style-number" && level.Attr("num-format") != "" {
				first = firstNumber(level.Attr("start-value"))
			}
			w.first[s.Attr("name")+"."+level.Attr("level")] = first
		}
	}
}

func (w *odtWriter) body(n *xmltree.Node, depth int) {
	for _, k := range n.Kids {
		switch k.Name {
		case "h":
			level, err := strconv.Atoi(k.Attr("outline-level"))
			if err != nil {
				level = 1
			}
			w.block(k, fmt.Sprintf("h%d", max(1, min(level, 6))), depth)
		case "p":
			kind := "p"
			if w.titles[k.Attr("style-name")] {
				kind = "h1"
			}
			w.block(k, kind, depth)
		case "list":
			w.items(k, 1, depth+1, false)
		case "table":
			w.table(k, depth+1)
		case "tracked-changes", "annotation", "table-of-content", "alphabetical-index", "forms", "sequence-decls",
			"variable-decls", "":
		default: // sections, frames with text, indexes of other kinds
			w.body(k, depth+1)
		}
	}
}

// block writes a paragraph or a heading, then what its frames hold.
func (w *odtWriter) block(k *xmltree.Node, kind string, depth int) {
	var words strings.Builder
	frames := w.inline(k, &words)
	if text := strings.TrimSpace(words.String()); text != "" {
		fmt.Fprintf(&w.out, "<%s>%s</%s>\n", kind, text, kind)
	}
	for _, f := range frames {
		w.body(f, depth+1)
	}
}

// items writes a list, counted on from the one of its style and level before if it says so, or from the one around it.
func (w *odtWriter) items(list *xmltree.Node, level, depth int, goesOn bool) {
	around := w.list
	if name := list.Attr("style-name"); name != "" {
		w.list = name
	}
	goesOn = goesOn || level == 1 && list.Attr("continue-numbering") == "true"
	key := fmt.Sprint(w.list, ".", level)
	number := w.first[key]
	kind := "ul"
	if number > 0 {
		kind = "ol"
		if goesOn {
			number = max(w.next[key], number)
		}
		number = cmp.Or(w.next["#"+list.Attr("continue-list")], number)
	}
	fmt.Fprintf(&w.out, `<%s start="%d">`, kind, number)
	for _, item := range list.Kids {
		if item.Name != "list-item" && item.Name != "list-header" {
			continue
		}
		// A header has no number; an item that only holds a list has no mark of its own.
		holds := onlyHolds(item)
		counted := item.Name == "list-item" && !holds
		if counted {
			number = w.beginItem(item, level, number)
		} else if holds {
			fmt.Fprintf(&w.out, "</%s>\n", kind)
		}
		for _, k := range item.Kids {
			if k.Name == "list" {
				w.items(k, level+1, depth+1, goesOn && !counted)
			} else if k.Name != "" {
				w.body(&xmltree.Node{Kids: []*xmltree.Node{k}}, depth+1)
			}
		}
		if counted {
			w.out.WriteString("</li>\n")
		} else if holds {
			fmt.Fprintf(&w.out, `<%s start="%d">`, kind, number)
		}
	}
	fmt.Fprintf(&w.out, "</%s>\n", kind)
	w.next[key], w.next["#"+list.Attr("id")] = number, number
	delete(w.next, "#")
	w.list = around
}

// onlyHolds says whether an item begins with another list.
func onlyHolds(item *xmltree.Node) bool {
	for _, k := range item.Kids {
		if k.Name != "" {
			return k.Name == "list"
		}
	}
	return false
}

// beginItem begins an item with its number and returns the next one. What is below it is counted anew.
func (w *odtWriter) beginItem(item *xmltree.Node, level, number int) int {
	for deeper := level + 1; deeper <= odtLevels; deeper++ {
		delete(w.next, fmt.Sprint(w.list, ".", deeper))
	}
	own := item.Attr("start-value")
	if own == "" {
		w.out.WriteString("<li>")
		return number + 1
	}
	fmt.Fprintf(&w.out, `<li value="%d">`, firstNumber(own))
	return firstNumber(own) + 1
}

func (w *odtWriter) table(t *xmltree.Node, depth int) {
	if depth > 2*maxNested {
		return
	}
	w.out.WriteString("<table>\n")
	for _, row := range t.All("table-row") {
		w.out.WriteString("<tr>")
		for _, cell := range row.Kids {
			if cell.Name != "table-cell" {
				continue
			}
			fmt.Fprintf(&w.out, "<td%s>", spans(cell.Attr("number-columns-spanned"), cell.Attr("number-rows-spanned")))
			w.body(cell, depth+1)
			w.out.WriteString("</td>")
		}
		w.out.WriteString("</tr>\n")
	}
	w.out.WriteString("</table>\n")
}

// inline writes the text within a paragraph and returns the frames that hang on it.
func (w *odtWriter) inline(n *xmltree.Node, out *strings.Builder) (frames []*xmltree.Node) {
	if w.hidden[n.Attr("style-name")] {
		return nil
	}
	for _, k := range n.Kids {
		switch k.Name {
		case "":
			out.WriteString(html.EscapeString(k.Text))
		case "s", "tab":
			out.WriteByte(' ')
		case "line-break":
			out.WriteString("<br>")
		case "a":
			target := k.Attr("href")
			if isWeb(target) {
				fmt.Fprintf(out, `<a href="%s">`, html.EscapeString(target))
			}
			frames = append(frames, w.inline(k, out)...)
			if isWeb(target) {
				out.WriteString("</a>")
			}
		case "note":
			if len(w.notes) < maxODTNotes {
				w.notes = append(w.notes, k.Kid("note-body"))
				fmt.Fprintf(out, "[%d]", len(w.notes))
			}
		case "frame", "text-box", "custom-shape":
			frames = append(frames, k)
		case "annotation", "annotation-end", "hidden-text", "hidden-paragraph", "ruby-text", "title", "desc",
			"binary-data":
		default:
			frames = append(frames, w.inline(k, out)...)
		}
	}
	return frames
}
