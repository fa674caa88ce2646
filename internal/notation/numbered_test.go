package notation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/testing/score"
)

// listed are two sources as a run has them.
var listed = []citewell.Source{
	{N: 1, Title: "Kestrel pump", URL: "https://pumps.example/kestrel-300?utm_source=x",
		FinalURL: "https://www.pumps.example/kestrel-300"},
	{N: 2, Title: "Data sheet of the Kestrel (PDF)", URL: "http://docs.pumps.example/sheet_(2024).pdf"},
	{N: 3, Title: "Notes", URL: "file:///home/me/notes.md"},
}

// Every way in which models and people cite a source is read as its number, before the
// full stop or behind it.
func TestNotationsOfAListedSource(t *testing.T) {
	const says = "The Kestrel moves 310 litres per minute"
	for _, test := range []struct{ mark, want string }{
		{" [1]", " [1]"},
		{"[1]", "[1]"},
		{" [1, 2]", " [1, 2]"},
		{" [1; 2]", " [1, 2]"},
		{" [1 and 2]", " [1, 2]"},
		{" [1][2]", " [1][2]"},
		{" [1-3]", " [1, 2, 3]"},
		{" [1–2]", " [1, 2]"},
		{" [1, 2-3]", " [1, 2, 3]"},
		{" [1](https://pumps.example/kestrel-300)", " [1]"},
		{` [\[1\]](https://pumps.example/kestrel-300)`, " [1]"},
		{" [2](https://pumps.example/kestrel-300)", " [1]"}, // the address says what is meant
		{" [1](https://elsewhere.example/x)", " [1](https://elsewhere.example/x)"},
		{" [[1]](https://pumps.example/kestrel-300/)", " [1]"},
		{" [[1]]", " [1]"},
		{" ([1])", " [1]"},
		{" ([1], [2])", " [1], [2]"},
		{" (see [1])", " [1]"},
		{" 【1】", " [1]"},
		{"【1†source】", "[1]"},
		{"【2†L10-L12】", "[2]"},
		{"【1,2】", "[1, 2]"},
		{" ［1］", " [1]"},
		{" [1a]", " [1]"},
		{" [n1]", " [1]"},
		{" [77a]", " [77]"},
		{" [n77]", " [77]"},
		{" [1]²", " [1][2]"},
		{" [1]⁷⁷", " [1][77]"},
		{" [^1]", " [1]"},
		{" (https://pumps.example/kestrel-300)", " [1]"},
		{" (https://pumps.example/kestrel-300#top)", " [1]"},
		{" (http://docs.pumps.example/sheet_(2024).pdf)", " [2]"},
		{" (Source: https://pumps.example/kestrel-300)", " [1]"},
		{" (https://pumps.example/kestrel-300, http://docs.pumps.example/sheet_(2024).pdf)", " [1], [2]"},
		{" https://pumps.example/kestrel-300", " [1]"},
		{" <https://pumps.example/kestrel-300>", " [1]"},
		{" pumps.example/kestrel-300", " [1]"},
		{" [https://pumps.example/kestrel-300]", " [1]"},
		{" (file:///home/me/notes.md)", " [3]"},
		{" [Kestrel pump](https://pumps.example/kestrel-300)", " [1]"},
		{" ([Kestrel pump](https://pumps.example/kestrel-300))", " [1]"},
		{" ([its maker](https://pumps.example/kestrel-300))", " [1]"},
		{" [source](https://pumps.example/kestrel-300)", " [1]"},
		{" [pumps.example](https://pumps.example/kestrel-300)", " [1]"},
		{" as the [sheet](http://docs.pumps.example/sheet_(2024).pdf \"The sheet\")", " as the sheet [2]"},
		{" [Source 1]", " [1]"},
		{" [source: 1]", " [1]"},
		{" [Sources 1, 2]", " [1, 2]"},
		{" (Source 2)", " [2]"},
		{" [Ref. 1]", " [1]"},
		{" [S1]", " [1]"},
		{" [S1.p4]", " [1]"},
		{" <cite>1</cite>", " [1]"},
		{" <cite>[2]</cite>", " [2]"},
		{" <cite>Kestrel pump</cite>", " [1]"},
		{" <a href=\"https://pumps.example/kestrel-300\">source</a>", " [1]"},
		{" (<a href=\"https://pumps.example/kestrel-300\">its maker</a>)", " [1]"},
		{" <a href='https://pumps.example/kestrel-300'>Kestrel pump</a>", " [1]"},
		{" <a href=\"https://elsewhere.example\">source</a>", " <a href=\"https://elsewhere.example\">source</a>"},
		{"<sup>1</sup>", "[1]"},
		{"<sup>[1]</sup>", "[1]"},
		{" (1)", " [1]"},
		{"¹", "[1]"},
		{"②", "[2]"},
		{" ①", " [1]"},
		{" ①②", " [1][2]"},
		{" [7]", " [7]"}, // the caller says that there is none
		{" 【7】", " [7]"},
		{" [Source 7]", " [7]"},
	} {
		for _, sentence := range []struct{ name, in, want string }{
			{"before", says + test.mark + ".", says + test.want + "."},
			{"behind", says + "." + test.mark, says + "." + test.want},
			{"in a list", "- It is a pump.\n- " + says + test.mark + "\n- It hums.",
				"- It is a pump.\n- " + says + test.want + "\n- It hums."},
			{"in a row", "| What | Where |\n|---|---|\n| 310 litres" + test.mark + " | here |",
				"| What | Where |\n|---|---|\n| 310 litres" + test.want + " | here |"},
		} {
			got := notation.Numbered(sentence.in, listed)
			if got != sentence.want {
				t.Errorf("%q %s: %q, want %q", test.mark, sentence.name, got, sentence.want)
			}
			if again := notation.Numbered(got, listed); again != got {
				t.Errorf("%q %s: read again %q", test.mark, sentence.name, again)
			}
		}
	}
}

