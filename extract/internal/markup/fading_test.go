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
	root, err := html.Parse(strings.NewReader(extracttest.HostilePages()["nested_fading"]))
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

// What is shown late holds half of the page and some hundreds of bytes, and is hidden as
// pages do until their scripts have run.
func TestShownLate(t *testing.T) {
	w := func(n int) string { return strings.Repeat("w", n) }
	fading := func(about string, n int) string { return "<div " + about + ">" + w(n) + "</div>" }
	for _, test := range []struct {
		name, page string
		late       int
	}{
		{"all", fading("style=opacity:0", 500), 1},
		{"little", fading("style=opacity:0", 499), 0},
		{"half", fading("style=opacity:0", 500) + w(500), 1},
		{"less than half", fading("style=opacity:0", 500) + w(501), 0},
		{"scripts are no text", fading("style=opacity:0", 500) + "<script>" + w(501) + "</script>", 1},
		{"spaces are no text", fading("style=opacity:0", 500) + "<p>" + strings.Repeat(" ", 600) + w(10), 1},
		{"by visibility", fading("style=visibility:hidden", 500), 1},
		{"by display", fading("style=display:none", 500), 0},
		{"by both", fading("style='opacity:0;display:none'", 500), 0},
		{"seen", fading("style=opacity:1", 500), 0},
		{"streamed", fading("id=S:0", 500), 1},
		{"streamed far on", fading("id=S:fff", 500), 1},
		{"name of something", fading("id=S:ffff", 500), 0},
		{"name behind", fading("id=xS:0", 500), 0},
		{"the body", "<body style=opacity:0>" + w(500), 1},
	} {
		root, err := html.Parse(strings.NewReader("<!doctype html>" + test.page))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(shownLate(root)); got != test.late {
			t.Errorf("%s: %d elements, want %d", test.name, got, test.late)
		}
	}
}
