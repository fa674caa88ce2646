package markup

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/tree"
	"github.com/citewell/citewell/internal/testing/extracttest"
)

// The size of every element is known after one visit to each node.
func TestFadingIsWeighedOnce(t *testing.T) {
	root, err := html.Parse(strings.NewReader(extracttest.HostilePages["nested_fading"]))
	if err != nil {
		t.Fatal(err)
	}
	nodes := 0
	for range root.Descendants() {
		nodes++
	}
	w := weighing{body: tree.BodyOf(root), late: map[*html.Node]int{}}
	w.size(root)
	if w.visits != nodes || len(w.late) < 100 {
		t.Errorf("%d visits to %d nodes, %d hidden elements", w.visits, nodes, len(w.late))
	}
}
