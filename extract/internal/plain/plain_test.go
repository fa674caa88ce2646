package plain

import "testing"

func TestIsDigits(t *testing.T) {
	for s, want := range map[string]bool{"0": true, "0123456789": true, "": false, "1.5": false, "-1": false,
		" 1": false, "1a2": false, "٣": false} {
		if got := IsDigits(s); got != want {
			t.Errorf("%q: %v; want %v", s, got, want)
		}
	}
}

// The line ends of Windows are one end each, not two.
func TestLineEnds(t *testing.T) {
	if got := LineEnds.Replace("a\r\nb\rc\nd\r\n\r\ne"); got != "a\nb\nc\nd\n\ne" {
		t.Errorf("%q", got)
	}
}

// What is empty leaves no separator behind, and the caller's parts are as they were.
func TestJoin(t *testing.T) {
	parts := []string{"", "cut", "", "guessed", ""}
	if got := Join(", ", parts...); got != "cut, guessed" {
		t.Errorf("%q", got)
	}
	if parts[0] != "" || parts[1] != "cut" || parts[3] != "guessed" {
		t.Errorf("the parts are now %q", parts)
	}
	if got := JoinReasons("cut", "", "guessed"); got != "cut; guessed" {
		t.Errorf("%q", got)
	}
	if got := Join(", ", "", ""); got != "" {
		t.Errorf("%q of nothing", got)
	}
}

// OneLine shows where a byte was no character, and CleanLine leaves it out.
func TestLines(t *testing.T) {
	for _, test := range []struct{ name, in, one, clean string }{
		{"spaces", "  tide\n\tmills \r\n ", "tide mills", "tide mills"},
		{"no character", "caf\xe9 mills", "caf\uFFFD mills", "caf mills"},
		{"a control", "tide\x00mills", "tidemills", "tidemills"},
		{"nothing", " \n ", "", ""},
	} {
		if got := OneLine(test.in); got != test.one {
			t.Errorf("%s: OneLine %q; want %q", test.name, got, test.one)
		}
		if got := CleanLine(test.in); got != test.clean {
			t.Errorf("%s: CleanLine %q; want %q", test.name, got, test.clean)
		}
	}
}
