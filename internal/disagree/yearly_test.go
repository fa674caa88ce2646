package disagree

import (
	"strings"
	"testing"
)

// Each way to say it is found, in capitals too: what is looked for first leaves none out.
func TestYearlyPhrases(t *testing.T) {
	for _, phrase := range []string{
		"in an average year", "over a typical year", "during a normal year", "in a mean year", "a year", "an year",
		"per year", "each year", "every year",
		"average annual", "mean yearly", "annual average", "yearly mean", "annual", "annually", "yearly", "per annum",
		"in einem mittleren Jahr", "in einem durchschnittlichen Jahr", "in einem normalen Jahr", "im Jahr", "pro Jahr",
		"im Jahresdurchschnitt", "jährlich", "en année moyenne", "par an", "al año", "por año",
	} {
		for _, written := range []string{phrase, strings.ToUpper(phrase)} {
			s := "640 GWh " + written + ", says the mill."
			if got := yearlyPhrases(s); len(got) != 1 || s[got[0].Start:got[0].End] != written {
				t.Errorf("%q has %v", s, got)
			}
		}
	}
	if got := yearlyPhrases("The mill makes 640 GWh for Jana, who plans a yard."); got != nil {
		t.Errorf("no phrase is %v", got)
	}
}

// A statement that was taken apart is not taken apart again for the next it is compared with.
func TestStatementsAreReadOnce(t *testing.T) {
	a, b := Statement{Text: "The Corrin plant generates 640 GWh a year.", Lang: "en"},
		Statement{Text: "The Harrow Bridge is 1.6 km long.", Lang: "en"}
	var all Comparison
	all.Between(a, b)
	if again, anew := testing.AllocsPerRun(10, func() { all.Between(a, b) }), testing.AllocsPerRun(10, func() {
		new(Comparison).Between(a, b)
	}); again > anew/4 {
		t.Errorf("again allocates %v times, anew %v", again, anew)
	}
}

func BenchmarkYearlyPhrases(b *testing.B) {
	for b.Loop() {
		yearlyPhrases("The Corrin plant generates 640 GWh for 200 homes and was finished in 1988 by the people " +
			"of the town.")
	}
}

func BenchmarkYearlyPattern(b *testing.B) {
	for b.Loop() {
		yearlyPhrase.FindAllStringIndex("The Corrin plant generates 640 GWh for 200 homes and was finished in 1988 by "+
			"the people of the town.", -1)
	}
}
