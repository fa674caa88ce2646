package content_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// TestLabels prints what the marked pages are said to be beside what a person called
// them: the table of doc/bench.md. The rules were made on the even half; the odd half
// was only counted. The floors hold what was reached on all of them.
func TestLabels(t *testing.T) {
	extracttest.Measured(t)
	kinds := []string{media.KindArticle, media.KindDocumentation, media.KindForum, media.KindProduct,
		media.KindCollection, media.KindListing, media.KindService}
	labels := append(kinds[:len(kinds):len(kinds)], media.KindPage)
	var said [2]map[string]int
	for half := range said {
		said[half] = map[string]int{}
	}
	for _, s := range samplesOf(t) {
		if s.set == "webtypes" {
			said[half(s)][s.kind+" "+s.page.Label(s.address)]++
		}
	}
	for part, name := range []string{"even half, which the rules were made on", "odd half, unseen"} {
		var b strings.Builder
		fmt.Fprintf(&b, "%s\n%-13s", name, "")
		for _, label := range labels {
			fmt.Fprintf(&b, "  %s", label)
		}
		for _, kind := range kinds {
			fmt.Fprintf(&b, "\n%-13s", kind)
			for _, label := range labels {
				fmt.Fprintf(&b, "  %*d", len(label), said[part][kind+" "+label])
			}
		}
		t.Log(b.String())
	}
	floors := map[string]struct{ right, wrong int }{ // pages found; others that are called so
		media.KindArticle: {70, 35}, media.KindDocumentation: {50, 5}, media.KindForum: {50, 2},
		media.KindProduct:    {42, 5},
		media.KindCollection: {36, 11}, media.KindListing: {10, 2}, media.KindService: {10, 1},
	}
	for label, floor := range floors {
		right, wrong := 0, 0
		for _, kind := range kinds {
			n := said[0][kind+" "+label] + said[1][kind+" "+label]
			if kind == label {
				right += n
			} else {
				wrong += n
			}
		}
		if right < floor.right || wrong > floor.wrong {
			t.Errorf("%s: %d pages are found and %d others called so, want at least %d and at most %d", label, right,
				wrong, floor.right, floor.wrong)
		}
	}
}
