package cite

import (
	"strings"
	"testing"
)

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
		one, two := newSentence(claim, lang), newSentence(shown, lang)
		a := align(one.pieces(maxAligned), two.pieces(maxStretch))
		if len(a.at) != len(a.claim) || len(a.back) != len(a.shown) {
			t.Fatalf("%d and %d pieces", len(a.claim), len(a.shown))
		}
		last := -1
		for i, j := range a.at {
			if (j < 0) != (a.how[i] == untied) || j >= 0 && a.back[j] != i {
				t.Errorf("piece %d is tied to %d, which is tied otherwise", i, j)
			}
			if a.how[i] == kept && j <= last {
				t.Errorf("piece %d is kept, and tied to %d behind %d", i, j, last)
			} else if a.how[i] == kept {
				last = j
			}
			if p := a.claim[i]; p.start < 0 || p.end < p.start || p.end > len(claim) {
				t.Errorf("piece %d is %d to %d of %d bytes", i, p.start, p.end, len(claim))
			}
		}
		differ{sentence: one, parts: a.claim, evidence: shown}.from(stretch{two, a.shown, 0})
	})
}
