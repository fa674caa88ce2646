package markup

import (
	"fmt"
	"strings"
)

// ItemLists writes items with their depth as lists within lists. The last item stays open for what stands deeper.
type ItemLists struct {
	open []itemList // the outermost first
}

type itemList struct {
	element string
	number  int // of the item written last
}

// Item writes an item at depth, from 0, with its number, 0 for a bullet. It begins a list unless one that comes to this
// number is open there.
func (l *ItemLists) Item(out *strings.Builder, depth, number int, text string) {
	kind := "ul"
	if number > 0 {
		kind = "ol"
	}
	l.Close(out, depth+1)
	if len(l.open) == depth+1 && (l.open[depth].element != kind || number > 0 && l.open[depth].number+1 != number) {
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
		l.open = append(l.open, itemList{kind, 0})
	}
	l.open[depth].number = number
	out.WriteString(text)
}

// Close ends the lists that are open, all but the depth outermost.
func (l *ItemLists) Close(out *strings.Builder, depth int) {
	for len(l.open) > depth {
		last := len(l.open) - 1
		fmt.Fprintf(out, "</li></%s>\n", l.open[last].element)
		l.open = l.open[:last]
	}
}
