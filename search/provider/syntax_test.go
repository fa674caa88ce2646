package provider

import (
	"strings"
	"testing"
)

func TestSyntaxIsPutAsWords(t *testing.T) {
	blank := syntax{blank: `"()`, leading: "-", words: []string{"AND"}}
	for _, test := range []struct {
		of       syntax
		in, want string
	}{
		{lucene, `C++: what's the difference (AND/OR)?`, `C\+\+\: what's the difference \(AND\/OR\)\?`},
		{lucene, `a AND (b OR c) <d>`, `a and \(b or c\) d`},
		{lucene, `one\ two "three`, `one\\ two \"three`},
		{lucene, "  tides \n here ", "tides here"},
		{blank, `--a -b AND "c-d" (AND) SAND`, `a b and c-d and SAND`},
		{blank, `"`, ``},
	} {
		if got := test.of.plain(test.in); got != test.want {
			t.Errorf("%q is put as %q, want %q", test.in, got, test.want)
		}
	}
}

func TestBareWords(t *testing.T) {
	for in, want := range map[string]string{
		`C++: what's the difference (AND/OR)?`: "C difference",
		"Alzheimer's disease and COVID-19":     "Alzheimer disease COVID 19",
		`ti:"l'usine marémotrice" \ {x}`:       "ti usine marémotrice x", "AND": "and", "NOT": "not",
		"ANDROID TO NOTION": "ANDROID NOTION", `((( "*:*`: "", "潮力 発電": "潮力 発電", "हिन्दी": "हिन्दी",
	} {
		if got := strings.Join(bareWords(in), " "); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestContentWords(t *testing.T) {
	for in, want := range map[string]string{
		"what is the effect of tides on crabs?": "effect tides crabs", "is C++ or C# older": "C++ C# older",
		"to be or not to be": "to be or not to be",
	} {
		if got := contentWords(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
