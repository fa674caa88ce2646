package text

import (
	"slices"
	"strings"
	"testing"
)

// TestTermCache reads texts of several languages through one cache, long words and
// more words than it remembers among them: each gets the terms it has by itself.
func TestTermCache(t *testing.T) {
	var many strings.Builder
	for i := range maxCached + 10 {
		many.WriteString("word")
		for ; i > 0; i /= 26 {
			many.WriteByte('a' + byte(i%26))
		}
		many.WriteByte(' ')
	}
	texts := []struct{ lang, s string }{
		{"en", "The children's foreign keys are enforced"}, {"de", "Die Häuser der Straßen waren größer"},
		{"en", many.String()}, {"en", "Foreign children, and US children"}, {"", "жёлтые дома"}, {"ja", "東京の水"},
		{"en", strings.Repeat("harbours", 10) + " " + strings.Repeat("harbours", 10)}, {"en", ""},
	}
	var cache termCache
	for range 2 {
		for _, text := range texts {
			var got []Token
			cache.each(text.s, text.lang, func(term string, start, end int) {
				got = append(got, Token{term, start, end})
			})
			if want := TermTokens(text.s, text.lang); !slices.Equal(got, want) {
				t.Errorf("%s %.40q: terms through the cache differ: %v and %v", text.lang, text.s, got, want)
			}
		}
	}
	if n := cache.words(); n > 2*maxCached {
		t.Errorf("the cache remembers %d words after it was full, want it to begin anew", n)
	}
}
