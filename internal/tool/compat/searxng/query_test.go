package searxng

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadQuery(t *testing.T) {
	tests := []struct {
		q, words, language string
		bangs              []string
		external           bool
	}{
		{"python async", "python async", "", nil, false},
		{"!it !q&a python async", "python async", "", []string{"it", "q&a"}, false},
		{"python !pypi  http\tclient", "python http client", "", []string{"pypi"}, false},
		{"!Software_Wikis x !software-wikis", "x", "", []string{"software wikis"}, false},
		{"!scientific_publications tides", "tides", "", []string{"scientific publications"}, false},
		{"!wp :de Gezeiten", "Gezeiten", "de", []string{"wikipedia"}, false},
		{":pt_br marés", "marés", "pt-BR", nil, false},
		{":all tides :en", "tides", "en", nil, false},
		{"css !important :hover", "css !important :hover", "", nil, false},
		{":) !", ":) !", "", nil, false},
		{"!!g tides", "tides", "", nil, true},
		{"!! tides", "tides", "", nil, true},
		{"!lrs !crates serde", "serde", "", []string{"lib.rs", "crates.io"}, false},
		{" ", "", "", nil, false},
	}
	for _, test := range tests {
		read := readQuery(test.q)
		var names []string
		for _, b := range read.bangs {
			names = append(names, b.name)
		}
		got := []any{read.words, read.language, names, read.external}
		if diff := cmp.Diff([]any{test.words, test.language, test.bangs, test.external}, got); diff != "" {
			t.Errorf("%q: want - got +\n%s", test.q, diff)
		}
	}
}

// The bangs that the seed names to a model all mean something, and so do those that
// the description names.
func TestEveryNamedBangIsKnown(t *testing.T) {
	const seed = "news map images videos music lyrics yt files 1337x kc solid tpb gpa wcf it repos dh q&a mdn " +
		"software_wikis " +
		"pypi npm crates lrs alp scientific_publications wa re"
	for name := range strings.FieldsSeq(seed) {
		if _, ok := findBang(name); !ok {
			t.Errorf("!%s is unknown", name)
		}
		if !strings.Contains(searchDescription, "!"+name) {
			t.Errorf("the description does not name !%s", name)
		}
	}
	if n := utf8.RuneCountInString(searchDescription); n > 1024 {
		t.Errorf("the description has %d characters; the seed allows 1,024", n)
	}
	for name, b := range bangs() {
		means := 0
		for _, has := range []bool{len(b.sites) > 0, b.vertical != "", b.provider != "", b.cannot != "",
			b.name == "general"} {
			if has {
				means++
			}
		}
		if means != 1 || b.category == "" || name != strings.ToLower(name) {
			t.Errorf("!%s means %+v", name, b)
		}
	}
}

func TestRegionOf(t *testing.T) {
	for tag, want := range map[string]string{"de": "de-de", "de-CH": "ch-de", "en": "us-en", "en-GB": "uk-en",
		"pt-BR": "br-pt",
		"zh-TW": "tw-tzh", "zh-HANT": "tw-tzh", "zh": "cn-zh", "sr-LATN": "", "ja": "jp-jp", "ca": "ct-ca"} {
		if got := regionOf(tag); got != want {
			t.Errorf("%s is %q, want %q", tag, got, want)
		}
	}
}

func TestAnswerHere(t *testing.T) {
	for q, want := range map[string]string{
		"avg 1 2 3":                      "average of 3 numbers: 2",
		"AVG 0.1 0.2":                    "average of 2 numbers: 0.15",
		"sum 0.1, 0.2, 0.3":              "sum of 3 numbers: 0.6",
		"min 3 -1e2 .5":                  "minimum of 3 numbers: -100",
		"max 1 2 2.50":                   "maximum of 3 numbers: 2.5",
		"prod 99999999999 99999999999 3": "product of 3 numbers: 29999999999400000000003",
		"avg 1 1 2":                      "average of 3 numbers: about 1.3333333333333333333",
		"prod 1e99 1e99":                 "product of 2 numbers: about 1e+198",
		"md5 hello":                      "md5 hash digest: 5d41402abc4b2a76b9719d911017c592",
		"SHA1 abc":                       "sha1 hash digest: a9993e364706816aba3e25717850c26c9cd0d89d",
		"sha224 abc": "sha224 hash digest: " +
			"23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
		"sha256 abc": "sha256 hash digest: " +
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		// FIPS 180-4's own examples are of abc.
		"sha384 abc": "sha384 hash digest: " +
			"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
		"sha512 abc": "sha512 hash digest: " +
			"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423" +
			"643ce80e2a9ac94fa54ca49f",
		"max planck": "", "sum of all fears": "", "avg": "", "md5": "", "random": "", "random walk": "",
		"!news avg 1 2":   "",
		"sum 1e999999999": "", "sum 0x10 1": "", "sum 1/3": "", "sum 1_000": "", "tides": "", "": "", "sum NaN": "",
	} {
		answer, ok := answerHere(q)
		if answer.Answer != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", q, answer.Answer, want)
		}
	}
	for kind, form := range map[string]string{"color": `^#[0-9a-f]{6}$`, "int": `^-?\d+$`, "string": `^\w{20,}$`,
		"sha256": `^[0-9a-f]{64}$`,
		"uuid":   `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`} {
		var seen []string
		for range 20 {
			answer, _ := answerHere("random " + kind)
			if !regexp.MustCompile(form).MatchString(answer.Answer) {
				t.Errorf("random %s: %q", kind, answer.Answer)
			}
			seen = append(seen, answer.Answer)
		}
		slices.Sort(seen)
		if n := len(slices.Compact(seen)); n < 19 {
			t.Errorf("random %s: %d of 20 differ", kind, n)
		}
		if kind == "int" {
			for _, s := range seen {
				if n, _ := new(big.Int).SetString(s, 10); n.BitLen() > 32 {
					t.Errorf("%s is no int of 32 bits", s)
				}
			}
		}
	}
}

// Reading a query loses no word and invents none, whatever it holds.
func FuzzQuery(f *testing.F) {
	for _, q := range []string{"!it !q&a python", ":de-CH x", "!!g", "! : !- !_", "avg 1 2", "random uuid", "md5 \xff",
		"prod 1e99 -.5 +3.", ":zh_Hant x", "!\u00a0news"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		read := readQuery(q)
		words := strings.Fields(q)
		kept := strings.Fields(read.words)
		at := 0
		for _, word := range kept {
			i := slices.Index(words[at:], word)
			if i < 0 {
				t.Fatalf("%q is not in %q, or not in its place", word, q)
			}
			at += i + 1
		}
		if again := readQuery(read.words); again.words != read.words || len(again.bangs) > 0 || again.external ||
			again.language != "" {
			t.Errorf("%q, read twice, is %+v", q, again)
		}
		for _, b := range read.bangs {
			if bangs()[b.name].name != b.name {
				t.Errorf("a bang %q that no table has", b.name)
			}
		}
		if read.language != "" && regionOf(read.language) == "" {
			t.Errorf("language %q has no region", read.language)
		}
		if answer, ok := answerHere(q); ok != (answer.Answer != "") || len(answer.Answer) > 300 {
			t.Errorf("%q answers %q", q, answer.Answer)
		}
	})
}
