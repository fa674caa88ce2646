package text

import (
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text/lang"
)

// IsStop says whether a word is a function word of the language: one that an index
// leaves out. The word may be in any case.
func IsStop(language, word string) bool {
	return lang.Of(language).Words(lang.FunctionWords)[Fold(word)]
}

// everyFunctionWord holds the function words of all languages.
var everyFunctionWord = sync.OnceValue(func() map[string]bool { return lang.Everywhere(lang.FunctionWords) })

// SetOf returns the words that white space parts.
func SetOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
