package nearcopy

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// What is tied to what, as places in the evidence; -1 is nothing.
func TestAlign(t *testing.T) {
	for _, test := range []struct {
		name, claim, shown string
		want               []int
	}{
		{"the same words", "gulls nest here", "gulls nest here", []int{0, 1, 2}},
		{"one besides", "gulls nest here", "gulls rarely nest here", []int{0, 2, 3}},
		{"neighbours rather than words far apart", "gulls nest", "gulls feed and gulls nest", []int{3, 4}},
		{"neighbours at the head", "gulls nest", "gulls nest where gulls feed", []int{0, 1}},
		{"a name for its like alone", "gulls nest", "terns nest", []int{-1, 1}},
		{"two for two", "gulls and gulls", "gulls and gulls", []int{0, 1, 2}},
		{"one for one of two", "gulls gulls", "gulls", []int{0, -1}},
		{"what changed places", "terns chase gulls", "gulls chase terns", []int{2, 1, 0}},
		{"small words move along", "gulls of the north", "the north of gulls", []int{3, 2, 0, 1}},
		{"nothing", "gulls", "", []int{-1}},
	} {
		a := align(
			newSentence(text.Read(test.claim, "en")).pieces(maxAligned),
			newSentence(text.Read(test.shown, "en")).pieces(maxStretch),
		)
		if !slices.Equal(a.at, test.want) {
			t.Errorf("%s: %v, want %v", test.name, a.at, test.want)
		}
	}
}

// A stretch longer than what is read as one sentence is cut between words, and between
// characters where there are no words.
func TestStretches(t *testing.T) {
	for unit, between := range map[string]string{"gulls nest ": " ", "Gulls nest. ": " ", "水": ""} {
		s := strings.TrimSpace(strings.Repeat(unit, 3*longestSentence/len(unit)))
		var cuts []string
		for _, span := range SentencesOf(text.Read(s, "")) {
			cut := strings.TrimSpace(s[span.Start:span.End])
			if cuts = append(cuts, cut); len(cut) > longestSentence+utf8.UTFMax || !utf8.ValidString(cut) {
				t.Errorf("%q…: %d bytes at %d, %q at the end", unit, len(cut), span.Start, cut[len(cut)-1:])
			}
		}
		if strings.Join(cuts, between) != s {
			t.Errorf("%q…: words were cut or left out", unit)
		}
	}
}

// Whatever two texts are made of, each piece is tied to one other at most, and both sides say
// so; what is kept stands in the same order.
func FuzzAlign(f *testing.F) {
	f.Add("Bob Jones paid Alice Smith 400 dollars.", "Alice Smith paid Bob Jones 400 dollars.", "en")
	f.Add("大厅由织工在1712年建造", "1712年，大厅没有建造。", "zh")
	f.Add("\xff\u202e(1.5 (n't l'l' 3–4 |\n", "cannot’s ((( 7\x00 n'est", "fr")
	f.Add(strings.Repeat("a b ", 600), strings.Repeat("b a ", 900), "de")
	f.Fuzz(func(t *testing.T, claim, shown, lang string) {
		if len(claim)+len(shown) > longestSentence {
			return
		}
		one, two := newSentence(text.Read(claim, lang)), newSentence(text.Read(shown, lang))
		a := align(one.pieces(maxAligned), two.pieces(maxStretch))
		if len(a.at) != len(a.claim) || len(a.back) != len(a.shown) {
			t.Fatalf("%d and %d pieces", len(a.claim), len(a.shown))
		}
		last := -1
		for i, j := range a.at {
			if (j < 0) != (a.how[i] == untied) || j >= 0 && a.back[j] != i {
				t.Errorf("piece %d is tied to %d, which is tied otherwise", i, j)
			}
			if a.how[i] == inOrder && j <= last {
				t.Errorf("piece %d is kept, and tied to %d behind %d", i, j, last)
			} else if a.how[i] == inOrder {
				last = j
			}
			if p := a.claim[i]; p.start < 0 || p.end < p.start || p.end > len(claim) {
				t.Errorf("piece %d is %d to %d of %d bytes", i, p.start, p.end, len(claim))
			}
		}
		differ{sentence: one, parts: a.claim, evidence: two.Reading}.from(stretch{two, two.pieces(maxStretch), 0})
	})
}
