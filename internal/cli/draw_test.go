package cli

import (
	"strings"
	"testing"
)

func TestDraw(t *testing.T) {
	markdown := "# Research: a question\n\n## Key findings\n- “Words of a\\_source \\| with marks and more " +
		"words than " +
		"fit.” [①②]\n" +
		"  - below it\n① host.example [news · undated]\n   Title\n   " +
		"https://host.example/a/very/long/address/that/does/not/fit/into/a/line\n" +
		"> quoted words of a page that go on and on\n\n```\ncode   stays | as *it* is, however long the line " +
		"may be\n```\n"
	want := strings.Join([]string{
		"Research: a question",
		"",
		"Key findings",
		"• “Words of a_source | with marks and",
		"  more words than fit.” [①②]",
		"  • below it",
		"① host.example [news · undated]",
		"   Title",
		"   https://host.example/a/very/long/address/that/does/not/fit/into/a/line",
		"│ quoted words of a page that go on",
		"│ and on",
		"",
		"code   stays | as *it* is, however long the line may be",
		"",
	}, "\n")
	if got := styling.ReplaceAllString(draw(markdown, 38), ""); got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
	if drawn := draw(markdown, 38); strings.Contains(drawn, "\x1b[38") || strings.Contains(drawn, "\x1b[48") {
		t.Error("colours of our own cannot be read on every background")
	}
}
