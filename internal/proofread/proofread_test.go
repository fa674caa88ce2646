package proofread

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
)

// Every way to write a citation becomes a mark with its target; what is none stays.
func TestNotations(t *testing.T) {
	const a, b = "https://a.example/x", "https://b.example/y_(z)"
	tests := []struct {
		name, content string
		sentence      string   // the first one that is cited, without its marks
		targets       []string // of it; [n] for a label that the text does not explain
	}{
		{"link", "The tower [leans a lot](" + a + ") today.", "The tower leans a lot today.", []string{a}},
		{"link_with_title", `The tower [leans](` + a + ` "Tower").`, "The tower leans.", []string{a}},
		{"link_in_brackets", "The tower leans ([source](" + a + ")).", "The tower leans.", []string{a}},
		{"number_that_is_a_link", "The tower leans [1](" + a + ") [[2]](" + b + ").", "The tower leans.",
			[]string{a, b}},
		{"address_in_brackets", "The tower leans (" + a + ").", "The tower leans.", []string{a}},
		{"address_in_angles", "The tower leans <" + b + ">.", "The tower leans.", []string{b}},
		{"bare_address_behind_the_stop", "The tower leans. " + a + "\nIt is old.", "The tower leans.", []string{a}},
		{"bare_address_before_the_stop", "The tower leans " + b + ".", "The tower leans.", []string{b}},
		{"fragment", "The tower leans [1](" + a + "#p1), [2](" + a + "#p2).", "The tower leans,.", []string{a}},
		{"footnote", "The tower leans.[^tip]\n\n[^tip]: A book, " + a + ", page 3.", "The tower leans.", []string{a}},
		{"footnote_without_address", "The tower leans.[^1]\n\n[^1]: A book.", "The tower leans.", []string{"[^1]"}},
		{"reference_link", "The tower [leans][tip].\n\n[tip]: " + a + " \"Tower\"", "The tower leans.", []string{a}},
		{"numbers", "The tower leans [1, 2].\n\n## References\n[1] One. " + a + "\n[2] Two: " + b, "The tower leans.",
			[]string{a, b}},
		{"numbers_one_behind_another", "The tower leans [1][2].\n\n1. One. " + a + "\n2. Two: <" + b + ">",
			"The tower leans.", []string{a, b}},
		{"range", "The tower leans [1-2].\n\n1. [One](" + a + ")\n2. Two\n   " + b + "\n", "The tower leans.",
			[]string{a, b}},
		{"lenticular", "The tower leans【1†source】.\n\n[1]: " + a, "The tower leans.", []string{a}},
		{"circled", "The tower leans ①. Of two things ③ is one.\n\n1. One. " + a, "The tower leans.", []string{a}},
		{"unexplained", "The tower leans [3].\n\n1. One. " + a, "The tower leans.", []string{"[3]"}},
		{"unexplained_range", "The tower leans [1–2].", "The tower leans.", []string{"[1]", "[2]"}},
		{"unexplained_footnote", "The tower leans.[^tip]", "The tower leans.", []string{"[^tip]"}},
		{"a_number_of_a_target_is_none_of_the_text", "The tower leans [999](" + a + ") [998].", "The tower leans.",
			[]string{a, "[998]"}},
		{"circled_beside_a_link", "The tower leans ①. It [is old](" + b + ").\n\n1. One. " + a, "The tower leans.",
			[]string{a}},
		{"an_address_below_its_entry", "The tower leans [1].\n\n1. One.\n" + a + "#top", "The tower leans.",
			[]string{a}},
		{"relative_definition", "The [tower][Tip] leans.\n\n[tip]: ../tower.md#top", "The tower leans.",
			[]string{"../tower.md"}},
		{"a_sentence_that_is_a_link", "The hall is old. [The tower leans](" + a + ").", "The tower leans.",
			[]string{a}},
		{"a_sentence_within_a_link", "The hall is old. [The tower leans.](" + a + ")", "The tower leans.", []string{a}},
		{"relative", "The tower [leans](notes/tower.md).", "The tower leans.", []string{"notes/tower.md"}},
		{"all_of_the_sentence", "The [tower leans](" + a + ").", "The tower leans.", []string{a}},
		{"a_number_and_a_footnote_of_one_name", "The tower leans [1]. It is old.[^1]\n\n[^1]: " + b +
			"\n\n## References\n\n[1] One. " + a, "The tower leans.", []string{a}},
		{"behind_a_comment", "<!-- The hall is 14 metres high\n[1](" + b + ") -->The tower leans (" + a + ").",
			"The tower leans.", []string{a}},
		{"shortcut", "The [tower] leans, and the [hall][] too.\n\n[tower]: " + a + "\n[hall]: " + b,
			"The tower leans, and the hall too.", []string{a, b}},
		{"link_to_nowhere", "The tower [leans]().", "The tower leans.", []string{"[leans]()"}},
		{"label_of_nothing", "The tower [leans][ev].\n\n[ev]:", "The tower leans.", []string{"[ev]"}},
		{"an_entry_with_a_path", "The tower leans [1].\n\n[1] On towers, notes/tower.md.", "The tower leans.",
			[]string{"notes/tower.md"}},
		{"an_entry_without_a_page", "The tower leans [1, 2].\n\n[1] A book.\n[2] " + b, "The tower leans.",
			[]string{"[1]", b}},
		{"a_footnote_of_lines", "The tower leans.[^1]\n\n[^1]: A book.\n    " + a, "The tower leans.", []string{a}},
		{"a_label_that_is_said", "The tower leans a lot [tower](" + a + ").", "The tower leans a lot.", []string{a}},
		{"in_a_row", "| tower | leans 4 degrees [1](" + a + ") |", "tower; leans 4 degrees", []string{a}},

		{"picture", "The tower leans ![view](" + a + ") a lot.", "", nil},
		{"place_in_the_text", "The tower [leans](#tower) a lot.", "", nil},
		{"mail", "The tower [leans](mailto:x@a.example) a lot.", "", nil},
		{"code", "The tower takes `x[1] = " + a + "` and leans.\n\n```\n[1](" + a + ")\n```", "", nil},
		{"code_that_cites", "> ```\n> The tower leans a lot [1].\n> ```\n\n~~~ text\nThe tower leans a lot " +
			"[1].\n~~~\n\n[1]: " + a, "", nil},
		{"an_ordinary_list", "The tower leans a lot.\n\n1. One\n2. Two", "", nil},
		{"a_link_alone", "See also: [the tower](" + a + ")\n\n- [The tower](" + b + ")", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before, _, _ := strings.Cut(strings.ReplaceAll(test.content, "[", ""), "The tower")
			r, err := Check(t.Context(), test.content, nothing, Teller{})
			if test.targets == nil {
				if len(r.Sentences) > 0 || citewell.CodeOf(err) != citewell.CodeCitationsFailed {
					t.Fatalf("%+v %v", r.Sentences, err)
				}
				return
			}
			if err != nil || len(r.Sentences) == 0 {
				t.Fatal(r, err)
			}
			s := r.Sentences[0]
			var targets []string
			for _, n := range s.Pages {
				targets = append(targets, r.Pages[slices.IndexFunc(r.Pages, func(p Page) bool {
					return p.N == n
				})].Cited)
			}
			if s.Text != test.sentence || !slices.Equal(targets, test.targets) ||
				s.Line != 1+strings.Count(before, "\n") || s.Verdict != citewell.VerdictNoSource {
				t.Errorf("%+v cites %v", s, targets)
			}
		})
	}
}

