package markup

import (
	"fmt"
	"strings"
)

// ItemLists writes items that say how deep they stand, as word processors keep them,
// as lists within lists. The last item of each stays open for what stands deeper.
type ItemLists struct {
	open []itemList // the outermost first
}

type itemList struct {
	element string
	number  int // of the item written last
}

// Item writes an item at depth, from 0, with its number, which is 0 where it has a bullet. A
// list begins where none is open there, or where the one that is does not come to this number.
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
