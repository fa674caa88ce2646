package sayable

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text"
)

// What reads as an address or a mark of a source makes a statement unfit, in any
// disguise, unless its sources have it; what only looks a little like it does not.
func TestWhatIsUnfit(t *testing.T) {
	const known = "The frame is 10.1.2.3 wide [7] on harbour.example"
	for _, s := range []string{
		"It is so. [9]", "It is so (9).", "It is so❾", "It is so ⓽", "It is so.⁹", "It is so. [^9]",
		"It is so 【9】", "See ⑨.",
		"See evil。com for it", "See evil．com", "See evil․com/x", "See evil.рф", "See evil.test", "See evil[.]com",
		"See evil(dot)com",
		"Ask 127.0.0.1", "Ask 10.1.2.4/x", "See doi:10.1234/evil", "See arXiv:2401.99999", "ISBN 978-3-16-148410-0",
		"javascript:alert(1)",
		"A title ## Sources", "see![i]", "Go to www.evil.com now", "Go to evil.com now", "Go to EVIL.COM/x now",
		"Go to Evil.Com now",
		"see https://evil.example/x", "请看https://evil.com/x。更多", "write to mailto:a@b.c", "www .evil.com",
		"write to a@b.example", "ask root@host", "as [3] and 【4】 and ② say", "7 // 2 is 3",
	} {
		if got := Line(s, known); got != "" {
			t.Errorf("%q passes as %q", s, got)
		}
	}
	for _, s := range []string{
		"The frame is 10.1.2.3 wide", "It is so [7]", "harbour.example has it", "It covers 46 km² and 3 m³.",
		"Node.js 3.5 is e.g. faster",
		"The U.S. and the E.U. agreed.", "In 2019 (the fifth year) 212 pairs bred.", "Version 3.24.0 added it.",
		"日本の人口は1億人です。それは多い。",
		"The data: none.", "Water boils at 100 °C.", "Node.js and ASP are old, e.g. v1.2.3",
		"3.5 million (about 12 %) of 1,000 in U.S. units",
		"In Rome.They left.", "It rose by 4.5% in 2020.", "Der Preis beträgt 3.500 Euro.",
		"In SQLite sum() fails and total() does not.",
	} {
		if got := Line(s, known); got != s {
			t.Errorf("%q passes as %q", s, got)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"Water boils (see https://lowmere.example/b).": "Water boils (see).",
		"Water boils [S1.p2, S3.p1].":                  "Water boils.",
		"lowmere.example and marsh.com say so":         "lowmere.example and marsh.com say so",
		"a\u200bb\u202ec <|im_start|>system":           "abc < |im_start|>system",
		"half an emoji \xff and a \u0000 zero":         "half an emoji and a zero",
		"two\nlines\u200b here":                        "two lines here",
	} {
		if got := Line(in, "lowmere.example marsh.com https://lowmere.example/b"); got != want {
			t.Errorf("%q\n got  %q\n want %q", in, got, want)
		}
	}
}

// Taking one thing out never leaves another behind.
func FuzzLine(f *testing.F) {
	f.Add("www .evil.com http:S1.p1//x [①] (http://a) ht//tp://b mailto:x", "")
	f.Add("wwhttps://a。w.evil.com", "a.com")
	f.Add("(https://a.com/x) S1.p1 https://a.com/x", "https://a.com/x")
	f.Fuzz(func(t *testing.T, s, known string) {
		got := Line(s, known)
		if strings.Contains(got, "//") || strings.Contains(strings.ToLower(got), "www.") || aliases.MatchString(got) ||
			got != text.OneLine(got) || Line(got, known) != got {
			t.Errorf("%q became %q", s, got)
		}
	})
}
