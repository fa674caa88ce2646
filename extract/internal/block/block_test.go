package block

import (
	"slices"
	"testing"
)

// Blocks that belong together stand on neighbouring lines, others apart; what has no room is
// left out, but the beginning of the first.
func TestLayOut(t *testing.T) {
	item := func(list int, words string) Block { return Block{Kind: Item, List: list, Text: words} }
	for _, test := range []struct {
		name   string
		blocks []Block
		limit  int
		want   string
		whole  bool
	}{
		{"paragraphs", []Block{{Text: "a"}, {Text: ""}, {Text: "b"}}, 99, "a\n\nb", true},
		{"empty first", []Block{{}, {Text: "a"}}, 99, "a", true},
		{"one list", []Block{item(1, "- a"), item(1, "- b"), item(2, "- c"), {Text: "d"}}, 99,
			"- a\n- b\n\n- c\n\nd", true},
		{"terms", []Block{{Kind: Term, Text: "a"}, {Kind: Term, Text: "b"}, {Kind: Explanation, Text: "c"},
			{Kind: Explanation, Text: "d"}, {Kind: Term, Text: "e"}, {Text: "f"}}, 99, "a\nb\nc\n\nd\n\ne\n\nf", true},
		{"just enough room", []Block{{Text: "aaaa"}, {Text: "bbbb"}}, 10, "aaaa\n\nbbbb", true},
		{"no room for the second", []Block{{Text: "aaaa"}, {Text: "bbbb"}}, 9, "aaaa", false},
		{"room for the start of the first", []Block{{Text: "aaaa"}, {Text: "bbbb"}}, 3, "aaa", false},
		{"room for whole characters", []Block{{Text: "aaé"}}, 3, "aa", false},
	} {
		got, spans, whole := LayOut(test.blocks, test.limit)
		if got != test.want || whole != test.whole {
			t.Errorf("%s: got %q, whole %v", test.name, got, whole)
		}
		for _, s := range spans {
			if got[s.Start:s.End] == "" || !slices.ContainsFunc(test.blocks, func(b Block) bool {
				return b.Kind == s.Kind && (b.Text == got[s.Start:s.End] || !whole)
			}) {
				t.Errorf("%s: a span holds %q", test.name, got[s.Start:s.End])
			}
		}
	}
}

// Markdown of blocks alone keeps words from being read as marks.
func TestMarkdown(t *testing.T) {
	for _, test := range []struct {
		blocks []Block
		want   string
	}{
		{[]Block{{Kind: Heading, Level: 2, Text: "a_b"}, {Kind: Heading, Level: 0, Text: "c"},
			{Kind: Heading, Level: 9, Text: "d"}}, "## a\\_b\n\n# c\n\n###### d"},
		{[]Block{{Kind: Item, List: 1, Text: "- a*", Marker: 2}, {Kind: Item, List: 1, Text: "- - b", Marker: 2},
			{Kind: Item, List: 2, Text: "1. c", Marker: 3}}, "- a\\*\n- \\- b\n\n1. c"},
		{[]Block{{Kind: Term, Text: "a"}, {Kind: Explanation, Text: "b"}}, "**a**\n\nb"},
		{[]Block{{Kind: Code, Text: "a"}, {Kind: Code, Text: "```\nb"}}, "```\na\n```\n\n````\n```\nb\n````"},
		{[]Block{{Kind: Grid, Text: "a | b|c\nd"}}, "| a | b\\|c |\n|---|---|\n| d |"},
		{[]Block{{Text: "# a\n> b\n+ c\n= d\n~ e\n| f\n- g\n\nh # i\n\\ ` * _ [ ] < &"}},
			"\\# a  \n\\> b  \n\\+ c  \n\\= d  \n\\~ e  \n\\| f  \n\\- g  \n  \nh # i  \n\\\\ \\` \\* \\_ \\[ " +
				"\\] \\< \\&"},
	} {
		if got := Markdown(test.blocks); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A sheet is written without its empty columns and the empty ends of its rows.
func TestSheet(t *testing.T) {
	for _, test := range []struct {
		rows          [][]string
		text, columns string
	}{
		{[][]string{{"a", "", "b"}, {"c", "", "d"}}, "a | b\nc | d", ""},
		{[][]string{{"a", "b"}, {"c", ""}, {"", "d"}, {"", ""}, {""}}, "a | b\nc\n- | d\n\n", ""},
		{[][]string{{"a", "b", "c"}, {"1", "x", "2"}, {"3", "y", "4"}}, "a | b | c\n1 | x | 2\n3 | y | 4", "a | b | c"},
	} {
		if got := Sheet(test.rows); got.Text != test.text || got.Columns != test.columns || got.Kind != Grid {
			t.Errorf("got %q with columns %q, want %q with %q", got.Text, got.Columns, test.text, test.columns)
		}
	}
	for _, test := range []struct{ cell, want string }{{" a\nb ", "a b"}, {"a | b", "a / b"}, {"a|b", "a|b"}} {
		if got := Cell(test.cell); got != test.want {
			t.Errorf("%q: got %q, want %q", test.cell, got, test.want)
		}
	}
}

// What begins as the item of a list does.
func TestIsItem(t *testing.T) {
	for words, want := range map[string]bool{"- a": true, "* a": true, "+ a": true, "• a": true, "o a": true,
		"-a": false, "1. a": true, "1) a": true, "123. a": true, "1234. a": false, "1.a": false, ". a": false,
		"a": false, "": false} {
		if got := IsItem(words); got != want {
			t.Errorf("%q: got %v", words, got)
		}
	}
}
