package charset

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
)

func TestDecode(t *testing.T) {
	long := strings.Repeat("<!-- filler -->", 200)
	tests := []struct {
		name, body, declared, charset, text string
		html                                bool
	}{
		{"byte_order_mark_wins", "\xef\xbb\xbfgr\xc3\xbc\xc3\x9f", "iso-8859-1", "utf-8", "grüß", false},
		{"utf16le_mark", "\xff\xfeg\x00\xfc\x00", "", "utf-16le", "gü", false},
		{"utf16be_mark", "\xfe\xff\x00g\x00\xfc", "utf-8", "utf-16be", "gü", false},
		{"utf16_declared", "g\x00\xfc\x00", "utf-16le", "utf-16le", "gü", false},
		{"declared", "\xcf\xf0\xe8\xe2\xe5\xf2", "windows-1251", "windows-1251", "Привет", false},
		{"declared_beats_meta", "<meta charset=koi8-r>\xcf\xf0\xe8", "windows-1251", "windows-1251",
			"<meta charset=koi8-r>При", true},
		{"meta", "<meta charset=windows-1251>\xcf\xf0\xe8", "", "windows-1251", "<meta charset=windows-1251>При", true},
		{"meta_is_html_only", "<meta charset=windows-1251>\xc3\xbc", "", "utf-8",
			"<meta charset=windows-1251>ü", false},
		{"meta_far_down", long + "<meta charset=windows-1251>\xcf", "", "windows-1251",
			long + "<meta charset=windows-1251>П", true},
		{"nothing_said_valid", "gr\xc3\xbcn", "", "utf-8", "grün", false},
		{"nothing_said_invalid", "gr\xfcn", "", "windows-1252", "grün", false},
		{"ascii", "plain", "", "utf-8", "plain", false},
		{"latin_lie", "gr\xc3\xbcn", "iso-8859-1", "utf-8", "grün", false},
		{"latin_truth", "gr\xfcn", "iso-8859-1", "windows-1252", "grün", false},
		{"utf8_lie", "gr\xfcn und gr\xf6\xdfer", "utf-8", "windows-1252", "grün und größer", false},
		{"utf8_lie_with_meta", "<meta charset=windows-1251>\xcf\xf0\xe8", "utf-8", "windows-1251",
			"<meta charset=windows-1251>При", true},
		{"utf8_with_one_bad_byte", "gr\xc3\xbcn, gr\xc3\xb6\xc3\x9fer \xff", "utf-8", "utf-8",
			"grün, größer \ufffd", false},
		{"unknown_name", "gr\xc3\xbcn", "x-no-such", "utf-8", "grün", false},
		{"replacement_name", "gr\xc3\xbcn", "iso-2022-cn", "utf-8", "grün", false},
		{"shift_jis", "\x93\xfa\x96{", "shift_jis", "shift_jis", "日本", false},
		{"controls_go", "a\x00b\x1bc\x7fd\xc2\x85e\u202ef\u200bg\U000e0041h\ufeffi", "", "utf-8", "abcd\nefghi", false},
		{"joiners_stay", "می\u200cخواهم", "", "utf-8", "می\u200cخواهم", false},
		{"latin_lie_of_the_east", "gr\xc3\xbcn", "iso-8859-2", "utf-8", "grün", false},
		{"other_truth_that_is_utf8_too", "\xd0\x9f\xd1\x80", "windows-1251", "windows-1251", "РџСЂ", false},
		{"meta_says_utf8_and_is_not", "<meta charset=utf-8>gr\xfcn und gr\xf6\xdfer", "", "windows-1252",
			"<meta charset=utf-8>grün und größer", true},
		{"as_many_bad_bytes_as_good", "gr\xc3\xbcn \xff", "utf-8", "utf-8", "grün \ufffd", false},
		{"more_bad_bytes_than_good", "gr\xc3\xbcn \xff\xff", "utf-8", "windows-1252", "grÃ¼n ÿÿ", false},
		{"character_cut_at_the_end", "gr\xc3\xbcn gr\xc3", "iso-8859-1", "utf-8", "grün gr\ufffd", false},
		{"declared_in_xml", "<?xml version='1.0' encoding = 'windows-1251' ?><a>\xcf\xf0\xe8</a>", "", "windows-1251",
			"<?xml version='1.0' encoding = 'windows-1251' ?><a>При</a>", false},
		{"user_defined_is_no_name", "gr\xc3\xbcn", "x-user-defined", "utf-8", "grün", false},
		{"form_feed", "a\fb\u2028c", "", "utf-8", "a\nb\nc", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, name, _ := Decode([]byte(test.body), test.declared, test.html)
			if got != test.text || name != test.charset {
				t.Errorf("got %q as %s, want %q as %s", got, name, test.text, test.charset)
			}
		})
	}
}

