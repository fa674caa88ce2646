package extract

import (
	"fmt"
	"strings"
)

// itemLists writes items that say how deep they stand, as word processors keep them,
// as lists within lists. The last item of each stays open for what stands deeper.
type itemLists struct {
	open []string // elements, the outermost first
}

// item writes an item at depth, from 0, in a list that begins where none is open there.
func (l *itemLists) item(out *strings.Builder, depth int, numbered bool, text string) {
	kind := "ul"
	if numbered {
		kind = "ol"
	}
	l.close(out, depth+1)
	if len(l.open) == depth+1 {
		out.WriteString("</li>\n<li>")
	}
	for len(l.open) < depth+1 {
		fmt.Fprintf(out, "<%s><li>", kind)
		l.open = append(l.open, kind)
	}
	out.WriteString(text)
}

// close ends the lists that are open, all but the depth outermost.
func (l *itemLists) close(out *strings.Builder, depth int) {
	for len(l.open) > depth {
		last := len(l.open) - 1
		fmt.Fprintf(out, "</li></%s>\n", l.open[last])
		l.open = l.open[:last]
	}
}
