package agent

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/text"
)

// What a sum comes to, and what is none.
func TestSums(t *testing.T) {
	bits := func(n int) string { return strings.TrimSuffix(strings.Repeat("2^64*", n), "*") }
	for task, want := range map[string]string{
		"2 -": "", "3 * -": "", "- 3 + 5": "2", "-(2": "", "2 * (3": "", "2 ^ (": "", "6 / 4 / 2": "3/4",
		"7 % 4 * 2": "6", "1,2 + 1": "11/5", "1,234,567 + 1": "1234568", "12,34 * 1": "617/50", "1.5 ÷ 3": "1/2",
		"2 ** 3": "8", "2^3 + 1": "9", "2^0": "1", "2^1 * 3": "6", "−3 + 1": "-2", "5 × 6": "30", "20% * 5": "1",
		"7 %": "7/100", "(7)%": "7/100", "10 % (4)": "2", "3 4": "", "3 4 + 1": "", "(1 + 2) 3": "",
		"1 + 2 and 3 + 4": "3 7", "2 + 1/0 or 3": "", "5 of 6": "", "50 % of 8 + 1": "5", "5 % auf 200": "10",
		"5 % altogether 200": "1/20", "2^64 * 1": "18446744073709551616",
		bits(15) + " * 1": new(big.Int).Lsh(big.NewInt(1), 960).String(), bits(33): "",
		strings.Repeat("(", 49) + "1+1" + strings.Repeat(")", 49): "2",
		"1+1" + strings.Repeat(" ", maxExpression-3):              "2",
		"1+1" + strings.Repeat(" ", maxExpression-2):              "",
		strings.Repeat("-", 10) + "1 + 1":                         "2", "1" + strings.Repeat("/2^64", 33): "",
		"(1/2^40)^60 * 1": "", "(1/2^40)^2 * 2^40": "1/1099511627776", "2" + strings.Repeat("^1", 60): "",
	} {
		results, operands := computations(task)
		var got []string
		for _, value := range results {
			got = append(got, value.RatString())
		}
		if said := strings.Join(got, " "); said != want || len(results) > 0 && len(operands) == 0 {
			t.Errorf("%q comes to %q, want %q", task, said, want)
		}
	}
	if _, operands := computations("2 + 3 and 4 * 5"); fmt.Sprint(operands) != "[2/1 3/1 4/1 5/1]" {
		t.Errorf("the numbers are %v", operands)
	}
	for _, test := range []struct {
		written string
		value   *big.Rat
		want    bool
	}{
		{"0.33", big.NewRat(1, 3), true}, {"0,33", big.NewRat(1, 3), true}, {"0.3", big.NewRat(1, 3), false},
		{"0.34", big.NewRat(1, 3), false}, {"0.333", big.NewRat(1, 3), true}, {"3", big.NewRat(10, 3), false},
		{"4", big.NewRat(4, 1), true}, {"0.5", big.NewRat(1, 2), true}, {"1.2.3", big.NewRat(1, 1), false},
		{"1,234", big.NewRat(1234, 1), true}, {"0.33", big.NewRat(-1, 3), true}, {"66.67", big.NewRat(200, 3), true},
	} {
		if got := isRounded(test.written, test.value); got != test.want {
			t.Errorf("%s for %s: %v", test.written, test.value, got)
		}
	}
}

