package extract

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/realpart"
	"golang.org/x/net/html/charset"
)

func TestDecode(t *testing.T) {
	long := strings.Repeat("<!-- filler -->", 200)
	tests := []struct {
		name, body, declared, charset, text string
		family                              family
	}{
		{"byte_order_mark_wins", "\xef\xbb\xbfgr\xc3\xbc\xc3\x9f", "iso-8859-1", "utf-8", "grüß", familyText},
		{"utf16le_mark", "\xff\xfeg\x00\xfc\x00", "", "utf-16le", "gü", familyText},
		{"utf16be_mark", "\xfe\xff\x00g\x00\xfc", "utf-8", "utf-16be", "gü", familyText},
		{"utf16_declared", "g\x00\xfc\x00", "utf-16le", "utf-16le", "gü", familyText},
		{"declared", "\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "windows-1251", "Привет", familyText},
		{"declared_beats_meta", "<meta charset=koi8-r>\xcf\xf0\xe8", "windows-1251", "windows-1251", "<meta charset=koi8-r>При", familyHTML},
		{"meta", "<meta charset=windows-1251>\xcf\xf0\xe8", "", "windows-1251", "<meta charset=windows-1251>При", familyHTML},
		{"meta_is_html_only", "<meta charset=windows-1251>\xc3\xbc", "", "utf-8", "<meta charset=windows-1251>ü", familyText},
		{"meta_far_down", long + "<meta charset=windows-1251>\xcf", "", "windows-1251", long + "<meta charset=windows-1251>П", familyHTML},
		{"nothing_said_valid", "gr\xc3\xbcn", "", "utf-8", "grün", familyText},
		{"nothing_said_invalid", "gr\xfcn", "", "windows-1252", "grün", familyText},
		{"ascii", "plain", "", "utf-8", "plain", familyText},
		{"latin_lie", "gr\xc3\xbcn", "iso-8859-1", "utf-8", "grün", familyText},
		{"latin_truth", "gr\xfcn", "iso-8859-1", "windows-1252", "grün", familyText},
		{"utf8_lie", "gr\xfcn und gr\xf6\xdfer", "utf-8", "windows-1252", "grün und größer", familyText},
		{"utf8_lie_with_meta", "<meta charset=windows-1251>\xcf\xf0\xe8", "utf-8", "windows-1251", "<meta charset=windows-1251>При", familyHTML},
		{"utf8_with_one_bad_byte", "gr\xc3\xbcn, gr\xc3\xb6\xc3\x9fer \xff", "utf-8", "utf-8", "grün, größer \ufffd", familyText},
		{"unknown_name", "gr\xc3\xbcn", "x-no-such", "utf-8", "grün", familyText},
		{"replacement_name", "gr\xc3\xbcn", "iso-2022-cn", "utf-8", "grün", familyText},
		{"shift_jis", "\x93\xfa\x96{", "shift_jis", "shift_jis", "日本", familyText},
		{"controls_go", "a\x00b\x1bc\x7fd\xc2\x85e\u202ef\u200bg\U000e0041h\ufeffi", "", "utf-8", "abcd\nefghi", familyText},
		{"joiners_stay", "می\u200cخواهم", "", "utf-8", "می\u200cخواهم", familyText},
		{"form_feed", "a\fb\u2028c", "", "utf-8", "a\nb\nc", familyText},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, name, _ := decode([]byte(test.body), media{charset: test.declared, family: test.family})
			if got != test.text || name != test.charset {
				t.Errorf("got %q as %s, want %q as %s", got, name, test.text, test.charset)
			}
		})
	}
}

// TestPrescanConformance runs html5lib's encoding suite: input and the encoding that
// a browser finds in it.
func TestPrescanConformance(t *testing.T) {
	files := unpack(t, realpart.Data(t, "html5lib-tests/html5lib-tests.tar.gz"))
	cases := 0
	for _, name := range []string{"encoding/tests1.dat", "encoding/tests2.dat", "encoding/test-yahoo-jp.dat"} {
		for _, part := range strings.Split(string(files[name]), "#data\n")[1:] {
			data, expected, found := strings.Cut(part, "\n#encoding\n")
			if !found {
				t.Fatalf("%s: a case without an encoding", name)
			}
			expected, _, _ = strings.Cut(expected, "\n")
			_, want := charset.Lookup(expected)
			cases++
			got := metaCharset([]byte(data))
			switch {
			case strings.HasPrefix(data, "\ufeff"):
				got, _ = charsetOf([]byte(data), media{family: familyHTML})
			case got == "":
				got = "windows-1252" // the suite's default
			}
			if got != want {
				t.Errorf("%s: got %s, want %s, for %.80q", name, got, want, data)
			}
		}
	}
	if cases < 80 {
		t.Errorf("only %d cases were found", cases)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=utf-16>\xff\xfe\x00"), "utf-7")
	f.Add([]byte("\xfe\xff\xd8"), "")
	f.Add([]byte("<meta http-equiv=content-type content='text/html; charset=\"shift_jis'>\x83"), "utf-8")
	f.Add([]byte("<!-- <meta charset=koi8-r> "), "")
	f.Add([]byte("<p a='>' <meta charset=koi8-r>"), "iso-2022-jp")
	f.Add([]byte("<?xml version='1.0' encoding='koi8-r'?><p>\xf0\xd2\xc9"), "")
	f.Add([]byte("<?xml encoding=\xff?>"), "")
	for _, p := range undeclared {
		f.Add(p.encode(f), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, declared string) {
		for _, family := range []family{familyHTML, familyText} {
			text, name, guessed := decode(body, media{charset: declared, family: family})
			if !utf8.ValidString(text) {
				t.Errorf("not UTF-8: %q", text)
			}
			if i := strings.IndexFunc(text, func(r rune) bool { return wellFormed(r) < 0 }); i >= 0 {
				t.Errorf("holds %q", text[i:])
			}
			if _, known := charset.Lookup(name); known == "" {
				t.Errorf("unknown charset %q", name)
			}
			if guessed != "" && !strings.HasSuffix(guessed, ": "+name) {
				t.Errorf("read as %s, and told %q", name, guessed)
			}
		}
	})
}

// wellFormedText is no other function than wellFormed, character by character.
func TestWellFormedText(t *testing.T) {
	for _, s := range []string{"", "plain", "a\x00b", "\ufeffnaïve – “x”", "a\u200bb\u00adc", "end\u2028", "\xff\xfe", "x\xc3", "\ufffd", "tab\t\v\f\r\n", "\x7f\u0085\u009f\u00a0", "\U000e0041😀\ufdd0\uffff"} {
		if got, want := wellFormedText(s), strings.Map(wellFormed, s); got != want {
			t.Errorf("%q gives %q, want %q", s, got, want)
		}
	}
}