// A list at the end is the text's own words unless the text cites one of its numbers: to
// link to the page of an entry is not to cite its number.
func TestAListThatIsNoReferenceList(t *testing.T) {
	const list = "1. The [hall](https://a.example/) is old.\n2. The [bells](https://b.example/) are loud."
	for before, want := range map[string]int{"The tower [leans](https://a.example/).": 3, "The tower leans [2].": 1} {
		if r, err := Check(t.Context(), before+"\n\n"+list, nothing, Teller{}); err != nil || len(r.Sentences) != want {
			t.Errorf("%s: %+v %v", before, r.Sentences, err)
		}
	}
}

// What stands in a footnote, an entry of the list of references or a link alone is held
// against its page: it is a sentence where the page bears it out or denies it, or where it
// gives a quantity; else it names the page.
func TestNotes(t *testing.T) {
	page := func(_ context.Context, target string) (citewell.Page, citewell.Document, error) {
		if target != "a.md" {
			return nothing(t.Context(), target)
		}
		return citewell.Page{Outcome: citewell.FetchOK}, citewell.Document{
			Title: "A tower of 41 metres and what is in it", Text: "The tower is 41 metres high. It leans to the " +
				"south. The hall was built in 1931 by local engineers."}, nil
	}
	for name, test := range map[string]struct {
		content   string
		sentences []string
		named     []Words
	}{
		"footnote": {"It leans to the south.[^1]\n\n[^1]: The tower is 14 metres high. Accessed on a day of " +
			"May.\n    " +
			"The hall was built in 1931 by local engineers (a.md).",
			[]string{"1 supported", "3 contradicted", "4 supported"}, []Words{{3, "Accessed on a day of May."}}},
		"entry": {"It leans to the south [1].\n\n## References\n\n[1] Smith, A. (2019). On all the towers of the " +
			"coast. a.md\n[2] The tower is 14 metres high. [A tower](a.md)\n[3] The tower of the north is 3 metres " +
			"high. b.md",
			[]string{"1 supported", "6 contradicted"}, []Words{{5, "Smith, A. (2019)."},
				{5, "On all the towers of the coast."}, {7, "The tower of the north is 3 metres high."}}},
		"entry_of_several_lines": {"It leans to the south [1]. The hall was built in 1931 by local engineers " +
			"[2].\n\n## Sources\n\n[1] Of the tower: [tower](a.md)\nwritten by users\n\n2. Smith, A. The " +
			"hall.\n[hall](a.md), accessed in May",
			[]string{"1 supported", "1 supported"}, []Words{{5, "Of the tower: tower written by users"},
				{8, "The hall. hall, accessed in May"}}},
		"title_and_address": {"It leans to the south [1].\n\n[1] A tower of 41 metres and what is in it - a.md",
			[]string{"1 supported"}, []Words{{3, "A tower of 41 metres and what is in it -"}}},
		"words_behind_the_list": {"It leans to the south [1].\n\n[1] The tower - a.md\n\nThat is all there is.",
			[]string{"1 no-source", "3 no-source"}, nil},
		"link_alone": {"It leans to the [south](a.md).\n\n- [The tower is 14 metres high](a.md)\n- See also: " +
			"[a tower " +
			"of 41 metres and what is in it](a.md)\n- [The bells of the tower weigh 3 tonnes](a.md), [hall](a.md)",
			[]string{"1 supported", "3 contradicted", "5 undecided"},
			[]Words{{4, "a tower of 41 metres and what is in it"}}},
		"title_at_the_end": {"It leans to the south [A tower of 41 metres and what is in it](a.md).",
			[]string{"1 supported"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Check(t.Context(), test.content, page, Teller{})
			var got []string
			for _, s := range r.Sentences {
				got = append(got, fmt.Sprintf("%d %s", s.Line, s.Verdict))
			}
			if err != nil || !slices.Equal(got, test.sentences) || !slices.Equal(r.Named, test.named) &&
				len(r.Named)+len(test.named) > 0 || r.Summary.Named != len(test.named) {
				t.Errorf("%v %+v %v", got, r.Sentences, r.Named)
			}
		})
	}
}