// A link within a sentence keeps its words, which the sentence needs.
func TestALinkInASentenceKeepsItsWords(t *testing.T) {
	for in, want := range map[string]string{
		"The [Kestrel pump](https://pumps.example/kestrel-300) moves 310 litres.": "The Kestrel pump [1] " +
			"moves 310 litres.",
		"310 litres are moved by the [Kestrel pump](https://pumps.example/kestrel-300).": "310 litres are moved " +
			"by the Kestrel pump [1].",
		"According to https://pumps.example/kestrel-300, it moves 310 litres.": "According to [1], it " +
			"moves 310 litres.",
		"It moves [310 litres](https://pumps.example/kestrel-300) a minute.": "It moves 310 litres " +
			"[1] a minute.",
		"It beats [all of them](https://pumps.example/kestrel-300).": "It beats all " +
			"of them [1].",
		"It hums, says <a href=https://pumps.example/kestrel-300>its maker</a>.": "It hums, says its " +
			"maker [1].",
		"![a pump](https://pumps.example/kestrel-300)": "![a pump](https://pumps.example/kestrel-300)",
		"It moves [310 litres][k] a minute.\n\n[k]: https://pumps.example/kestrel-300 \"K\"": "It moves 310 litres " +
			"[1] a minute.\n\n",
	} {
		if got := notation.Numbered(in, listed); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for _, sentence := range []string{"It hums. [It moves 310 litres](https://pumps.example/kestrel-300).",
		"It hums. [It moves 310 litres.](https://pumps.example/kestrel-300)"} {
		if got := notation.Numbered(sentence, listed); !strings.HasPrefix(got, "It hums. It moves 310 litres") ||
			!slices.Equal(notation.ParseMarks(got), []int{1}) {
			t.Errorf("%q: %q", sentence, got)
		}
	}
	const after = "It moves 310 litres. [the maker's page](https://pumps.example/kestrel-300)"
	if got, want := notation.Numbered(after, listed), "It moves 310 litres. [1]"; got != want {
		t.Errorf("%q: %q, want %q", after, got, want)
	}
}

// A source that has no address is named by the path that it has.
func TestALinkToAPath(t *testing.T) {
	sources := append([]citewell.Source{{N: 1, URL: "notes/pump.md"}}, listed[1:]...)
	for in, want := range map[string]string{
		"It hums ([notes](notes/pump.md)).":                              "It hums [1].",
		"It hums [7].\n\n## Sources\n\n[7] See [notes](notes/pump.md)\n": "It hums [1].",
		"[The pump](notes/pump.md) hums.":                                "The pump [1] hums.",
		"[^n]: Measured at the works by two inspectors.\n\nIt hums.": "[^n]: Measured at the works by two " +
			"inspectors.\n\nIt hums.",
	} {
		if got := notation.Numbered(in, sources); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// The writer's own list and footnotes say what its numbers mean, and go: code writes
// the list.
func TestTheWritersOwnListSaysWhatItsNumbersMean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a list with its own numbers", "It moves 310 litres [1]. It hums [2].\n\n## Sources\n\n[1] Sheet, " +
			"http://docs.pumps.example/sheet_(2024).pdf\n[2] Kestrel pump - https://pumps.example/kestrel-300\n",
			"It moves 310 litres [2]. It hums [1]."},
		{"of titles", "It moves 310 litres [2].\n\n**References**\n1. Something\n2. Kestrel pump\n",
			"It moves 310 litres [1]."},
		{"of bare links", "It moves 310 litres [1].\n\nSources:\n- https://pumps.example/kestrel-300\n- " +
			"[Elsewhere](https://elsewhere.example)\n", "It moves 310 litres [1]."},
		{"a list that says more is no list", "It hums [1].\n\n## Sources\n\n[1] Kestrel pump\n\nIt also moves 900 " +
			"litres.", "It hums [1].\n\n## Sources\n\n[1] Kestrel pump\n\nIt also moves 900 litres."},
		{"footnotes by address", "It moves 310 litres.[^2] It hums.[^a]\n\n[^2]: " +
			"https://pumps.example/kestrel-300\n[^a]: See http://docs.pumps.example/sheet_(2024).pdf.\n",
			"It moves 310 litres.[1] It hums.[2]\n\n"},
		{"a label in other letters", "It moves 310 litres.[^A] It [hums][K].\n\n[^a]: " +
			"https://pumps.example/kestrel-300\n[k]: http://docs.pumps.example/sheet_(2024).pdf\n",
			"It moves 310 litres.[1] It hums [2].\n\n"},
		{"a footnote by title", "It moves 310 litres.[^x]\n\n[^x]: Kestrel pump.\n", "It moves 310 litres.[1]\n\n"},
		{"a footnote with an address of nobody", "It moves 310 litres.[^1]\n\n[^1]: https://elsewhere.example/a\n",
			"It moves 310 litres.[1]\n\n"},
		{"a footnote that says something", "It moves 310 litres.[^n]\n\n[^n]: Measured at the works by two " +
			"inspectors.\n", "It moves 310 litres.[^n]\n\n[^n]: Measured at the works by two inspectors.\n"},
		{"a numbered footnote that says much", "It hums.[^1]\n\n[^1]: The pump was taken out of service by its owner " +
			"after a long dispute with the inspectors of the town.\n",
			"It hums.[1]\n\n[^1]: The pump was taken out of service by its owner after a long dispute with the " +
				"inspectors of the town.\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := notation.Numbered(test.in, listed); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// What only looks like a reference is left as it is.
func TestWhatIsNoReference(t *testing.T) {
	for _, s := range []string{
		"The field has 40 yards².", "It slows by 5 seconds².", "It hums (1)\nper minute.", "It hums (1) a lot.",
		"The call g(1)\nIt returns.",
		"The hall has 12 m².", "It accelerates by 5 metres per second².", "It weighs 10³ tonnes", "Energy is E = mc².",
		"A speed of 3 m s⁻¹.", "x² is the square.",
		"There are two steps. (1) Open the valve. (2) Close it.", "(1) Open the valve.\n(2) Close it.",
		"1. Open the valve.", "As equation (1) says.", "This is shown in equation (2).",
		"As in step (1).", "y = 2x + 3 (1)", "The call f(1).", "Version (1) is old news here.",
		"The array `x[1]` holds it.", "```go\nx[1] = y[2]\nr := `[^1]`\n```", "    plain (1) within a sentence.",
		"The range [0-9] is one.", "In [2024] it was new.", "The interval [10, 20] is closed.",
		"See https://elsewhere.example/kestrel-300 for more.", "Node.js/Deno is one.", "Ask pumps.example about it.",
		"<cite>somebody else</cite> says so.", "It is 2<sup>120</sup>.",
	} {
		if got := notation.Numbered(s, listed); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for in, want := range map[string]string{ // beside [n], and within a sentence, a reader would take them for marks
		"It hums [1]. ② is the second valve.":   "It hums [1]. (2) is the second valve.",
		"① Open the valve.\n② Close it.":        "(1) Open the valve.\n(2) Close it.",
		"It hums [1]. It moves 310 litres (2).": "It hums [1]. It moves 310 litres (2).",
		"It hums [1]. It moves 310 litres².":    "It hums [1]. It moves 310 litres².",
		"It moves 310 litres².":                 "It moves 310 litres[2].",
		"It slows by 5 minutes².":               "It slows by 5 minutes[2].",
		"It moves 310 litres (1)\nIt hums.":     "It moves 310 litres [1]\nIt hums.",
		"It moves 310 litres (1)":               "It moves 310 litres [1]",
		"“It moves 310 litres (1).”":            "“It moves 310 litres [1].”",
		"It moves 310 litres (1), (2).":         "It moves 310 litres [1], [2].",
		"It moves 310 litres. (1)":              "It moves 310 litres. [1]",
		"它每分钟三百升（1）。":                           "它每分钟三百升[1]。",
		"它每分钟三百升①。":                             "它每分钟三百升[1]。",
		"It moves 310 litres (4).":              "It moves 310 litres (4).", // there is no source 4
	} {
		if got := notation.Numbered(in, listed); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Between fences words that cite are words for the check; for it their marks count.
func TestReferencesInCode(t *testing.T) {
	if got, want := notation.Numbered("```\nIt moves 710 litres【1】.\n```", listed),
		"```\nIt moves 710 litres[1].\n```"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for s, want := range map[string]int{"`argv[1]` is it": 0, "`It moves 710 litres [1]`": 1, "argv[1] is it": 1,
		"``a`[1]`` x": 1, "`open [1]": 1,
		"``a `b` c[1]`` x": 0, "See [1]`x`.": 1, "`x` [1]`y`[2]": 2, "`x2[1]`": 0, "`f(x)[1]`": 0, "`m[i][1]`": 0,
		"One ` more.\n\nIt is `argv[1]`.": 0, "One.\n\nSee `x` [1] and `y`.": 1} {
		if got := notation.ParseMarks(s); len(got) != want {
			t.Errorf("%q has the marks %v", s, got)
		}
	}
}

// A text that is made to be looked at again and again takes no longer than others of its
// length: each of these would take minutes.
func TestHostileTextsAreReadOnce(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	for _, unit := range []string{"[", "`", "``` ", "[[", "[1] ", "(", "](", "[^", "【1", "https://a.b/", "<a ", "a. ¹ ",
		"[a](b", "`x` ", "\n```\n", "[a][b] ", "①", "1-", "[1-", "[1]\n", "( a ", "[S1.p", "[a]: b\n"} {
		notation.Numbered(strings.Repeat(unit, 100_000/len(unit)), listed)
	}
	var ticks strings.Builder
	for i := range 440 {
		ticks.WriteString(strings.Repeat("`", i) + " ")
	}
	notation.Numbered(ticks.String(), listed)
}

// What the text leads to is found with its words and as it is written; code leads nowhere.
func TestLinks(t *testing.T) {
	const s = "A [map](../m_(1).md \"M\"), ![view](v.png) `[x](y) https://no.example`, (https://a.example/x_(y)). " +
		"<https://b.example>, c.example/d."
	var got []string
	for _, l := range notation.Links(s) {
		got = append(got, l.Words+"|"+l.Target+"|"+s[l.Start:l.End])
	}
	want := []string{"map|../m_(1).md|[map](../m_(1).md \"M\")", "view|v.png|[view](v.png)",
		"|https://a.example/x_(y)|https://a.example/x_(y)", "|https://b.example|<https://b.example"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What is read a second time says the same, no address of the list is left in prose, and
// no number appears that was not written.
func FuzzNumbered(f *testing.F) {
	for _, s := range []string{"It moves 310 litres [1](https://pumps.example/kestrel-300).", "a [^1]\n\n[^1]: x",
		"【1†s】 ¹ ① (1)", "``` [1-3]\n```", "<a href=x>1</a>", "[[[1]]](", "`[1]` ``", "## Sources\n[1] a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := notation.Numbered(s, listed)
		for _, n := range notation.ParseMarks(once) {
			if n > 999 {
				t.Errorf("%d in %q", n, once)
			}
		}
		if strings.Count(once, "://") > strings.Count(s, "://") {
			t.Errorf("%q has an address more than %q", once, s)
		}
	})
}
