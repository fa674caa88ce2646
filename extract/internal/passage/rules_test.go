package passage

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
)

// TestWhereACutIs holds after which blocks a passage ends. Blocks are written as a letter for
// their kind (p paragraph, h heading, t term, x explanation, c code, g grid, i item) and
// their size in bytes; a passage is shown as the number of its blocks.
func TestWhereACutIs(t *testing.T) {
	kinds := map[byte]block.Kind{'p': block.Paragraph, 'h': block.Heading, 't': block.Term, 'x': block.Explanation,
		'c': block.Code, 'g': block.Grid, 'i': block.Item}
	for _, test := range []struct{ blocks, want string }{
		{"p100 p100 p100", "3"}, {"p100 p100 p296 p10", "3 1"}, {"p300 p10", "1 1"}, {"p299 p10", "2"},
		{"p290 p400 p10", "2 1"}, {"p290 p250 p10", "2 1"}, {"p299 g500", "1 1"}, {"p200 c499", "1 1"},
		{"p200 c498", "2"}, {"c701 p10", "1 1"},
		{"p100 h10 p100", "1 2"}, {"h10 h10 p10", "3"}, {"h10 p300 h10 p10", "2 2"}, {"h300 p10", "2"}, {"h10", "1"},
		{"t10 x100 t10 x100", "4"}, {"t10 x139 t10 x10", "2 2"}, {"t10 x138 t10 x10", "4"}, {"t10 x139 p10", "2 1"},
		{"t10 x138 p10", "3"},
		{"p150 p100 g10", "1 2"}, {"p150 p149 g10", "1 2"}, {"p140 p100 g10", "3"}, {"p150 p100 p10", "3"},
		{"p150 p100: c10", "1 2"}, {"p150 p100 c10", "3"}, {"p150 p100: i10", "1 2"}, {"p150 p140: g10", "1 2"},
		{"p150 x100: t10", "1 2"}, {"h10 p100: c10", "3"},
	} {
		var blocks []block.Block
		for part := range strings.FieldsSeq(test.blocks) {
			size := 0
			for _, c := range part[1:] {
				if c >= '0' && c <= '9' {
					size = 10*size + int(c-'0')
				}
			}
			b := block.Block{Kind: kinds[part[0]], Level: 2, Text: strings.Repeat("w", size-1) + "."}
			if strings.HasSuffix(part, ":") {
				b.Text = strings.Repeat("w", size-1) + ":"
			}
			if b.Kind == block.Term || b.Kind == block.Explanation {
				b.Terms = 1
			}
			blocks = append(blocks, b)
		}
		text, spans, _ := block.LayOut(blocks, 1<<20)
		var counts []string
		for _, p := range Cut(text, spans, "Title") {
			counts = append(counts, string(rune('0'+len(slices.DeleteFunc(slices.Clone(spans), func(s block.Span) bool {
				return s.Start < p.Start || s.End > p.End
			})))))
		}
		if got := strings.Join(counts, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.blocks, got, test.want)
		}
	}
}

// A long block is cut at its sentences or lines, and what has none at a space.
func TestLongBlocksAreCut(t *testing.T) {
	sentence := strings.Repeat("w", 199) + "."
	for _, test := range []struct {
		name string
		b    block.Block
		want []int // sizes
	}{
		{"sentences", block.Block{Text: strings.TrimSpace(strings.Repeat(sentence+" ", 5))}, []int{602, 401}},
		{"lines", block.Block{Kind: block.Code, Text: strings.TrimSpace(strings.Repeat(sentence+"\n", 5))},
			[]int{602, 401}},
		{"one long sentence", block.Block{Text: strings.Repeat("w", 900)}, []int{900}},
		{"words without end", block.Block{Text: strings.TrimSpace(strings.Repeat("www ", 1500))}, []int{3999, 1999}},
		{"letters without end", block.Block{Text: strings.Repeat("w", 4500)}, []int{4000, 500}},
		{"space too early", block.Block{Text: strings.Repeat("w", 1999) + " " + strings.Repeat("w", 2500)},
			[]int{4000, 500}},
		{"space late enough", block.Block{Text: strings.Repeat("w", 2000) + "   " + strings.Repeat("w", 2500)},
			[]int{2002, 2500}},
		{"letters of several bytes", block.Block{Text: strings.Repeat("字", 1500)}, []int{3999, 501}},
	} {
		text, spans, _ := block.LayOut([]block.Block{test.b}, 1<<20)
		var sizes []int
		for _, p := range Cut(text, spans, "") {
			sizes = append(sizes, p.End-p.Start)
		}
		if !slices.Equal(sizes, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, sizes, test.want)
		}
	}
}

