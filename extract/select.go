package extract

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// maxJudged is the number of blocks of a page up to which each is judged by itself;
// beyond it, what is no part of the site is kept.
const maxJudged = 20_000

// fillBetween keeps what stands between two kept blocks and is plainly content.
func fillBetween(blocks []block, keep []bool) {
	first, last := slices.Index(keep, true), lastKept(keep)
	lists := map[int]bool{}
	for i, b := range blocks {
		if keep[i] && b.kind == item {
			lists[b.list] = true
		}
	}
	for i, b := range blocks {
		if keep[i] || b.boiler != "" {
			continue
		}
		if b.kind == item && lists[b.list] {
			keep[i] = true // a list is whole or not at all
		}
		if i < first || i > last {
			continue
		}
		if b.element.DataAtom == atom.Caption {
			keep[i] = true
		}
		switch b.kind {
		case code, grid:
			keep[i] = b.linked*2 < len(b.text)
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

// chooseContent keeps every block that is no part of the site around the page.
// When nearly everything is a list of links, the links are the content.
func chooseContent(blocks []block) []block {
	var strict, lenient []block
	var strictSize, lenientSize int
	for _, b := range blocks {
		switch b.boiler {
		case "":
			strict = append(strict, b)
			strictSize += len(b.text)
			fallthrough
		case linkList, contents:
			lenient = append(lenient, b)
			lenientSize += len(b.text)
		}
	}
	if strictSize < 400 && lenientSize > 2*strictSize || strictSize*8 < lenientSize {
		return lenient
	}
	return strict
}

// dropEmptyHeadings removes headings under which nothing was kept, but for the
// first block, which is the title.
func dropEmptyHeadings(blocks []block) []block {
	kept := make([]block, 0, len(blocks))
	// From the end: content belongs to every heading above it up to one of its
	// level or higher, so it can be seen from levels below reach.
	reach := 0
	for i, b := range slices.Backward(blocks) {
		if b.kind != heading {
			reach = 7
		} else {
			empty := b.level >= reach
			reach = min(reach, b.level)
			if empty && (i > 0 || len(blocks) == 1) {
				continue
			}
		}
		kept = append(kept, b)
	}
	slices.Reverse(kept)
	return kept
}

func folded(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
