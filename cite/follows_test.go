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
		{"Orders over 60 euros ship free.", "Orders over 50 euros ship free.", citewell.VerdictUndecided},
		{"Halls that hold 60 people need two doors.", "Halls that hold more than 50 people need two doors.",
			citewell.VerdictUndecided},
		{"No hall holds 40 people.", "No hall holds at least 30 people.", citewell.VerdictUndecided},
		{"Keine Halle fasst 60 Menschen.", "Keine Halle fasst mehr als 50 Menschen.", citewell.VerdictUndecided},
		{"The tower is not 84 m tall.", "The tower is not about 85 m tall.", citewell.VerdictUndecided},
		{"The tower is not 84 m tall.", "The tower is not 84 metres tall.", citewell.VerdictSupported},
		{"The tower is 84 m tall.", "The tower is about 85 m tall.", citewell.VerdictSupported},
		{"The tower is 84 m tall.", "The tower is over 90 m tall.", citewell.VerdictContradicted},
		{"Orders over 60 euros ship free.", "Orders above 60 euros ship free.", citewell.VerdictSupported},
		{"No hall holds 60 people.", "No hall holds more than 50 people.", citewell.VerdictUndecided},
		{"The tower is not 84 m tall.", "The tower is not over 80 m tall.", citewell.VerdictUndecided},
		{"The tower is not 84 m tall.", "The tower is not over 90 m tall.", citewell.VerdictUndecided},
		{"The tower is not 84 m tall.", "The tower is not 90 m tall.", citewell.VerdictUndecided},
		{"The tower is 84 m tall.", "The tower is 90 m tall.", citewell.VerdictContradicted},
		{"The garden opened in early summer 1990.", "The garden opened in late summer 1990.",
			citewell.VerdictUndecided},
		{"The garden opened in summer 1990.", "The garden opened in late summer 1990.", citewell.VerdictUndecided},
		{"The firm grew in early Q1 2020.", "The firm grew in late Q1 2020.", citewell.VerdictUndecided},
		{"The fine is 5 euros.", "The fine is 5 euros a year.", citewell.VerdictUndecided},
		{"The fine is 5 euros a year.", "The fine is 5 euros.", citewell.VerdictUndecided},
		{"The firm earned 5 million euros per year.", "The firm earned 5 million euros.", citewell.VerdictUndecided},
		{"Die Firma verdiente 5 Millionen Euro.", "Die Firma verdiente 5 Millionen Euro pro Jahr.",
			citewell.VerdictUndecided},
		{"La société a gagné 5 millions d'euros.", "La société a gagné 5 millions d'euros par an.",
			citewell.VerdictUndecided},
		{"The city has an annual budget of $5 million.", "The city has an annual budget of $5 million per year.",
			citewell.VerdictSupported},
		{"The fix is in commit a1b2c3d4.", "The fix is in commit a1b2c3d5.", citewell.VerdictUndecided},
		{"The colour of the page is #ff0000.", "The colour of the page is #ff0001.", citewell.VerdictUndecided},
		{"The paper has the name 10.1000/xyz123.", "The paper has the name 10.1000/xyz124.", citewell.VerdictUndecided},
		{"Avec 40 euros je dors ici deux nuits.", "Avec 40 euros, je dors ici deux nuits.", citewell.VerdictSupported},
		{"The room costs 40 euros je night.", "The room costs 40 euros per night.", citewell.VerdictUndecided},
		{"The road was closed until 3 March 1990.", "The road was closed on 3 March 1990.", citewell.VerdictUndecided},
		{"Die Brücke wurde vor 1990 gebaut.", "Die Brücke wurde bis 1990 gebaut.", citewell.VerdictUndecided},
		{"Le pont fut construit avant 1990.", "Le pont fut construit en 1990.", citewell.VerdictUndecided},
		{"The price rose by 5 euros.", "The price rose to 5 euros.", citewell.VerdictUndecided},
	} {
		if c := hold(test.claim, test.evidence, ""); c.Verdict != test.want {
			t.Errorf("%s | %s: %s (%s), want %s", test.evidence, test.claim, c.Verdict, c.Reason, test.want)
		}
	}
}
