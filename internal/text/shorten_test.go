package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		in                     string
		n                      int
		prefix, shorten, words string
	}{
		{"herons nest", 11, "herons nest", "herons nest", "herons nest"},
		{"herons nest", 10, "herons nes", "herons nes…", "herons …"},
		{"herons nest", 7, "herons ", "herons…", "herons …"},
		{"a heronry", 8, "a heronr", "a heronr…", "a heronr …"}, // no word ends in the second half
		{"Größe", 3, "Gr", "Gr…", "Gr …"},
		{"Größe", 4, "Grö", "Grö…", "Grö …"},
		{"鷺の巣", 5, "鷺", "鷺…", "鷺 …"},
		{"鷺の巣", 0, "", "…", " …"},
		{"", 0, "", "", ""},
		{"\x80\x80\x80\x80\x80\x80\x80", 6, "\x80\x80\x80\x80\x80\x80", "\x80\x80\x80\x80\x80\x80…",
			"\x80\x80\x80\x80\x80\x80 …"},
	} {
		if got := text.Prefix(test.in, test.n); got != test.prefix {
			t.Errorf("Prefix(%q, %d) = %q, want %q", test.in, test.n, got, test.prefix)
		}
		if got := text.Shorten(test.in, test.n); got != test.shorten {
			t.Errorf("Shorten(%q, %d) = %q, want %q", test.in, test.n, got, test.shorten)
		}
		if got := text.ShortenAtWord(test.in, test.n); got != test.words {
			t.Errorf("ShortenAtWord(%q, %d) = %q, want %q", test.in, test.n, got, test.words)
		}
	}
}

func TestCharacterStart(t *testing.T) {
	const s = "aä鷺𝄞"
	for i, want := range []int{0, 1, 1, 3, 3, 3, 6, 6, 6, 6, len(s)} {
		if got := text.CharacterStart(s, i); got != want {
			t.Errorf("CharacterStart(%q, %d) = %d, want %d", s, i, got, want)
		}
	}
	if got := text.OneLine(" a\n\tb  c "); got != "a b c" {
		t.Errorf("OneLine = %q", got)
	}
}

func FuzzPrefix(f *testing.F) {
	f.Add("Größe 鷺", 4)
	f.Add("\xff\x80\x80\x80\x80", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = max(n%64, 0)
		got := text.Prefix(s, n)
		if !strings.HasPrefix(s, got) || len(got) > n || len(s) > n && len(got) <= n-utf8.UTFMax ||
			utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Prefix(%q, %d) = %q", s, n, got)
		}
	})
}
