package content

import (
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// MarkLinkLists finds runs of short blocks that are nearly all link: menus without a name that tells.
func MarkLinkLists(blocks []block.Block) {
	for i := 0; i < len(blocks); {
		j := i
		for j < len(blocks) && mostlyLink(blocks[j]) {
			j++
		}
		if j-i >= 4 {
			whole := menuLists(blocks, i, j)
			for k := i; k < j; k++ {
				if blocks[k].Boiler == "" && whole(blocks[k].List) {
					blocks[k].Boiler = tree.LinkList
				}
			}
		}
		i = max(j, i+1)
	}
}

// menuLists tells lists of links only from those with other items before or after the run [i, j) of links.
func menuLists(blocks []block.Block, i, j int) func(list int) bool {
	var before, behind int
	if i > 0 {
		before = blocks[i-1].List
	}
	if j < len(blocks) {
		behind = blocks[j].List
	}
	return func(list int) bool { return list == 0 || list != before && list != behind }
}

func mostlyLink(b block.Block) bool {
	return b.Kind != block.Heading && b.Kind != block.Code && b.Linked*10 >= len(b.Text)*8 && len(b.Text) < 120
}
