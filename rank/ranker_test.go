package rank

import (
	"slices"
	"sync"
	"testing"

	"github.com/citewell/citewell"
)

// A Ranker answers each of many queries as Passages does, and reads the passages once for
// all of them.
func TestRanker(t *testing.T) {
	passages := []citewell.Passage{
		passage("Keys", "A foreign key is checked when the transaction is committed, and a key is unique."),
		passage("", "Das Haus ist nicht hoch, aber es ist sehr schön, und die Häuser daneben sind hoch."),
		passage("", "Häuser"), // of no known language: read as the query is
		passage("House of keys", "To be, or not to be, that is the question about a house."),
		passage("", "富士山の高さは三千七百七十六メートルです。"),
	}
	var mu sync.Mutex
	titles := map[int]int{}
	o := Options{Titles: func(i int) string {
		mu.Lock()
		titles[i]++
		mu.Unlock()
		return []string{"Keys and houses", "", "Haus", "", "富士山"}[i]
	}}
	r := NewRanker(passages, o)
	queries := []string{"foreign key", "Wie hoch sind die Häuser?", "how tall are the houses", "to be or not to be",
		"富士山の高さ", "key foreign house keys", " ?! ", "foreign key"}
	var g sync.WaitGroup
	for _, query := range queries {
		g.Go(func() {
			for _, lang := range []string{"", "en", "de"} {
				oneOff := o
				oneOff.Language = lang
				if got, want := r.Rank(query, lang), Passages(query, passages, oneOff); !slices.Equal(got, want) {
					t.Errorf("%q as %q: %v, want %v", query, lang, got, want)
				}
			}
		})
	}
	g.Wait()
	clear(titles)
	for _, query := range queries {
		r.Rank(query, "en")
	}
	if len(titles) > 0 {
		t.Errorf("the passages were read again: %v", titles)
	}
	if got := NewRanker(nil, Options{}).Rank("key", ""); got != nil {
		t.Error(got)
	}
}