// Of a page that was read in part nothing is said that its rest may bear out.
func TestAPageReadInPart(t *testing.T) {
	shelf := func(context.Context, string) (citewell.Page, citewell.Document, error) {
		return citewell.Page{Outcome: citewell.FetchOK}, citewell.Document{
			Text: "The tower is 41 metres high.", Truncated: true}, nil
	}
	r, err := Check(t.Context(), "The tower is 41 metres high (https://a.example/). The tower is 14 metres high "+
		"(https://a.example/). The bells are loud (https://a.example/).", shelf, Teller{})
	if want := (Summary{Cited: 3, Supported: 1, Contradicted: 1, NoSource: 1, Pages: 1}); err != nil ||
		r.Summary != want || !r.Pages[0].Truncated || !strings.Contains(r.Sentences[2].Reason, "first part") {
		t.Errorf("%v %+v", err, r)
	}
}

// A text of more sentences than are checked says so of the rest.
func TestManySentences(t *testing.T) {
	shelf := func(context.Context, string) (citewell.Page, citewell.Document, error) {
		return citewell.Page{Outcome: citewell.FetchOK}, citewell.Document{Text: "The tower is 41 metres high."}, nil
	}
	r, err := Check(t.Context(), strings.Repeat("The tower is 41 metres high [1].\n\n", maxSentences+2)+"[1]: a.html",
		shelf, Teller{})
	if err != nil || r.Summary.Supported != maxSentences || r.Summary.NoSource != 2 ||
		!strings.Contains(r.Sentences[maxSentences].Reason, "more than 5000") {
		t.Error(err, r.Summary)
	}
	if citewell.CodeOf(r.Err()) != citewell.CodeRunIncomplete {
		t.Error(r.Err())
	}
}

func nothing(context.Context, string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{}, citewell.Document{}, &citewell.Error{Code: citewell.CodeRobotsDisallowed}
}

