package verbatim_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

func TestLocate(t *testing.T) {
	for _, test := range []struct{ name, quote, source, want string }{
		{"exact", "tall tower", "A tall tower stands.", "tall tower"},
		{"spaces", "tall tower", "A tall\n   tower stands.", "tall\n   tower"},
		{"quotes", `the "best" one's`, "It is the “best” one’s.", "the “best” one’s"},
		{"dashes", "1914-1918", "in 1914–1918.", "1914–1918"},
		{"soft_hyphen", "cooperation", "a co\u00adoperation\u200b .", "co\u00adoperation"},
		{"invisible_at_its_ends", "\ufeff\u2060tall tower\u200d\u2060", "A \ufeff\u2060tall tower\u200d\u2060 stands.",
			"tall tower"},
		{"composed", "café au", "un cafe\u0301 au lait", "cafe\u0301 au"},
		{"quote_padded", "  tall tower \n", "A tall tower stands.", "tall tower"},
		{"first_of_two", "aa", "x aa aa", "aa"},
		{"one_letter_changed", "tall tower", "A tall tawer stands.", ""},
		{"figure_changed", "330 m", "It is 331 m tall", ""},
		{"case_changed", "Tall tower", "A tall tower", ""},
		{"empty", "", "A tall tower", ""},
		{"only_space", " \n", "A tall tower", ""},
		{"longer_than_source", "A tall tower and more", "A tall tower", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			start, end, ok := verbatim.Locate(test.quote, test.source)
			if ok != (test.want != "") {
				t.Fatalf("found: %v", ok)
			}
			if ok && test.source[start:end] != test.want {
				t.Errorf("found %q, want %q", test.source[start:end], test.want)
			}
		})
	}
}

func FuzzLocate(f *testing.F) {
	f.Add("tall tower", "A tall\ntower stands.")
	f.Add("cafe\u0301", "un caf\u00e9")
	f.Add("\xff", "a\xffb")
	f.Add("…", "...")
	f.Add("\u200b", "\u200b\u200b")
	f.Add("ﬁ", "ﬁ fi")
	f.Add("á", "a\u0301\u0301")
	f.Fuzz(func(t *testing.T, quote, source string) {
		start, end, ok := verbatim.Locate(quote, source)
		if !ok {
			if utf8.ValidString(quote) && strings.TrimSpace(quote) == quote && quote != "" &&
				strings.Contains(source, quote) && strings.TrimSpace(text.Normalize(quote)) != "" {
				t.Fatalf("%q stands in %q and was not found", quote, source)
			}
			return
		}
		if start < 0 || end > len(source) || start >= end {
			t.Fatalf("span %d..%d of %d bytes", start, end, len(source))
		}
		if utf8.ValidString(source) && !utf8.ValidString(source[start:end]) {
			t.Fatalf("span %d..%d of %q splits a rune", start, end, source)
		}
		if utf8.ValidString(source) && utf8.ValidString(quote) &&
			strings.TrimSpace(text.Normalize(source[start:end])) != strings.TrimSpace(text.Normalize(quote)) {
			t.Fatalf("%q found as %q", quote, source[start:end])
		}
	})
}