// The heading of a passage is its innermost term that is a name, else its section, else the title.
func TestHeadingsOfPassages(t *testing.T) {
	long := strings.Repeat("w", 299) + "."
	term := func(depth int, words string) block.Block {
		return block.Block{Kind: block.Term, Terms: depth, Text: words}
	}
	said := func(depth int, words string) block.Block {
		return block.Block{Kind: block.Explanation, Terms: depth, Text: words}
	}
	for _, test := range []struct {
		name   string
		blocks []block.Block
		want   string
	}{
		{"title", []block.Block{{Text: long}}, "Title"},
		{"section", []block.Block{{Kind: block.Heading, Level: 2, Text: "Head\nof it"}, {Text: long}, {Text: long}},
			"Head of it|Head of it"},
		{"innermost heading", []block.Block{{Kind: block.Heading, Level: 2, Text: "One"},
			{Kind: block.Heading, Level: 3, Text: "Two"}, {Text: long}}, "Two"},
		{"term", []block.Block{term(1, "f(x)"), said(1, long), said(1, long)}, "f(x)|f(x)"},
		{"label", []block.Block{term(1, "f(x)"), said(1, long), term(2, "Returns:"), said(2, long)}, "f(x)|f(x)"},
		{"after the list", []block.Block{{Kind: block.Heading, Level: 2, Text: "Head"}, {Text: long}, term(1, "f(x)"),
			said(1, long), {Text: long}}, "Head|f(x)|Head"},
		{"several terms", []block.Block{{Kind: block.Heading, Level: 2, Text: "Head"}, term(1, "f(x)"),
			said(1, "short"), term(1, "g(x)"), said(1, long)}, "Head"},
		{"term in a term", []block.Block{term(1, "f(x)"), said(1, "short"), term(2, "x"), said(2, long)}, "f(x)"},
		{"heading ends terms", []block.Block{term(1, "f(x)"), said(1, long),
			{Kind: block.Heading, Level: 2, Text: "Head"}, said(1, long)}, "f(x)|Head"},
		{"deep term without those around", []block.Block{term(3, "x"), said(3, long), said(2, long)}, "x|Title"},
	} {
		text, spans, _ := block.LayOut(test.blocks, 1<<20)
		var headings []string
		for _, p := range Cut(text, spans, "Title") {
			headings = append(headings, p.Heading)
		}
		if got := strings.Join(headings, "|"); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// Pages are told of passages, and no section reaches from one slide into the next.
func TestPlace(t *testing.T) {
	long := strings.Repeat("w", 299) + "."
	blocks := []block.Block{{Kind: block.Heading, Level: 2, Text: "Slide 1", Page: 1},
		{Kind: block.Heading, Level: 3, Text: "One", Page: 1}, {Text: long, Page: 1},
		{Kind: block.Heading, Level: 2, Text: "Slide 3", Page: 3}, {Text: long, Page: 3}, {Text: long, Page: 3}}
	text, spans, _ := block.LayOut(blocks, 1<<20)
	for unit, want := range map[string]string{citewell.UnitSlide: "1 One|3 Title|3 Title", "": "1 One|3 One|3 One"} {
		d := citewell.Document{Title: "Title", Text: text, Pages: Starts(spans), PageUnit: unit}
		if len(d.Pages) != 2 || d.Pages[1] != (citewell.PageStart{Page: 3, Start: spans[3].Start}) {
			t.Fatalf("pages start at %v", d.Pages)
		}
		passages := Cut(text, spans, d.Title)
		Place(d, spans, passages)
		var got []string
		for _, p := range passages {
			got = append(got, string(rune('0'+p.Page))+" "+p.Heading)
			if p.Unit != unit {
				t.Errorf("the unit is %q", p.Unit)
			}
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: got %v, want %s", unit, got, want)
		}
	}
}

// The blocks of a stored document are found again, and those that its Markdown has as headings.
func TestSpansOf(t *testing.T) {
	text := "One\n\nWords of it.\n\nTwo (2)\n\n\n\nx = 1\n# no\n\nlong " + strings.Repeat("w", 300) +
		"\n\nNone\n\nlines\nof it"
	markdown := "# One\n\nWords of it.\n\n## [Two](https://quern.example/) (2)\n\n```\nx = 1\n# " +
		"None\n```\n\n### long " + strings.Repeat("w", 300) + "\n\n####### Words of it.\n\n#None\n\n# lines of it"
	var got []string
	for _, s := range spansOf(text, markdown) {
		if s.Kind == block.Heading {
			got = append(got, text[s.Start:s.End]+string(rune('0'+s.Level)))
		}
	}
	if want := "One1|Two (2)2"; strings.Join(got, "|") != want || len(spansOf(text, markdown)) != 7 {
		t.Errorf("got %v of %d spans, want %s", got, len(spansOf(text, markdown)), want)
	}
}

// A small block is not cut, even behind a heading that leaves little room for it.
func TestSmallBlocksAreWhole(t *testing.T) {
	sentences := strings.Repeat("w", 148) + ". " + strings.Repeat("w", 148) + "."
	text, spans, _ := block.LayOut([]block.Block{{Kind: block.Heading, Level: 2, Text: strings.Repeat("h", 450)},
		{Text: sentences}}, 1<<20)
	if passages := Cut(text, spans, ""); len(passages) != 1 {
		t.Errorf("got %d passages, want one", len(passages))
	}
}
