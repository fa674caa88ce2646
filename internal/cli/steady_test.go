package cli

import (
	"testing"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/replay"
)

// steady is a result of Citewell's without what differs between two runs that found the
// same: ids have numbers, moments and durations are gone, and so is the packed line that
// has both. Golden files hold it.
func steady(result string) string {
	result = packed.ReplaceAllString(result, "<!-- citewell:<data> -->")
	result = moments.ReplaceAllString(replay.WithoutIDs(result), "<time>")
	return seconds.ReplaceAllString(durations.ReplaceAllString(result, "${1}<ms>"), "${1}<s>")
}

var (
	moments   = lazyregexp.New(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?`)
	packed    = lazyregexp.New(`<!-- citewell:[A-Za-z0-9+/=]* -->`)
	durations = lazyregexp.New(`("[a-z_]*_ms": ?)\d+`)
	// seconds of a brief's coverage in Markdown.
	seconds = lazyregexp.New(`(?m)^( *- .*?(?:, |; |: ))\d+\.\ds\b`)
)

// A steady result keeps what was found and drops what only this run has.
func TestSteady(t *testing.T) {
	one := "id 0123456789abcdef0123456789abcdef at 2026-03-01T23:30:00.123Z\n  - searxng: ok, 10 results, 0.4s\n" +
		"- Total wall time: 1.2s.\n\"wall_ms\": 1234, \"results\": 10, 2.4s"
	want := "id <id 1> at <time>\n  - searxng: ok, 10 results, <s>\n- Total wall time: <s>.\n\"wall_ms\": <ms>, " +
		"\"results\": 10, 2.4s"
	if got := steady(one); got != want {
		t.Errorf("%s", got)
	}
}
