package tree

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The quick way of splitting a name says what the careful one does, whatever signs are in it.
func TestSplitName(t *testing.T) {
	for _, name := range []string{"", "a", "nav", "site-navBar", "siteNAVBar", "Nav", "aB", "AB", "aBcD", "a1B2", "h1",
		"9to5", "col-09-az-AZ", "__a__b__", "@[`{/:", "a-", "-a", "aé", "étéMenu", "menu_été", "A\u00c9b", "字menu"} {
		got, want := SplitName([]string{"before"}, name), splitRunes([]string{"before"}, name)
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	for a := range byte(128) {
		for _, name := range []string{string([]byte{'x', a, 'Y'}), string([]byte{a, 'y'}), string([]byte{'X', a}),
			string([]byte{'1', a, 'a'})} {
			if got, want := SplitName(nil, name), splitRunes(nil, name); !slices.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", name, got, want)
			}
		}
	}
}

// Names are parted as strings.Fields parts them.
func TestNextName(t *testing.T) {
	for _, names := range []string{"", " ", "a", " a ", "a b", "\ta\n\u00a0b\u2003 cd ", "字 b"} {
		var got []string
		for name, rest := NextName(names); name != ""; name, rest = NextName(rest) {
			got = append(got, name)
		}
		if want := strings.Fields(names); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", names, got, want)
		}
	}
}

// Attributes that no later step reads go, and long ones are cut.
func TestTrimAttributes(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, test := range []struct {
		key, value string
		want       int // bytes that are kept; -1 for none
	}{
		{"class", long, MaxAttribute}, {"id", long, MaxAttribute}, {"href", long, 4096}, {"content", long, 4096},
		{"colspan", "99", 2}, {"colspan", "100", -1}, {"rowspan", "2", 1}, {"onclick", "x", -1}, {"data-lang", "go", 2},
		{"href", "a\x00b", 2},
	} {
		n := &html.Node{Type: html.ElementNode, Attr: []html.Attribute{
			{Key: "onload", Val: "x"}, {Key: test.key, Val: test.value}}}
		got := -1
		if kept := TrimAttributes(n); len(kept) == 1 && kept[0].Key == test.key {
			got = len(kept[0].Val)
		} else if len(kept) > 1 {
			t.Errorf("%s: kept %v", test.key, kept)
		}
		if got != test.want {
			t.Errorf("%s: %d bytes are kept, want %d", test.key, got, test.want)
		}
	}
}

// A callout's label stands in it or in one element more.
func TestInCallout(t *testing.T) {
	for page, want := range map[string]bool{
		`<div class=note><h3>x`: true, `<aside id=tip><h3>x`: true, `<blockquote class="big Warning"><h3>x`: true,
		`<div class=note><div><h3>x`:      true,
		`<div class=note><div><div><h3>x`: false, `<section class=note><h3>x`: false,
		`<div class=note><section><h3>x`: false, `<div class=noted><h3>x`: false, `<div><h3>x`: false,
	} {
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.DataAtom == atom.H3 && InCallout(n) != want {
				t.Errorf("%s: got %v", page, !want)
			}
		}
	}
}

// What of a page is not read by anything is passed over before its tree is made: scripts and
// styles, but none that hold data, formulas, or stand in a drawing.
func TestIdleScripts(t *testing.T) {
	for _, test := range []struct {
		page string
		idle string // what is left out
	}{
		{"<script>a</script>b<style>c</style>", "ac"}, {"<SCRIPT SRC=x>a</SCRIPT>", "a"},
		{"<script type=application/ld+json>a</script>", ""}, {"<script type='math/tex'>a</script>", ""},
		{"<style id=S:1>a</style>", ""}, {"<script style='opacity:0'>a</script>", ""},
		{"<script style=visibility:hidden>a</script>", ""}, {"<script title='&amp;'>a</script>", ""},
		{"<script title='" + strings.Repeat("x", 493) + "'>a</script>", "a"},
		{"<script title='" + strings.Repeat("x", 512) + "'>a</script>", ""},
		{"<title>a</title><textarea>b</textarea><noscript>c</noscript>", ""},
		{"<svg><style>a</style></svg><style>b</style>", "b"}, {"<math><style>a</style></math><style>b</style>", "b"},
		{"<svg><style>a<b</style></svg><style>b</style>", ""}, {"<svg><desc></desc></svg><style>b</style>", ""},
		{"<svg></svg></svg><style>b</style>", "b"}, {"<svg><![CDATA[x]]></svg><style>b</style>", ""},
		{"<math><mi>x</mi></math><style>b</style>", ""},
	} {
		got := ""
		for _, gap := range weigh(t.Context(), test.page).idle {
			got += test.page[gap.start:gap.end]
		}
		if got != test.idle {
			t.Errorf("%.80s: left out %q, want %q", test.page, got, test.idle)
		}
	}
}
