package text

import (
	"sync"

	"github.com/citewell/citewell/internal/text/lang"
)

// abbreviations are those of all languages together: a sentence in one language quotes another, and the
// same letters seldom end a sentence elsewhere.
type abbreviations struct {
	neverLast    map[string]bool // what they belong to follows: titles, and words that point on
	beforeNumber map[string]bool // abbreviations where a number follows, and words where none does
	oftenLast    map[string]bool // they end a list, and a sentence where a capital follows
	// they end a sentence where a word that opens one follows: any other capital may be a name
	mayBeLast      map[string]bool
	followsOrdinal map[string]bool // words before which a number with a dot is an ordinal: 3. Oktober
}

var abbreviated = sync.OnceValue(func() *abbreviations {
	of := func(key string) map[string]bool { return lang.EverywhereOf(lang.Abbreviations, key) }
	return &abbreviations{of("never last"), of("before numbers"), of("often last"), of("may be last"),
		of("after ordinals")}
})
