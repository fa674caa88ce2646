package content

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/block"
)

// What is kept stands once: not again in a list, but code and short lines do, and what
// was not kept above is no copy.
func TestDropCopies(t *testing.T) {
	long := strings.Repeat("The wheel turns. ", 4)
	blocks := []block.Block{
		{Text: long}, {Text: long}, {Text: "- " + long, Marker: 2, Kind: block.Item}, {Text: "In stock"}, {Text: "In stock"},
		{Text: long + "again", Kind: block.Code}, {Text: long + "again", Kind: block.Code},
	}
	keep := []bool{false, true, true, true, true, true, true}
	dropCopies(blocks, keep)
	if want := []bool{false, true, false, true, true, true, true}; !slices.Equal(keep, want) {
		t.Errorf("got %v, want %v", keep, want)
	}
}
