package text_test

import (
	"testing"

	"github.com/citewell/citewell/internal/text"
)

func TestCount(t *testing.T) {
	for noun, want := range map[string]string{"page": "pages", "search": "searches", "fetch": "fetches",
		"index": "indexes"} {
		if got := text.Count(2, noun); got != "2 "+want {
			t.Error(got)
		}
		if got := text.Count(1, noun); got != "1 "+noun {
			t.Error(got)
		}
		if got := text.Count(0, noun); got != "0 "+want {
			t.Error(got)
		}
	}
}
