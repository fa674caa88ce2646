package content

import (
	"slices"

	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// MaxJudged is the number of blocks up to which each is judged by itself; beyond it, all but the site's parts are kept.
const MaxJudged = 20_000

// fillBetween keeps what stands between two kept blocks and is plainly content.
func fillBetween(blocks []block.Block, keep []bool) {
	first, last := slices.Index(keep, true), lastKept(keep)
	lists := map[int]bool{}
	for i, b := range blocks {
		if keep[i] && b.Kind == block.Item {
			lists[b.List] = true
		}
	}
	for i, b := range blocks {
		if keep[i] || b.Boiler != "" {
			continue
		}
		if b.Kind == block.Item && lists[b.List] {
			keep[i] = true // a list is whole or not at all
		}
		if i < first || i > last {
			continue
		}
		if b.Element.DataAtom == atom.Caption {
			keep[i] = true
		}
		switch b.Kind {
		case block.Code, block.Grid:
			keep[i] = b.Linked*2 < len(b.Text)
		}
	}
}

// dropCopies leaves out what is kept above word for word: a card made for wide and for narrow screens, a quoted post.
// Short lines are no copies, and code is shown again because it runs again.
func dropCopies(blocks []block.Block, keep []bool) {
	const shortest = 40
	seen := map[string]bool{}
	for i, b := range blocks {
		if text := b.Text[b.Marker:]; keep[i] && b.Kind != block.Code && len(text) >= shortest {
			keep[i] = !seen[text]
			seen[text] = true
		}
	}
}

func lastKept(keep []bool) int {
	for i := len(keep) - 1; i >= 0; i-- {
		if keep[i] {
			return i
		}
	}
	return -1
}

// OutsideSite keeps every block that is no part of the site, or the links if nearly everything is a list of links.
func OutsideSite(blocks []block.Block) []block.Block {
	var strict, lenient []block.Block
	var strictSize, lenientSize int
	for _, b := range blocks {
		switch b.Boiler {
		case "":
			strict = append(strict, b)
			strictSize += len(b.Text)
			fallthrough
		case tree.LinkList, tree.Contents:
			lenient = append(lenient, b)
			lenientSize += len(b.Text)
		}
	}
	if strictSize < 400 && lenientSize > 2*strictSize || strictSize*8 < lenientSize {
		return lenient
	}
	return strict
}

// DropEmptyHeadings removes headings under which nothing was kept, but for the first block, which is the title.
func DropEmptyHeadings(blocks []block.Block) []block.Block {
	kept := make([]block.Block, 0, len(blocks))
	// From the end: content belongs to every heading above it up to one of its level or higher.
	reach := 0
	for i, b := range slices.Backward(blocks) {
		if b.Kind != block.Heading {
			reach = 7
		} else {
			empty := b.Level >= reach
			reach = min(reach, b.Level)
			if empty && (i > 0 || len(blocks) == 1) {
				continue
			}
		}
		kept = append(kept, b)
	}
	slices.Reverse(kept)
	return kept
}
