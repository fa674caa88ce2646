package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

func TestWords(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"punctuation_is_no_word", " — … !? () 🙂 ", ""},
		{"plain", "The quick brown fox.", "the|quick|brown|fox"},
		{"contraction_and_possessive", "Don't use O’Brien's", "don't|use|o'brien's"},
		{"names_come_apart", "os.path.join(foreign_keys) std::vector a:b", "os|path|join|foreign|keys|std|vector|a|b"},
		{"raised_points", "0·71 · 2·3·4 ·5 6· a·7 CuSO4·5H2O col·lega 1٫5 ٣·٤",
			"0.71|2.3.4|5|6|a|7|cuso4|5h2o|col·lega|1.5|3|4"},
		{"figures_and_versions_stay", "3.14 and v1.26.8 and 12:30", "3.14|and|v1.26.8|and|12|30"},
		{"grouped_figure", "1,000,000 but 1,5 and 12,34", "1000000|but|1,5|and|12,34"},
		{"abbreviation_of_letters", "The U.S. and the U.K.'s", "the|us|and|the|uk|s"},
		{"hyphen_divides", "state-of-the-art", "state|of|the|art"},
		{"full_width_and_ligature", "ＡＢＣ１ eﬃcient", "abc1|efficient"},
		{"soft_hyphen_joins_and_zero_width_space_divides", "co\u00adop zero\u200bwidth", "coop|zero|width"},
		{"accents_stay", "Straße ΣΊΣΥΦΟΣ İstanbul e\u0301te\u0301", "strasse|σίσυφοσ|istanbul|été"},
		{"chinese_pairs", "東京都是城市", "東京|京都|都是|是城|城市"},
		{"chinese_alone", "水 火", "水|火"},
		{"han_and_kana_are_one_run", "カタカナと漢字", "カタ|タカ|カナ|ナと|と漢|漢字"},
		{"prolonged_sound_mark", "サーバー", "サー|ーバ|バー"},
		{"half_width_kana", "ｶﾀｶﾅ", "カタ|タカ|カナ"},
		{"latin_inside_chinese", "使用Go1.26编程", "使用|go1.26|编程"},
		{"hangul", "서울은 크다", "서울|울은|크다"},
		{"thai_marks_stay_with_their_letter", "ที่ดี", "ที่ดี"},
		{"not_utf8", "a\xffb \xc3", "a|b"},
		{"devanagari", "हिन्दी भाषा", "हिन्दी|भाषा"},
		{"url", "https://example.com/a_b?q=1", "https|example|com|a|b|q|1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, token := range Words(test.in) {
				got = append(got, token.Text)
			}
			if joined := strings.Join(got, "|"); joined != test.want {
				t.Errorf("Words(%q)\n got %s\nwant %s", test.in, joined, test.want)
			}
		})
	}
}

// Where no departure applies, the words are those of UAX #29.
func TestWordsAgreeWithUAX29(t *testing.T) {
	for _, s := range []string{
		"Plain words, with 3.14 and 1,5; don't and O'Neill.",
		"Ärger über Größe: “zitiert” — ‘einfach’… (Klammern) [eckig] {rund} 50% $3 a/b x=y",
		"Съешь же ещё этих мягких французских булок, да выпей чаю!",
		"Η ταχύτητα του φωτός είναι 299792458 m/s.", "l'été d'abord aujourd'hui", "עברית \"צה\"ל\" ושלום",
		"النص العربي، مرحبا",
	} {
		var want []string
		for it := words.FromString(s); it.Next(); {
			if wordlike(it.Value()) {
				want = append(want, it.Value())
			}
		}
		var got []string
		for _, token := range Words(s) {
			got = append(got, s[token.Start:token.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q\n got %q\nwant %q", s, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		"", "a", "Don't U.S. 3.14 foo_bar", "東京カタカナ水", "\xff\xfe", "ภาษา\u0e48\u0e48", "a\u0301\u200d\u00ad", "_._:_",
		"..a..b..", "ー", "\u0301", "1,000,00", "k.", "漢\xff字", "ǅ", "ﷺ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end, last := 0, -1
		for _, token := range Words(s) {
			if token.Start < last || token.End <= token.Start || token.End < end || token.End > len(s) {
				t.Fatalf("span [%d,%d) after [%d,%d) in %q", token.Start, token.End, last, end, s)
			}
			if token.Text == "" || !utf8.ValidString(token.Text) {
				t.Fatalf("word %q of %q", token.Text, s)
			}
			if utf8.ValidString(s) && !utf8.ValidString(s[token.Start:token.End]) {
				t.Fatalf("[%d,%d) divides a rune of %q", token.Start, token.End, s)
			}
			last, end = token.Start, token.End
		}
		for _, lang := range []string{"", "en", "de", "ja"} {
			terms, tokens := Terms(s, lang), TermTokens(s, lang)
			if len(terms) != len(tokens) {
				t.Fatalf("%d terms, %d with their places, in %q", len(terms), len(tokens), s)
			}
			for i := range terms {
				if terms[i] != tokens[i].Text || terms[i] == "" {
					t.Fatalf("term %q is %q in %q", terms[i], tokens[i].Text, s)
				}
			}
		}
	})
}

func TestFold(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""}, {"already", "already"}, {"ASCII Only", "ascii only"}, {"Ünïcödé", "ünïcödé"}, {"STRASSE", "strasse"},
		{"Straße", "strasse"}, {"GROẞ", "gross"}, {"ﬁn", "fin"}, {"Ⅳ", "iv"}, {"x²", "x2"}, {"it’s", "it's"},
		{"\u202eabc", "abc"}, {"a\xff", "a"},
	}
	for _, test := range tests {
		if got := Fold(test.in); got != test.want {
			t.Errorf("Fold(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func FuzzFold(f *testing.F) {
	for _, seed := range []string{"", "ß", "İ", "ŉ", "ﬃ", "\u00ad\u0301", "Ω", "K", "ϓ", "ᾳ", "\xff", "ͅA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Fold(s)
		if twice := Fold(once); twice != once {
			t.Fatalf("Fold(%q) = %q, and folded again %q", s, once, twice)
		}
	})
}
