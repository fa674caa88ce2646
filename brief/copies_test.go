package brief

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
)

// What is a copy of a text takes no place of its own; what says otherwise does.
func TestCopies(t *testing.T) {
	const policy = "The office keeps every backup for 90 days in two places. Whoever wants a file back asks the desk " +
		"in the hall. " +
		"The list of what was destroyed is checked by the head of the office in spring and in autumn."
	for _, test := range []struct {
		name, other string
		copy        bool
	}{
		{"the_same", policy, true},
		{"with_more", "Rules of the office.\n\n" + policy + " It is number 7.", true},
		{"another_figure", strings.Replace(policy, "90", "30", 1), false},
		{"denied", strings.Replace(policy, "is checked", "is not checked", 1), false},
		{"denied_without_its_figure", strings.Replace(policy, "keeps every backup for 90 days in two places",
			"keeps no backup in two places", 1), false},
		{"another_text", "The tapes of the museum are kept in a cellar for as long as they can be read.", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			readings := make([]*reading, 2)
			for i, s := range []string{policy, test.other} {
				readings[i] = &reading{outcome: citewell.FetchOK, doc: citewell.Document{Text: s, Language: "en"}}
				readings[i].result.URL = string(rune('a' + i))
			}
			kept := (&reader{texts: new(text.Readings)}).withoutCopies(readings)
			if got := len(kept) == 1; got != test.copy || got != (len(readings[0].copies) == 1) {
				t.Errorf("kept %d, copies %q", len(kept), readings[0].copies)
			}
		})
	}
}
