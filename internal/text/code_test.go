package text_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text"
)

// Each line of a text, and below it with c where it is code.
func TestCodeLines(t *testing.T) {
	for _, c := range []struct{ lines, want string }{
		{"a\n```\nx := argv[1]\n```\nb", "-ccc-"},
		{"```pip install larch```\nIt was sold [1].\n```\nend", "--c-"},
		{"```\n~~~\n```\nsold [1]\n```\nend", "ccc-c-"},
		{"```` go\n```\n````\nb", "ccc-"},
		{"- ```\n  x\n  ```\nsold in 1990", "--c-"},
		{"~~~ text\nIt was sold\nin 1990 [1].\n\nx = y\n~~~", "c--" + "-" + "cc"},
		{"```\nIt was sold ①.\n```", "c-c"},
		{"```\nIt was sold. (⚠ uncited)\n```", "c-c"},
		{"```\nnever closed", "c-"},
		{"It was\n~~~ sold", "--"},
		{"", "-"},
	} {
		var got strings.Builder
		for _, code := range text.CodeLines(strings.Split(c.lines, "\n")) {
			got.WriteByte("-c"[map[bool]int{true: 1}[code]])
		}
		if got.String() != c.want {
			t.Errorf("%q: %s, want %s", c.lines, got.String(), c.want)
		}
	}
}

// In a text that somebody wrote, what cites between fences is code too.
func TestFencedLines(t *testing.T) {
	for lines, want := range map[string]string{
		"a [1]\n~~~ text\nIt was sold\nin 1990 [1].\n\nx = y\n~~~\nb [1]": "-cccccc-",
		"```\nnever closed [1]": "c-",
		"a\n```\nb [1]":         "-c-",
	} {
		var got strings.Builder
		for _, code := range text.FencedLines(strings.Split(lines, "\n")) {
			got.WriteByte("-c"[map[bool]int{true: 1}[code]])
		}
		if got.String() != want {
			t.Errorf("%q: %s, want %s", lines, got.String(), want)
		}
	}
}