// TestPrescanConformance runs html5lib's encoding suite: input and the encoding that
// a browser finds in it.
func TestPrescanConformance(t *testing.T) {
	files := extracttest.Unpack(t, realpart.Data(t, "html5lib-tests/html5lib-tests.tar.gz"))
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
				got, _ = charsetOf([]byte(data), "", true)
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
		for _, html := range []bool{true, false} {
			text, name, guessed := Decode(body, declared, html)
			if !utf8.ValidString(text) {
				t.Errorf("not UTF-8: %q", text)
			}
			if i := strings.IndexFunc(text, func(r rune) bool { return WellFormed(r) < 0 }); i >= 0 {
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

// WellFormedText is no other function than WellFormed, character by character.
func TestWellFormedText(t *testing.T) {
	for _, s := range []string{"", "plain", "a\x00b", "\ufeffnaïve – “x”", "a\u200bb\u00adc", "end\u2028", "\xff\xfe",
		"x\xc3", "\ufffd", "tab\t\v\f\r\n", "\x7f\u0085\u009f\u00a0", "\U000e0041😀\ufdd0\uffff"} {
		if got, want := WellFormedText(s), strings.Map(WellFormed, s); got != want {
			t.Errorf("%q gives %q, want %q", s, got, want)
		}
	}
}

// What canonical text holds of the characters at the bounds of what it never holds.
func TestWellFormed(t *testing.T) {
	for _, test := range []struct {
		runes string
		want  rune // -1 for none, 0 for itself
	}{
		{" ~\n\t\r\u00a0\u00ac\u00ae\u200a\u200c\u200d\u2010", 0}, {"\x00\x08\x0e\x1f\x7f\u0080\u0084\u0086\u009f", -1},
		{"\f\v\u0085\u2028\u2029", '\n'},
		{"\u00ad\u200b\u200e\u200f\u202a\u202e\u2060\u206f\ufeff\ufff9\ufffb\uffff\U0001fffe\U0001ffff\U0010ffff" +
			"\ufdd0\ufdef\U000e0000\U000e007f", -1},
		{"\u202f\u205f\u2070\ufefe\ufff8\ufffc\ufffd\ufdcf\ufdf0\U0001fffd\U000dfff0\U000e0080😀字", 0},
	} {
		for _, r := range test.runes {
			want := test.want
			if want == 0 {
				want = r
			}
			if got := WellFormed(r); got != want {
				t.Errorf("%U becomes %U, want %U", r, got, want)
			}
		}
	}
}

// Where a page's <meta> names its character set, and where it only seems to.
func TestMetaCharset(t *testing.T) {
	for _, test := range []struct{ page, want string }{
		{"<meta charset=koi8-r>", "koi8-r"}, {"<META\tCHARSET='KOI8-R'>", "koi8-r"},
		{"<meta/charset=koi8-r>", "koi8-r"}, {"<metacharset=koi8-r>", ""}, {"<meta>", ""},
		{"<meta charset=no-such><meta charset=koi8-r>", "koi8-r"},
		{`<meta http-equiv=Content-Type content="text/html; charset=koi8-r">`, "koi8-r"},
		{`<meta http-equiv=content-type content="text/html; charset = koi8-r ; x">`, "koi8-r"},
		{`<meta http-equiv=content-type content="charset; charset='koi8-r'x">`, "koi8-r"},
		{`<meta http-equiv=content-type content='charset="koi8-r'>`, ""},
		{`<meta http-equiv=content-type content="text/html">`, ""},
		{`<meta http-equiv=refresh content="charset=koi8-r">`, ""}, {`<meta name=x content="charset=koi8-r">`, ""},
		{`<meta charset=utf-8 http-equiv=content-type content="charset=koi8-r">`, "utf-8"},
		{"<meta charset=utf-16le>", "utf-8"}, {"<meta charset=x-user-defined>", "windows-1252"},
		{"<!-- <meta charset=koi8-r> -->", ""}, {"<!-- > --><meta charset=koi8-r>", "koi8-r"},
		{"<!--><meta charset=koi8-r>", "koi8-r"}, {"<!-- <meta charset=koi8-r>", ""},
		{"<!doctype html><?x?><meta charset=koi8-r>", "koi8-r"},
		{"<a title='<meta charset=koi8-r>'>", ""}, {"<a title=\"it's\"><meta charset=koi8-r>", "koi8-r"},
		{"<a title='>' b><meta charset=koi8-r>", "koi8-r"}, {"<a it's><meta charset=koi8-r>", "koi8-r"}, {"<a b='", ""},
		{"<a b= 'x>'><meta charset=koi8-r>", "koi8-r"},
		{"</a b='>'><meta charset=koi8-r>", "koi8-r"}, {"</ ><meta charset=koi8-r>", "koi8-r"},
		{"< meta charset=koi8-r>", ""}, {"<<meta charset=koi8-r>", "koi8-r"}, {"x <", ""}, {"</", ""},
		{"<script><meta charset=koi8-r></script>", "koi8-r"}, {"</meta charset=koi8-r>", ""},
	} {
		if got := metaCharset([]byte(test.page)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.page, got, test.want)
		}
	}
	for n, want := range map[int]string{prescanBytes - 21: "koi8-r", prescanBytes - 20: ""} {
		if got := metaCharset([]byte(strings.Repeat("x", n) + "<meta charset=koi8-r>")); got != want {
			t.Errorf("after %d bytes: got %q, want %q", n, got, want)
		}
	}
}
