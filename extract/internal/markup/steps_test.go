package markup

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/tree"
)

// Walks over a page look at the deadline: what is stopped early ends soon after.
func TestStepsEndWithTheirTime(t *testing.T) {
	page := strings.Repeat("<blockquote><ul><li><p>words</p> <math><mi>a</mi></math></ul></blockquote>", 20_000)
	root, _, err := tree.Parse(t.Context(), "<body>"+page, true)
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	whole := tree.Count(root)
	Clean(over, root)
	if blocks := Render(over, root); len(blocks) > deadline.WatchSteps {
		t.Errorf("%d blocks of %d elements were made after the time was over", len(blocks), whole)
	}
	base, _ := url.Parse("http://h.example/")
	if links := Links(over, root, base, 2000); len(links) > 0 {
		t.Errorf("%d links were taken after the time was over", len(links))
	}
	if n := tree.Count(root); n < whole*9/10 {
		t.Errorf("%d of %d elements are left: cleaning went on", n, whole)
	}
	blocks := Render(t.Context(), root)
	if markdown := Markdown(over, root, blocks, base, 1<<20); markdown != "" {
		t.Errorf("%d bytes of Markdown were written after the time was over", len(markdown))
	}
}
