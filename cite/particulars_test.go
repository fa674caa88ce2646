package cite_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Statements that differ in one particular share all their other words and say
// different things: neither supports the other.
func TestParticularsAreNeverMergedAsSupport(t *testing.T) {
	for _, pair := range [][2]string{
		{"The ferry leaves at 07:30 every day.", "The ferry leaves at 08:15 every day."},
		{"The service listens on port 8080.", "The service listens on port 9090."},
		{"The tool needs Python 3.9 or later.", "The tool needs Python 3.12 or later."},
		{"The treasurer of the club is Anna Berger.", "The treasurer of the club is Peter Vogel."},
		{"The choir meets on Tuesday evening in the hall.", "The choir meets on Thursday evening in the hall."},
		{"La chorale se réunit le mardi soir dans la salle.", "La chorale se réunit le jeudi soir dans la salle."},
		{"The text is in the file GPL-2 of the folder.", "The text is in the file GPL-3 of the folder."},
		{"Room 12 is on the second floor.", "Room 14 is on the second floor."},
	} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			for _, c := range cite.Bind(p[0], "", []citewell.Passage{{ID: "a", Source: 2, End: len(p[1]), Text: p[1]}}) {
				if c.Verdict == citewell.VerdictSupported {
					t.Errorf("%q is said to support %q", p[1], p[0])
				}
			}
		}
	}
	for _, pair := range [][2]string{
		{"The ferry leaves at 07:30 every day.", "Every day the ferry leaves at 7.30."},
		{"The service listens on port 8080.", "By default the service listens on port 8080."},
		{"The treasurer of the club is Anna Berger.", "Since last spring the treasurer of the club is Anna Berger."},
	} {
		got := cite.Bind(pair[0], "", []citewell.Passage{{ID: "a", Source: 2, End: len(pair[1]), Text: pair[1]}})
		if len(got) != 1 || got[0].Verdict != citewell.VerdictSupported {
			t.Errorf("%q does not support %q: %+v", pair[1], pair[0], got)
		}
	}
}
