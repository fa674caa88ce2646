package cite_test

import (
	"testing"

	"github.com/citewell/citewell"
)

// TestWhatFollowsIsNoCopy holds that words alone leave undecided what only follows from a source, or does not: in a
// sentence with a denial, or with an "all" or "over", a wider span or a lower bound may be false.
func TestWhatFollowsIsNoCopy(t *testing.T) {
	for _, test := range []struct {
		evidence, claim string
		want            citewell.Verdict
	}{
		{"No ship sank in 1994.", "No ship sank in the 1990s.", citewell.VerdictUndecided},
		{"No ship sank in May 1994.", "No ship sank in 1994.", citewell.VerdictUndecided},
		{"Prices always fell in 1994.", "Prices always fell in the 1990s.", citewell.VerdictUndecided},
		{"The firm earned 5 million euros in Q1 2020.", "The firm earned 5 million euros in H1 2020.",
			citewell.VerdictUndecided},
		{"The firm earned 5 million euros in Q1 2020.",
			"The firm earned 5 million euros in the first quarter of 2020.", citewell.VerdictSupported},
		{"The lamp was lit in the 1990s.", "The lamp was lit in the nineties.", citewell.VerdictSupported},
		{"The bridge opened in May 1994.", "The bridge opened in 1994.", citewell.VerdictSupported},
	} {
		if c := hold(test.claim, test.evidence, ""); c.Verdict != test.want {
			t.Errorf("%s | %s: %s (%s), want %s", test.evidence, test.claim, c.Verdict, c.Reason, test.want)
		}
	}
}
