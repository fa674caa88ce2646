package extracttest

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

// CheckPassages holds passages to be in order, byte-exact, at most twice as long as the
// longest that is meant, and together all there is but white space.
func CheckPassages(t testing.TB, text string, passages []citewell.Passage, longest int) {
	t.Helper()
	at := 0
	for i, p := range passages {
		if p.Start < at || p.End <= p.Start || p.End > len(text) {
			t.Fatalf("passage %d is [%d:%d) after %d in a text of %d bytes", i, p.Start, p.End, at, len(text))
		}
		if p.Text != text[p.Start:p.End] {
			t.Fatalf("passage %d differs from its span", i)
		}
		if between := text[at:p.Start]; strings.TrimSpace(between) != "" {
			t.Fatalf("no passage holds %.100q", between)
		}
		if !utf8.ValidString(p.Text) || !utf8.ValidString(p.Heading) {
			t.Fatalf("passage %d splits a character", i)
		}
		if len(p.Text) > 2*longest {
			t.Errorf("passage %d has %d bytes", i, len(p.Text))
		}
		at = p.End
	}
	if strings.TrimSpace(text[at:]) != "" {
		t.Fatalf("no passage holds the end, %.100q", text[at:])
	}
}
