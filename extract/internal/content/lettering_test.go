package content

import (
	"strings"
	"testing"
)

// What the characters of a block say, one sign a row.
func TestLettering(t *testing.T) {
	for _, test := range []struct {
		text string
		want lettering
	}{
		{"", lettering{}}, {"One two3 4", lettering{words: 3, runes: 10, digits: 2, upper: 1, capital: true}},
		{"it's a café", lettering{words: 3, runes: 11}}, {"aB", lettering{words: 1, runes: 2, upper: 1}},
		{"a, b. c!", lettering{words: 3, runes: 8, commas: 1, ends: 2, ended: true}},
		{"a、b。", lettering{words: 2, runes: 4, commas: 1, ends: 1, ended: true}},
		{"a؟", lettering{words: 1, runes: 2, ends: 1, ended: true}},
		{"\"a\"", lettering{words: 1, runes: 3, ended: true}},
		{"$5", lettering{words: 1, runes: 2, digits: 1, price: true}},
		{"5 €", lettering{words: 1, runes: 3, digits: 1, price: true}},
		{"© a", lettering{words: 1, runes: 3, copyright: true}},
		{"a | b: c", lettering{words: 3, runes: 8, bar: true, colon: true}},
		{"a › b • c", lettering{words: 3, runes: 9, marks: 2}},
	} {
		if got := letteringOf(test.text); got != test.want {
			t.Errorf("%q: got %+v, want %+v", test.text, got, test.want)
		}
	}
	share := func(found, of float32) float32 { return found / of }
	set := RunsIn([]string{"The wheel turns with the tide", "Two words"})
	if len(set) != 4 {
		t.Errorf("got %d runs of three words, want 4", len(set))
	}
	for text, want := range map[string]float32{"the WHEEL, turns": 1, "wheel turns with stones": share(1, 2),
		"Two words": 0, "": 0, "the tide turns": 0} {
		if got := shareOf(set, wordsIn(nil, text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	if shareOf(nil, wordsIn(nil, "the wheel turns")) != -1 {
		t.Error("there is no set to ask")
	}
	known := map[uint64]bool{}
	for _, w := range wordsIn(nil, "Wheel ÉTÉ 7") {
		known[w] = true
	}
	for text, want := range map[string]float32{"wheel": 1, "été-7": 1, "wheel stone": share(1, 2), "": 0} {
		if got := knownShare(known, wordsIn(nil, text)); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string][2]float32{"Read more": {2, 0}, "To read more": {1, 0},
		"Subscribe and read more": {1, 2}, "Words": {0, 0}, strings.Repeat("x", 151) + "read more": {1, 0},
		strings.Repeat("x", 152) + "read more": {0, 0}} {
		if got := phrasesIn(text); got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%q: got %v, want %v", text, got[:2], want)
		}
	}
}
