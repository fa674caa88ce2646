package markup

import (
	"fmt"
	"strings"
)

// ItemLists writes items that say how deep they stand, as word processors keep them,
// as lists within lists. The last item of each stays open for what stands deeper.
type ItemLists struct {
	open []string // elements, the outermost first
}

// Item writes an item at depth, from 0, in a list that begins where none is open there, with
// the item's number. That is 0 where it has a bullet.
func (l *ItemLists) Item(out *strings.Builder, depth, number int, text string) {
	kind := "ul"
	if number > 0 {
		kind = "ol"
	}
	l.Close(out, depth+1)
	if len(l.open) == depth+1 && l.open[depth] != kind {
		l.Close(out, depth) // another list
	}
	if len(l.open) == depth+1 {
		out.WriteString("</li>\n<li>")
	}
	for len(l.open) < depth+1 {
		start := ""
		if len(l.open) == depth && number > 1 {
			start = fmt.Sprintf(` start="%d"`, number)
		}
		fmt.Fprintf(out, "<%s%s><li>", kind, start)
		l.open = append(l.open, kind)
	}
	out.WriteString(text)
}

// Close ends the lists that are open, all but the depth outermost.
func (l *ItemLists) Close(out *strings.Builder, depth int) {
	for len(l.open) > depth {
		last := len(l.open) - 1
		fmt.Fprintf(out, "</li></%s>\n", l.open[last])
		l.open = l.open[:last]
	}
}
