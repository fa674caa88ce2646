package cite

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/text"
)

// A row of a table is proof of what its first cell names, a figure of what its column is:
// a cell of the next row or the next column proves nothing.
func TestClaimsOfRows(t *testing.T) {
	const columns = "Model | Page size | Weight (kg) | Hall"
	table := columns + "\nModel A | 1024 | 12 | North\nModel B | 4096 | 15 | South"
	further := "Model C | 8192 | 19 | North"
	passages := []citewell.Passage{
		{ID: "1", Source: 1, End: 200, Columns: columns, Text: "The pumps differ in size.\n\n" + table},
		{ID: "2", Source: 1, Start: 300, End: 400, Columns: columns, Text: further},
	}
	for _, test := range []struct {
		claim   string
		verdict citewell.Verdict // of the passage with models A and B, where that decides
		row     string           // that is quoted
	}{
		{"The page size of model B is 4096.", citewell.VerdictSupported, "Model B"},
		{"Model A weighs 12 kg.", citewell.VerdictSupported, "Model A"},
		{"The weight of model B is 15 kg.", citewell.VerdictSupported, "Model B"},
		{"The pumps differ in size.", citewell.VerdictSupported, "The pumps"},
		{"Model A weighs 15 kg.", citewell.VerdictContradicted, "Model A"},
		{"Model B weighs 12 kg.", citewell.VerdictContradicted, "Model B"},
		{"The page size of model B is 1024.", citewell.VerdictContradicted, "Model B"},
		{"The weight of model B is 4096.", citewell.VerdictUnsupported, ""},
		{"Model C weighs 15 kg.", citewell.VerdictUnsupported, ""},
	} {
		t.Run(test.claim, func(t *testing.T) {
			p := passages[0]
			j, at, decides := CheckRows(test.claim, "en", p, passages)
			if !decides {
				j, at = Check(test.claim, p.Text, "en"), text.Span{End: len(p.Text)}
			}
			quoted := p.Text[at.Start:at.End]
			if j.Verdict != test.verdict || !strings.HasPrefix(quoted, test.row) {
				t.Errorf("%s (%s), quoted %q", j.Verdict, j.Reason, quoted)
			}
			held := Hold(Claim{Text: test.claim, Lang: "en", Evidence: []Evidence{{Passages: passages}}}, Meanings{})
			bound := held.Problem.Code == "" && len(held.Citations) > 0 && held.Citations[0].Verdict == citewell.VerdictSupported
			if want := test.verdict == citewell.VerdictSupported; bound != want {
				t.Errorf("held is %v: %+v", bound, held)
			}
			if again := recheck(citewell.Finding{Text: test.claim, Citations: held.Citations[:1]}, []Evidence{{Passages: passages[:1]}}); bound && (len(again.missing) > 0 || again.together.Verdict != citewell.VerdictSupported) {
				t.Errorf("checked again: %s, missing %q", again.together.Verdict, again.missing)
			}
		})
	}
}

func FuzzCheckRows(f *testing.F) {
	f.Add("Model A weighs 12 kg.", "Model | Weight (kg)", "Model | Weight (kg)\nModel A | 12\nModel B | 15")
	f.Add("a | b", " | ", " | \n | \n\n | |")
	f.Fuzz(func(t *testing.T, claim, columns, words string) {
		p := citewell.Passage{End: len(words), Columns: columns, Text: words}
		if _, at, _ := CheckRows(claim, "en", p, []citewell.Passage{p}); at.Start < 0 || at.Start > at.End || at.End > len(words) {
			t.Errorf("%v of %d bytes", at, len(words))
		}
	})
}
