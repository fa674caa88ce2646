package webpage

import (
	"fmt"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// dateline finds the one unambiguous date that a page prints close to its headline, on a line with little else, if it
// declares none. A page with many such lines lists things with dates of their own.
func dateline(blocks, chosen []block.Block, language string) string {
	at := headline(blocks, chosen)
	if at < 0 {
		return ""
	}
	found, lines := "", 0
	for i, b := range blocks {
		if b.Kind == block.Heading || b.Kind == block.Code || b.Kind == block.Grid {
			continue
		}
		date := printedDate(b.Text, language)
		if date == "" {
			continue
		}
		lines++
		if found == "" && i >= at-3 && i < at+8 {
			found = date
		}
	}
	if lines > 3 {
		return ""
	}
	return found
}

// printedDate reads a line that says when something was written, perhaps with its author and reading time.
func printedDate(line, language string) string {
	const otherWords = 45
	if len(line) > 40+otherWords {
		return ""
	}
	dates := quantity.Dates(text.Read(line, language))
	if len(dates) != 1 || dates[0].Day == 0 || dates[0].Month == 0 || len(line) > len(dates[0].Raw)+otherWords {
		return ""
	}
	if folded := strings.ToLower(line); strings.Contains(folded, "©") || strings.Contains(folded, "copyright") {
		return ""
	}
	return imprint.ValidDay(fmt.Sprintf("%04d-%02d-%02d", dates[0].Year, dates[0].Month, dates[0].Day))
}

// headline is the index of the first h1, or of what the content begins with.
func headline(blocks, chosen []block.Block) int {
	for i, b := range blocks {
		if b.Kind == block.Heading && b.Level == 1 {
			return i
		}
	}
	if len(chosen) == 0 || len(chosen[0].Leaves) == 0 {
		return -1
	}
	for i, b := range blocks {
		if len(b.Leaves) > 0 && b.Leaves[0] == chosen[0].Leaves[0] {
			return i
		}
	}
	return -1
}
