package claim

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// A title may say whom a text speaks of; its words bear nothing out.
func TestTitleIsContext(t *testing.T) {
	tests := []struct {
		name, title, evidence, claim string
		want                         citewell.Verdict
	}{
		{"names_the_subject", "Harbour Bridge", "It was built in 1931 by local engineers.", "The Harbour Bridge was built in 1931 by local engineers.", citewell.VerdictSupported},
		{"names_it_behind_a_date", "Harbour Bridge", "It was built by local engineers in 1931.", "In 1931 the Harbour Bridge was built by local engineers.", citewell.VerdictSupported},
		{"supports_nothing", "Harbour Bridge in good shape", "It was built in 1931 by local engineers.", "The Harbour Bridge is in good shape.", citewell.VerdictUnsupported},
		{"nor_by_its_names_alone", "Harbour Bridge Painted Green", "It was built in 1931 by local engineers.", "Harbour Bridge Painted Green", citewell.VerdictUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Check(test.claim, Given(test.evidence, test.title))
			if got.Verdict != test.want || got.Quote != test.evidence[got.Start:got.End] || (got.Quote == "") != (test.want == citewell.VerdictUnsupported) {
				t.Errorf("%+v", got)
			}
		})
	}
	for _, other := range []string{"The Tower Bridge was built in 1931 by local engineers.", "The road was built in 1931 by local engineers."} {
		if got := Check("Harbour Bridge was built in 1931 by local engineers.", Given(other, "Harbour Bridge")); strings.Contains(got.Reason, "title") {
			t.Errorf("%s: %+v", other, got)
		}
	}
}

// Of a long text the passage that says it decides, and the quote is its sentence.
func TestLongText(t *testing.T) {
	filler := strings.Repeat("The ferry leaves the old quay at noon and comes back in the evening.\n\n", 400)
	long := filler + "The lamp burns 24 litres of oil a night. It is trimmed at dusk.\n\n" + filler
	if got := Check(strings.Repeat("The lamp burns oil and ", 1000), Given(long, "")); got.Verdict != citewell.VerdictUnsupported || got.Reason != tooLong {
		t.Errorf("%+v", got)
	}
	for claim, want := range map[string]citewell.Verdict{
		"The lamp burns 24 litres of oil a night.": citewell.VerdictSupported,
		"The lamp burns 31 litres of oil a night.": citewell.VerdictContradicted,
		"Nobody has ever painted the weathercock.": citewell.VerdictUnsupported,
	} {
		got := Check(claim, Given(long, ""))
		if got.Verdict != want || long[got.Start:got.End] != got.Quote || want != citewell.VerdictUnsupported && got.Quote != "The lamp burns 24 litres of oil a night." {
			t.Errorf("%s: %+v", claim, got)
		}
	}
}
