package text

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestNormalize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "It's \"so\" - yes.", "It's \"so\" - yes."},
		{"case_and_words_stay", "Größe ÉTÉ", "Größe ÉTÉ"},
		{"white_space", "\t a \n\n b\u00a0\u2009c\u3000\r\n", "a b c"},
		{"single_quotes", "‘a’ ‚b‛ it’s `c` 5′ ‹d›", "'a' 'b' it's 'c' 5' 'd'"},
		{"double_quotes", "“a” „b‟ «c» 「d」 3″", `"a" "b" "c" "d" 3"`},
		{"dashes", "a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"},
		{"wave_dash_is_a_letter_of_its_own", "10〜20", "10〜20"},
		{"ellipsis", "wait…", "wait..."},
		{"unseen", "co\u00adop\u200bera\u2060te\ufeff \u200e\u202aok\ufe0f", "cooperate ok"},
		{"composed", "e\u0301 A\u030a \u1100\u1161", "é Å 가"},
		{"unseen_between_letter_and_accent", "e\u200d\u0301", "é"},
		{"only_space", " \n ", ""},
		{"only_unseen", "\u200b\u00ad", ""},
		{"not_utf8", "a\xffb", "a\ufffdb"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Normalize(test.in); got != test.want {
				t.Errorf("Normalize(%q) = %q, want %q", test.in, got, test.want)
			}
		})
	}
}

func TestNormalizeWithMapLeadsBack(t *testing.T) {
	tests := []struct {
		in         string
		start, end int // in the normal form
		want       string
	}{
		{"  the “new”\n rule ", 4, 9, "“new”"},
		{"  the “new”\n rule ", 0, 14, "the “new”\n rule"},
		{"a…b", 1, 4, "…"},
		{"cafe\u0301 noir", 0, 5, "cafe\u0301"},
		{"co\u00adop", 0, 4, "co\u00adop"},
		{"x — y", 2, 3, "—"},
	}
	for _, test := range tests {
		normal, offsets := NormalizeWithMap(test.in)
		if got := test.in[offsets[test.start]:offsets[test.end]]; got != test.want {
			t.Errorf("%q: %q in %q leads to %q, want %q", test.in, normal[test.start:test.end], normal, got, test.want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, seed := range []string{
		"", " a  b ", "“x” — y…", "e\u0301", "\u0301", " \u0301", "\u00ad", "a\u200b \u200bb", "\xff\xfe",
		"\u1100\u1161\u11a8", "q\u0323\u0307",
		"q\u0307\u0323", "\u0344", "ﬁ", "\u212b\u2126", "\u0f73\u0f75", "`´", "\u037e\u1fef", "a\u034f\u0301",
		"\u2028\u0085", "𝅘𝅥𝅮", "´\u0301 \u0338",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		normal, offsets := NormalizeWithMap(s)
		if plain := Normalize(s); plain != normal {
			t.Fatalf("%q: %q without the map and %q with it", s, plain, normal)
		}
		if again := Normalize(normal); again != normal {
			t.Fatalf("%q: %q, and normalized again %q", s, normal, again)
		}
		if len(offsets) != len(normal)+1 || !slices.IsSorted(offsets) || offsets[len(normal)] > len(s) {
			t.Fatalf("%q: offsets %v for %q", s, offsets, normal)
		}
		if !utf8.ValidString(normal) {
			t.Fatalf("%q: %q is not UTF-8", s, normal)
		}
		if back := Normalize(s[offsets[0]:offsets[len(normal)]]); back != normal {
			t.Fatalf("%q: the span of all of it normalizes to %q, want %q", s, back, normal)
		}
	})
}