// A page is read once, however often it is cited; a sentence that one of its pages
// supports holds, and one whose page was not read is neither true nor false.
func TestCheck(t *testing.T) {
	var mu sync.Mutex
	read := map[string]int{}
	shelf := func(_ context.Context, target string) (citewell.Page, citewell.Document, error) {
		mu.Lock()
		read[target]++
		mu.Unlock()
		switch target {
		case "https://a.example/":
			return citewell.Page{FinalURL: target, Outcome: citewell.FetchOK},
				citewell.Document{Title: "The tower", Text: "The tower is 41 metres high. It leans to the south."}, nil
		case "https://blank.example/":
			return citewell.Page{Outcome: citewell.FetchOK}, citewell.Document{}, nil
		}
		return nothing(t.Context(), "")
	}
	const content = "The tower is 41 metres high (https://a.example/#top).\n\nIt leans to the\nsouth " +
		"https://b.example/ https://a.example/. The tower is 14 metres high https://a.example/ https://b.example/.\n" +
		"The bells are loud https://a.example/ https://b.example/. The bells are silver https://blank.example/. " +
		"Nobody has paid the 12 masons."
	var told int
	r, err := Check(t.Context(), content, shelf, Teller{Read: func(Page) {
		told++
	}, Checked: func(int, int) { told++ }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.Sentences {
		got = append(got, fmt.Sprintf("%d %s", s.Line, s.Verdict))
	}
	if want := []string{"1 supported", "3 supported", "4 contradicted", "5 no-source",
		"5 no-source"}; !slices.Equal(got, want) {
		t.Error(got)
	}
	if want := (Summary{Cited: 5, Supported: 2, Contradicted: 1, NoSource: 2, Uncited: 1, Pages: 3,
		Unread: 2}); r.Summary != want || told != 8 {
		t.Errorf("%+v, told of %d", r.Summary, told)
	}
	if len(r.Uncited) != 1 || r.Uncited[0] != (Words{5, "Nobody has paid the 12 masons."}) {
		t.Error(r.Uncited)
	}
	for target, times := range read {
		if times != 1 {
			t.Error(target, times)
		}
	}
	if citewell.CodeOf(r.Err()) != citewell.CodeCitationsFailed {
		t.Error(r.Err())
	}
	for _, alone := range []struct {
		content string
		want    citewell.Code
	}{
		{"The tower is 41 metres high https://a.example/.", ""},
		{"The tower is 41 metres high https://a.example/. The bells are loud https://b.example/.",
			citewell.CodeRunIncomplete},
		{"The tower is 41 metres high https://a.example/. The bells are loud https://a.example/.",
			citewell.CodeRunIncomplete},
		{"The tower is 14 metres high https://a.example/. The bells are loud https://a.example/.",
			citewell.CodeCitationsFailed},
	} {
		if r, err := Check(t.Context(), alone.content, shelf, Teller{}); err != nil ||
			citewell.CodeOf(r.Err()) != alone.want {
			t.Errorf("%s: %v %v", alone.content, err, r.Err())
		}
	}
}

// The figures of a text take no number from its pages.
func TestEveryNumberInTheText(t *testing.T) {
	var content strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&content, "There are %d steps. ", i)
	}
	r, err := Check(t.Context(), content.String()+"The tower [leans](https://a.example/).", nothing, Teller{})
	if err != nil || len(r.Sentences) != 1 {
		t.Error(err, r.Summary)
	}
}

// A text that cites more than can be read says of the rest that it was not read.
func TestManyPages(t *testing.T) {
	var content strings.Builder
	for i := range maxPages + 5 {
		fmt.Fprintf(&content, "The tower leans %d degrees https://a.example/%d.\n\n", i, i)
	}
	r, err := Check(t.Context(), content.String(), nothing, Teller{})
	if err != nil || r.Summary.Pages != maxPages+5 || r.Pages[maxPages].Outcome != "budget-exhausted" ||
		r.Pages[maxPages-1].Outcome != citewell.FetchBlockedRobots {
		t.Error(err, r.Summary)
	}
}

// Whatever a text has, its lines stay lines, and nothing holds where no page can be read.
func FuzzNumbered(f *testing.F) {
	f.Add("[a](b) [[1]](https://x.example/(a) [1][2] [^1]: x\n[1] https://x.example\n```\n`[1]`")
	f.Add("1. https://a.example/\n2.\n\n[1-999] [9–1] 【1†】 [ 7 ] [99999999999999999999] ② (https://a.example " +
		"<https://b.example>)\ue000")
	f.Fuzz(func(t *testing.T, content string) {
		plain, _, _ := numberCitations(content)
		if strings.Count(plain, "\n") != strings.Count(content, "\n") {
			t.Errorf("%q has other lines than %q", plain, content)
		}
		if r, err := Check(t.Context(), content, nothing, Teller{}); err == nil &&
			(len(r.Sentences) == 0 || r.Summary.NoSource != len(r.Sentences)) || err != nil &&
			citewell.CodeOf(err) != citewell.CodeCitationsFailed {
			t.Errorf("%q: %+v %v", content, r.Summary, err)
		}
	})
}
