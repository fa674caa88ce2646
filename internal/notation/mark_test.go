package notation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/notation"
)

func TestMarks(t *testing.T) {
	for n, want := range map[int]string{1: "①", 20: "⑳", 21: "[21]", 300: "[300]", 0: "[0]"} {
		if got := notation.Mark(n); got != want {
			t.Errorf("Mark(%d) = %s, want %s", n, got, want)
		}
	}
	for n := 1; n <= 60; n++ {
		if got := notation.ParseMarks("as said " + notation.Mark(n) + "."); !slices.Equal(got, []int{n}) {
			t.Errorf("mark %d reads back as %v", n, got)
		}
	}
	for in, want := range map[string][]int{
		"":                                     nil,
		"①②① [3] [4, 5]":                       {1, 2, 3, 4, 5},
		"㉑ ㊿":                                  {21, 50},
		"[0] [x] [1000] [-1] [] [ 7 ]":         {7},
		"[[2]] [":                              {2},
		"[99999999999999999999]":               nil,
		"see [1](http://x.test)":               {1},
		"[①]":                                  {1},
		"[" + strings.Repeat("7, ", 20) + "7]": {7}, // 62 bytes
		"[" + strings.Repeat("7, ", 22) + "7]": nil, // more than a list of marks has
	} {
		if got := notation.ParseMarks(in); !slices.Equal(got, want) {
			t.Errorf("ParseMarks(%q) = %v, want %v", in, got, want)
		}
	}
	if got, want := notation.WithoutMarks("It hums [1]. It \t[2, 3] moves."), "It hums. It moves."; got != want {
		t.Errorf("without marks %q, want %q", got, want)
	}
	upper := func(r notation.Reference) string { return "<" + notation.Numbers(r.Numbers...) + ">" }
	if got, want := notation.MapMarks("It hums ①[2]. It moves.", upper), "It hums <[1]><[2]>. It moves."; got != want {
		t.Errorf("mapped %q, want %q", got, want)
	}
}
