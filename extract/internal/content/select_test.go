package content

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// What is kept stands once: not again in a list, but code and short lines do, and what
// was not kept above is no copy.
func TestDropCopies(t *testing.T) {
	long := strings.Repeat("The wheel turns. ", 4)
	blocks := []block.Block{
		{Text: long}, {Text: long}, {Text: "- " + long, Marker: 2, Kind: block.Item}, {Text: "In stock"},
		{Text: "In stock"}, {Text: long + "again", Kind: block.Code}, {Text: long + "again", Kind: block.Code},
	}
	keep := []bool{false, true, true, true, true, true, true}
	dropCopies(blocks, keep)
	if want := []bool{false, true, false, true, true, true, true}; !slices.Equal(keep, want) {
		t.Errorf("got %v, want %v", keep, want)
	}
}

// What stands between kept blocks and is plainly content is kept; a list is whole or not at
// all; nothing outside of what is kept is added but the rest of its lists.
func TestFillBetween(t *testing.T) {
	p, caption := tree.Element(atom.P), tree.Element(atom.Caption)
	text, item := func() block.Block { return block.Block{Text: "Words.", Element: p} }, func(list int) block.Block {
		return block.Block{Text: "- Words.", Kind: block.Item, List: list, Element: p}
	}
	code := func(linked int) block.Block {
		return block.Block{Text: "x = 1 + 2.", Kind: block.Code, Linked: linked, Element: p}
	}
	for _, test := range []struct {
		name   string
		blocks []block.Block
		keep   string // x for each that is kept before, and what is kept then
		want   string
	}{
		{"paragraphs", []block.Block{text(), text(), text()}, "x.x", "x.x"},
		{"code", []block.Block{code(0), text(), code(4), code(5), {Text: "a | b", Kind: block.Grid, Element: p}, text(),
			code(0)}, ".x...x.", ".xx.xx."},
		{"captions", []block.Block{{Text: "Loads", Element: caption}, text(), {Text: "Loads", Element: caption},
			text()}, ".x.x", ".xxx"},
		{"lists", []block.Block{item(1), item(1), item(2), text(), item(1)}, ".x...", "xx..x"},
		{"part of the site", []block.Block{text(), {Text: "x = 1 + 2.", Kind: block.Code, Element: p,
			Boiler: tree.Margin}, text()}, "x.x", "x.x"},
		{"nothing is kept", []block.Block{code(0), code(0)}, "..", ".."},
	} {
		keep := make([]bool, len(test.keep))
		for i := range keep {
			keep[i] = test.keep[i] == 'x'
		}
		fillBetween(test.blocks, keep)
		got := ""
		for _, k := range keep {
			got += map[bool]string{true: "x", false: "."}[k]
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// Where nearly everything outside the site's parts is links, the links are the content.
func TestOutsideSite(t *testing.T) {
	of := func(boiler tree.Boilerplate, size int) block.Block {
		return block.Block{Boiler: boiler, Text: strings.Repeat("w", size)}
	}
	for _, test := range []struct {
		name   string
		blocks []block.Block
		want   int // blocks
	}{
		{"text", []block.Block{of("", 400), of(tree.LinkList, 900), of(tree.Navigation, 10)}, 1},
		{"little text and more links", []block.Block{of("", 399), of(tree.LinkList, 400), of(tree.Contents, 10),
			of(tree.Navigation, 10)}, 3},
		{"little text and as many links", []block.Block{of("", 300), of(tree.LinkList, 300)}, 1},
		{"text among very many links", []block.Block{of("", 500), of(tree.LinkList, 3501)}, 2},
		{"text among many links", []block.Block{of("", 500), of(tree.LinkList, 3500)}, 1},
		{"parts of a site alone", []block.Block{of(tree.Margin, 500), of(tree.Remarks, 500)}, 0},
	} {
		if got := OutsideSite(test.blocks); len(got) != test.want {
			t.Errorf("%s: got %d blocks, want %d", test.name, len(got), test.want)
		}
	}
}

// A heading without anything below it goes, the title stays.
func TestDropEmptyHeadings(t *testing.T) {
	for _, test := range []struct{ blocks, want string }{ // a level, or p for text
		{"1p", "1p"}, {"12p", "12p"}, {"122p", "12p"}, {"12p2", "12p"}, {"12p3", "12p"}, {"1323p", "123p"},
		{"1p2p", "1p2p"}, {"12", "1"}, {"1", ""}, {"p2", "p"}, {"21p", "21p"}, {"p21p", "p1p"}, {"16p", "16p"},
		{"133p3", "13p"},
	} {
		var blocks []block.Block
		for _, c := range test.blocks {
			b := block.Block{Text: "words"}
			if c != 'p' {
				b.Kind, b.Level = block.Heading, int(c-'0')
			}
			blocks = append(blocks, b)
		}
		got := ""
		for _, b := range DropEmptyHeadings(blocks) {
			if b.Kind == block.Heading {
				got += string(rune('0' + b.Level))
			} else {
				got += "p"
			}
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.blocks, got, test.want)
		}
	}
}

// Four short links in a row are a menu without a name, unless their list goes on with
// other items.
func TestMarkLinkLists(t *testing.T) {
	link := func(list int) block.Block { return block.Block{Text: "0123456789", Linked: 8, List: list} }
	words := func(list int) block.Block { return block.Block{Text: "0123456789", List: list} }
	long := block.Block{Text: strings.Repeat("w", 120), Linked: 120}
	heading := block.Block{Kind: block.Heading, Text: "0123456789", Linked: 10}
	named := link(0)
	named.Boiler = tree.Navigation
	for _, test := range []struct {
		name   string
		blocks []block.Block
		want   string // m for each that is marked
	}{
		{"four", []block.Block{words(0), link(0), link(0), link(0), link(0), words(0)}, ".mmmm."},
		{"three", []block.Block{link(0), link(0), link(0), words(0)}, "...."},
		{"less of it is link", []block.Block{link(0), link(0), {Text: "0123456789", Linked: 7}, link(0), link(0)},
			"....."},
		{"long ones", []block.Block{link(0), link(0), long, link(0), link(0)}, "....."},
		{"headings", []block.Block{link(0), link(0), heading, link(0), link(0)}, "....."},
		{"list of its own", []block.Block{words(1), link(2), link(2), link(2), link(2), words(3)}, ".mmmm."},
		{"list that began before", []block.Block{words(1), link(1), link(1), link(1), link(1), link(2)}, ".....m"},
		{"list that goes on", []block.Block{link(2), link(1), link(1), link(1), words(1)}, "m...."},
		{"at the end", []block.Block{link(1), link(1), link(1), link(1)}, "mmmm"},
		{"named already", []block.Block{named, link(0), link(0), link(0)}, "nmmm"},
		{"two menus", []block.Block{link(0), link(0), link(0), link(0), words(0), link(0), link(0), link(0), link(0)},
			"mmmm.mmmm"},
	} {
		MarkLinkLists(test.blocks)
		got := ""
		for _, b := range test.blocks {
			got += map[tree.Boilerplate]string{"": ".", tree.LinkList: "m", tree.Navigation: "n"}[b.Boiler]
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// On an article's page what is little more than half as likely as its surest paragraph goes,
// and so do remarks; where little is left of much, nothing does.
func TestArticleOf(t *testing.T) {
	for _, test := range []struct {
		name    string
		p       []float32
		sizes   []int
		remarks int // which block is one; -1 for none
		want    []bool
	}{
		{"half as likely", []float32{0.9, 0.5, 0.49}, []int{300, 300, 300}, -1, []bool{true, true, false}},
		{"surest is no paragraph", []float32{0.9, 0.5, 0.27}, []int{59, 300, 300}, -1, []bool{true, true, false}},
		{"surest is just one", []float32{0.9, 0.5, 0.49}, []int{60, 300, 300}, -1, []bool{true, true, false}},
		{"remarks", []float32{0.9, 0.9, 0.9}, []int{300, 300, 300}, 1, []bool{true, false, true}},
		{"little is left", []float32{0.9, 0.4, 0.4}, []int{199, 200, 0}, -1, []bool{true, true, true}},
		{"little is left of little", []float32{0.9, 0.4, 0.4}, []int{199, 199, 0}, -1, []bool{true, false, false}},
		{"enough is left", []float32{0.9, 0.4, 0.4}, []int{200, 300, 0}, -1, []bool{true, false, false}},
	} {
		in, blocks := make([]surroundings, len(test.p)), make([]block.Block, len(test.p))
		for i := range in {
			in[i].size = test.sizes[i]
		}
		if test.remarks >= 0 {
			blocks[test.remarks].Boiler = tree.Remarks
		}
		if got := articleOf(test.p, in, blocks, []bool{true, true, true}); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

// Where blocks stand against each other: the innermost element around both, the nearest that
// holds more, the element with most prose and least else, the one with most paragraphs.
func TestScopes(t *testing.T) {
	page, err := html.Parse(strings.NewReader(
		`<body><div id=outer><main id=main><div id=text><p id=a></p><p id=b></p></div></main><aside id=side><ul id=list><li id=c></li><li id=d></li></ul></aside></div>`))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*html.Node{}
	for n := range page.Descendants() {
		if id := tree.Attribute(n, "id"); id != "" {
			at[id] = n
		}
	}
	prose := strings.Repeat("The wheel turns, and the stones turn with it. ", 6)
	blocks := []block.Block{{Text: prose, Element: at["a"]}, {Text: prose, Element: at["b"]},
		{Text: "- Home", Marker: 2, Linked: 4, Element: at["c"]},
		{Text: "- Shop", Marker: 2, Linked: 4, Element: at["d"]}}
	s := newScopes(blocks)
	of := func(id string) *scope { return s.of[at[id]] }
	letters := make([]lettering, len(blocks))
	for i, b := range blocks {
		letters[i] = letteringOf(b.Text[b.Marker:])
	}
	if c := s.center(blocks); c != of("text") {
		t.Errorf("the center is %v", c.node)
	}
	if top := s.rate(blocks, letters); top != of("text") {
		t.Errorf("most paragraphs are in %v", top.node)
	}
	if c := climb(of("a")); c != of("text") {
		t.Errorf("around the first paragraph is %v", c.node)
	}
	if c := climb(of("text")); c != of("outer") {
		t.Errorf("around the text is %v", c.node)
	}
	if c := climb(s.root); c != s.root {
		t.Errorf("around all is %v", c.node)
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"a", "b", 3}, {"a", "text", 3}, {"text", "a", 3}, {"a", "c", 1}, {"c", "d", 3}, {"main", "side", 1}} {
		if got := commonDepth(of(test.a), of(test.b)); got != test.want {
			t.Errorf("%s and %s: depth %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if !holds(of("main"), of("a")) || !holds(of("a"), of("a")) || holds(of("a"), of("main")) ||
		holds(of("side"), of("a")) {
		t.Error("who holds whom is not told")
	}
	if c := of("list"); c.first != 2 || c.last != 3 || c.blocks != 2 || c.text != 8 || c.linked != 8 || c.long != 0 ||
		of("outer").long != 2*len(prose) || of("outer").first != 0 || of("outer").last != 3 {
		t.Errorf("what elements hold is %+v and %+v", *c, *of("outer"))
	}
}

// Of elements that hold as much prose, the innermost is the center, and of two as deep the first.
func TestCenterOfTwo(t *testing.T) {
	page, err := html.Parse(strings.NewReader(
		`<body><div id=one><div id=in><p id=a></p></div></div><div id=two><div id=in2><p id=b></p></div></div>`))
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]*html.Node{}
	for n := range page.Descendants() {
		at[tree.Attribute(n, "id")] = n
	}
	prose := strings.Repeat("The wheel turns with it. ", 6)
	for range 20 { // elements are kept in a map, whose order is any
		for _, test := range []struct{ first, second, want string }{{"a", "b", "a"}, {"b", "a", "b"}, {"in", "b", "b"},
			{"a", "two", "a"}} {
			blocks := []block.Block{{Text: prose, Element: at[test.first]}, {Text: prose, Element: at[test.second]}}
			s := newScopes(blocks)
			if c := s.center(blocks); c != s.of[at[test.want]] {
				t.Fatalf("of %s and %s the center is %s", test.first, test.second, tree.Attribute(c.node, "id"))
			}
		}
	}
}