// What looks like an address is one where it can be opened, or has the form of one.
func TestWhatIsAnAddress(t *testing.T) {
	for address, want := range map[string]bool{
		"Node.js": false, "e.g": false, "lake.com": true, "lake.com/x": true, "com": false, "com/x": true,
		"//lake": true, "mailto:a": true, "10.1.2.3": true, "10.1.2.3/x": true, "10.1.2": false, "1.2.3.4.5": false,
		"lake.test": true, "lake.example/x": true, "lake.invalid": true, "lake.localhost": true, "lake.local": true,
		"lake.internal": true, "lake.onion": true, "lake.arpa": true, "a.b": false, "a.b/c": false, "LAKE.COM": true,
		"": false, "/x": false,
	} {
		if got := isAddress(address); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}

// What a text is taken apart into, beyond what the sample has.
func TestWhereStatementsStand(t *testing.T) {
	for content, want := range map[string][]string{
		"One is here. Two is there.":                {"0 One is here.", "0 Two is there."},
		"One is\nhere.\n\nTwo.":                     {"0 One is here.", "1 Two."},
		"- One\n- Two\nand more\n\n> Three":         {"0 One", "1 Two and more", "2 Three"},
		"One.\n```\nx 9\n```\nTwo.":                 {"0 One.", "1 Two."},
		"One [1]. [2] Two.":                         {"0 One. [1 2]", "0 Two."},
		"[1] One.":                                  {"0 One. [1]"},
		"[1]":                                       nil,
		"# Head\n\nOne.":                            {"0 Head: One."},
		"# Head [1]\n\nOne.":                        {"0 Head [1]", "1 Head: One."},
		"# 640 GWh a year\n\nOne.":                  {"0 640 GWh a year", "1 640 GWh a year: One."},
		"# Three steps\n\nOne.":                     {"0 Three steps: One."},
		"| a | b [1] |\n|---|---|\n| c | d |\nOne.": {"0 a: c; b: d [1] row", "1 One."},
		"It is *so* and `so`, ~~not~~ [here](https://a.org/1).": {"0 It is so and so, not here."},
		"See https://a.org/123 and lake.com, 3 m.":              {"0 See and lake.com, 3 m."},
		"3 &lt; 4 it is.":         {"0 3 < 4 it is."},
		"---\n\n***\n\nOne.":      {"0 One."},
		"One [1].[2, 3] Two [4].": {"0 One. [1 2 3]", "0 Two. [4]"},
		"1) One.\n\n2. Two.":      {"0 One.", "1 Two."},
		"| c | d |   \n":          {"0 c; d row"},
		"A paragraph of words\nthat goes on.\n| x | 5 |\nLast.": {
			"0 A paragraph of words that goes on.", "1 x; 5 row", "2 Last."},
		"> - Quoted item.\n> - And another.": {"0 Quoted item.", "1 And another."},
		// Rows are read with the head of their table, which is no statement.
		"Lake | Area\n--- | ---\nAlder | 48 ha [1]\nBirch | 7 ha [2]\n": {
			"0 Lake: Alder; Area: 48 ha [1] row", "1 Lake: Birch; Area: 7 ha [2] row"},
		"| In 2024 | Area (ha) [2] |\n|:--|--:|\n| Alder | 48 |\n| a\\|b | 7 [1] |": {
			"0 In 2024: Alder; Area (ha): 48 ha [2] row", "1 In 2024: a|b; Area (ha): 7 ha [1] row"},
		"| Lake | Area |\n|---|---|\n| | 48 ha |\n\n| x | 5 |": {
			"0 Area: 48 ha row", "1 x; 5 row"},
		"| Lake | Area |\n|---|\n| Alder | 48 ha |": {
			"0 Lake; Area row", "1 Alder; 48 ha row"},
		// Headings that are no ATX ones.
		"The herons of Alder Lake\n===\n\nOne.":    {"0 The herons of Alder Lake: One."},
		"The herons of Alder Lake\n---\nOne.":      {"0 The herons of Alder Lake: One."},
		"Herons breed at Alder Lake.\n---\nOne.":   {"0 Herons breed at Alder Lake.", "1 One."},
		"The herons [1]\n---\nOne.":                {"0 The herons [1]", "1 One."},
		"**The herons of Alder Lake**\n\nOne.":     {"0 The herons of Alder Lake: One."},
		"**Herons breed at Alder Lake.**\n\nOne.":  {"0 Herons breed at Alder Lake.", "1 One."},
		"**Herons came in 1987**\n\nOne.":          {"0 Herons came in 1987", "1 One."},
		"One.\n\n**Herons breed at Alder Lake**\n": {"0 One.", "1 Herons breed at Alder Lake"},
	} {
		var got []string
		for _, s := range statements(content) {
			said := fmt.Sprintf("%d ", s.block)
			if s.topic != "" {
				said += s.topic + ": "
			}
			said += s.claim
			if len(s.marks) > 0 {
				said += " " + fmt.Sprint(s.marks)
			}
			if s.cells != "" {
				said += " row"
			}
			got = append(got, said)
			if s.start < 0 || s.end > len(content) || s.start >= s.end ||
				strings.TrimSpace(content[s.start:s.end]) != content[s.start:s.end] {
				t.Errorf("%q: %q stands at %d to %d", content, s.claim, s.start, s.end)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n is %q\nwant %q", content, got, want)
		}
	}
	for claim, want := range map[string]bool{
		"": false, "It is so.": false, "It is what it is.": true, "This report is about the lake.": false,
		"Nothing is known of it.": false, "In 2024.": true, "2024.": false, "The figures are these:": false,
		"The year's 640 GWh:": true,
		"Is it 640 GWh？":      true, "Is it so in the end?": false, "There were 3 ships: ": false, "640 GWh：": true,
		"Herons breed there in spring": true, "Herons breed there now": false,
	} {
		if got := (statement{claim: claim}).factual(); got != want {
			t.Errorf("%q states something: %v", claim, got)
		}
	}
	for content, want := range map[string]bool{
		"The two lakes differ in many ways.\n\n- One [1].":                      false,
		"The two lakes differ in many ways.\n\n| a | b |\n|---|---|\n| c | d |": false,
		"The two lakes differ in many ways.\n- One [1].":                        false,
		"The two lakes differ in many ways.\n\nOne [1].":                        true,
		"The two lakes differ in many ways. They do.\n\n- One [1].":             true,
		"The lakes of Norland differ in many ways.\n\n- One [1].":               true,
		"The two lakes differ in 3 ways.\n\n- One [1].":                         true,
		"- The two lakes differ in many ways.\n- One [1].":                      true,
	} {
		if got := statements(content)[0].factual(); got != want {
			t.Errorf("%q states something first: %v", content, got)
		}
	}
	if (statement{claim: "In 2024: Name", cells: "Name"}).factual() || !(statement{claim: "7", cells: "7"}).factual() {
		t.Error("a row states something where it has a figure")
	}
}

// The strings of arguments, whatever form they have.
func TestStringsOfArguments(t *testing.T) {
	for arguments, want := range map[string][]string{`{"url":"a"}`: {"a"}, `{"url":["a","b"]}`: {"a", "b"},
		`{"url":7}`: {"7"}, `{"url":{"x":1}}`: {`{"x":1}`}, `{"x":"a"}`: nil, `[]`: nil, `{"url":[1]}`: {"[1]"},
		`{"url":[]}`: {}} {
		if got := stringsOf(json.RawMessage(arguments), "url"); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", arguments, got, want)
		}
	}
	if got := textsIn(json.RawMessage(`{"a":["b",7,true,null,{"c":1.50}]}`)); !slices.Equal(got,
		[]string{"a", "b", "7", "c", "1.50"}) {
		t.Errorf("the texts are %q", got)
	}
	for arguments, want := range map[string]string{`{"b":"x","reasoning":"r","a":["y",2]}`: "a: y, 2, b: x", `{}`: "",
		`7`: "", ``: "", `{"a":` + `"` + strings.Repeat("w ", 200) +
			`"}`: text.Shorten("a: "+strings.TrimSpace(strings.Repeat("w ", 200)), maxCallTitle)} {
		if got := callWords(json.RawMessage(arguments)); got != want {
			t.Errorf("%s is %q, want %q", arguments, got, want)
		}
	}
	for result, want := range map[string]bool{`{"ok":true}`: false, `{"ok":{"a":[null,"  "]}}`: false, `0`: true,
		`"x"`: true, `[[],["y"]]`: true, `{"a":{"b":1}}`: true, "words": true, " \n": false, `false`: false} {
		if got := states(result); got != want {
			t.Errorf("%s says something: %v", result, got)
		}
	}
	for object, want := range map[string]string{`{"a":1,"b":2}`: `{"b":2}`, `{"b":2}`: `{"b":2}`,
		`[1]`: `[1]`, `x`: `x`} {
		if got := string(without(json.RawMessage(object), "a")); got != want {
			t.Errorf("%s without a is %s", object, got)
		}
	}
}

// The object in a text is what is from its first brace to its last, or the first that is whole.
func TestObjectsInText(t *testing.T) {
	for said, want := range map[string]string{`so: {"a":{}} it is`: `{"a":{}}`, `{"a":1} and {b}`: `{"a":1}`,
		`{"a":1}{"b":2}`: `{"a":1}`, `none`: "", `}{`: "", `{"a":`: "", `{a}`: "", `{}`: "{}"} {
		got, err := dig(said)
		if string(got) != want || (err != nil) != (want == "") {
			t.Errorf("%q has %q, %v", said, got, err)
		}
	}
}

func (onlyNamed) Name() string { return "m" }

// What becomes of a page that was tried, as it is told.
func TestWhatIsToldOfAFetch(t *testing.T) {
	page := citewell.Page{FinalURL: "https://b.example/", Status: 200, Outcome: citewell.FetchOK}
	for name, test := range map[string]struct {
		read pageRead
		s    *source
		want Fetched
	}{
		"read": {pageRead{url: "https://a.example/", got: gotten{Page: page, Bytes: 7, ElapsedMS: 5}},
			&source{Source: citewell.Source{N: 3}}, Fetched{N: 3, URL: "https://a.example/",
				FinalURL: "https://b.example/", Outcome: citewell.FetchOK, Status: 200, Bytes: 7, ElapsedMS: 5}},
		"no source": {pageRead{url: "https://a.example/", got: gotten{Page: page}}, nil,
			Fetched{URL: "https://a.example/", FinalURL: "https://b.example/", Outcome: citewell.FetchOK, Status: 200}},
		"little": {pageRead{url: "https://a.example/", got: gotten{
			Page: page, Doc: citewell.Document{LowYield: true}}}, nil,
			Fetched{URL: "https://a.example/", FinalURL: "https://b.example/", Outcome: citewell.FetchLowYield,
				Status: 200}},
		"forbidden": {pageRead{url: "https://a.example/", err: &citewell.Error{Code: citewell.CodeRobotsDisallowed}},
			nil, Fetched{URL: "https://a.example/", Outcome: citewell.FetchBlockedRobots}},
	} {
		if got := *test.read.fetched(test.s); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
	doc := citewell.Document{Text: "Herons nest.", Markdown: "*Herons* nest.", PageUnit: "page",
		Passages: []citewell.Passage{{Start: 0, End: 6, Text: "Herons", Heading: "h", Page: 2, Columns: "c"},
			{Start: 7, End: 12, Text: "nest."}, {Start: 7, End: 13}, {Start: 7, End: 7}, {Start: -1, End: 3}}}
	got := gottenOf(citewell.Page{Body: []byte("12345")}, doc)
	if got.Bytes != 5 || got.Page.Body != nil || got.Doc.Markdown != "" || len(got.Passages) != 5 {
		t.Errorf("kept: %+v", got)
	}
	back := got.document().Passages
	if len(back) != 2 || back[0] != (citewell.Passage{Start: 0, End: 6, Text: "Herons", Heading: "h", Page: 2,
		Columns: "c", Unit: "page"}) || back[1].Text != "nest." {
		t.Errorf("and back: %+v", back)
	}
}

// Numbers that name no source go out of a text; remarks go behind sentences, within their rows and
// before their full stops; places move with them.
func TestMarked(t *testing.T) {
	r := withSource("https://good.org/page", "good.org")
	r.sources.add("u", "https://good.org/other", "", "", nil)
	for content, want := range map[string]string{
		"It grew [1].":                "It grew [1].",
		"It grew [7].":                "It grew.",
		"It grew [1, 7].":             "It grew [1].",
		"It grew [2, 1, 9].":          "It grew [2, 1].",
		"It grew \n [7] and fell.":    "It grew and fell.",
		"It grew ⑦. It fell ②.":       "It grew. It fell ②.",
		"It grew [7][8]. It fell [2]": "It grew. It fell [2]",
	} {
		if got := r.marked(content, nil, nil); got != want {
			t.Errorf("%q became %q, want %q", content, got, want)
		}
	}
	for _, test := range []struct{ content, sentence, note, want string }{
		{"It grew. It fell.", "It grew.", "(⚠ figure)", "It grew. (⚠ figure) It fell."},
		{"It grew. It fell.", "It grew.", "[2]", "It grew [2]. It fell."},
		{"It grew", "It grew", "[2]", "It grew [2]"},
		{"It grew... It fell.", "It grew...", "[2]", "It grew [2]... It fell."},
		{"It grew.... It fell.", "It grew....", "[2]", "It grew.... [2] It fell."},
		{"长大。", "长大。", "[2]", "长大 [2]。"},
		{"| a | 5 |", "| a | 5 |", "[2]", "| a | 5 [2] |"},
		{"| a | 5 |  ", "| a | 5 |  ", "(⚠ figure)", "| a | 5 (⚠ figure) |"},
		{"It grew [7]. It fell.", "It fell.", "(⚠ figure)", "It grew. It fell. (⚠ figure)"},
	} {
		at := strings.Index(test.content, test.sentence)
		places := []citewell.Place{{Start: at, End: at + len(test.sentence)}}
		got := r.marked(test.content, []remark{{at, at + len(test.sentence), test.note}}, places)
		if got != test.want {
			t.Errorf("%q became %q, want %q", test.content, got, test.want)
		}
		if p := places[0]; !strings.HasPrefix(got[p.Start:p.End], strings.TrimRight(test.sentence, ".。| ")) ||
			!strings.Contains(got[p.Start:p.End], test.note) {
			t.Errorf("%q is placed at %q of %q", test.sentence, got[p.Start:p.End], got)
		}
	}
}

// Sources have their numbers for good, also where a session has forgotten the first.
func TestNumbersOfSources(t *testing.T) {
	s := newSources()
	for i := range 4 {
		one, added := s.add(fmt.Sprint(i), fmt.Sprintf("https://a.example/%d", i), "", "", nil)
		if one.doc.Text = "12345"; one.N != i+1 || !added {
			t.Errorf("source %d has the number %d", i, one.N)
		}
	}
	s.forget(2)
	if s.number(2) != nil || s.number(3).Title != "2" || s.number(4).Title != "3" || s.number(5) != nil ||
		s.number(0) != nil || s.texts() != 10 || s.find("https://a.example/0") != nil {
		t.Errorf("after two were forgotten: %+v", s.list)
	}
	work := &citewell.Work{DOI: "10.1/x"}
	known, added := s.add("other", "https://a.example/3", "words", "", work)
	if added || known.N != 4 || known.Title != "3" || known.Snippet != "words" || known.Work != work {
		t.Errorf("a known one: %+v", known)
	}
	if known, _ = s.add("other", "https://a.example/3", "others", "", &citewell.Work{}); known.Snippet != "words" ||
		known.Work != work {
		t.Errorf("it changed: %+v", known)
	}
	settled := s.number(3)
	settled.settled = true
	if s.add("", settled.URL, "words", "", work); settled.Snippet != "" || settled.Work != nil {
		t.Errorf("a settled one: %+v", settled)
	}
	if again, _ := s.add("0", "https://a.example/0", "", "", nil); again.N != 5 {
		t.Errorf("a forgotten one comes back as %d", again.N)
	}
	if got := s.all(); len(got) != 3 || got[0].N != 3 {
		t.Errorf("all: %+v", got)
	}
	for url, want := range map[string]door.Source{"https://a.example/": door.Public, "file:///a": door.Private,
		"tool:x?sha256=0": door.Private} {
		if got := wordsOf(url); got != want {
			t.Errorf("%s says words of %v", url, got)
		}
	}
}

// Passages of a source have ids that a replay gives them again, and that no other source or run has.
func TestNumbered(t *testing.T) {
	given := []citewell.Passage{{Start: 0, End: 3, Text: "abc"}, {Start: 5, End: 8, Text: "def"}}
	got := Numbered("run_1", "https://a.example/", 4, given)
	if got[0].Alias != "S4.p1" || got[1].Alias != "S4.p2" || got[1].Source != 4 || got[1].Text != "def" ||
		len(got[0].ID) != 32 || given[0].ID != "" {
		t.Errorf("%+v", got)
	}
	ids := map[string]bool{got[0].ID: true}
	for _, other := range [][]citewell.Passage{got[1:], Numbered("run_2", "https://a.example/", 4, given),
		Numbered("run_1", "https://b.example/", 4, given), Numbered("run_1", "https://a.example/", 5, given)} {
		if ids[other[0].ID] {
			t.Errorf("%s is of two", other[0].ID)
		}
		ids[other[0].ID] = true
	}
	if again := Numbered("run_1", "https://a.example/", 4, given); !slices.Equal(again, got) {
		t.Errorf("again: %+v", again)
	}
}
