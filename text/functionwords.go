package text

import (
	"embed"
	"path"
	"strings"
	"sync"
)

//go:embed functionwords/*.txt
var functionWordFiles embed.FS

// functionWords are the words of each language that carry grammar rather than
// content. They are left out of an index, and they tell a language apart.
var functionWords = sync.OnceValue(func() map[string]map[string]bool {
	entries, err := functionWordFiles.ReadDir("functionwords")
	if err != nil {
		panic(err) // the files are part of the program
	}
	all := make(map[string]map[string]bool, len(entries))
	for _, entry := range entries {
		content, err := functionWordFiles.ReadFile(path.Join("functionwords", entry.Name()))
		if err != nil {
			panic(err)
		}
		all[strings.TrimSuffix(entry.Name(), ".txt")] = SetOf(Fold(string(content)))
	}
	return all
})

// IsStop says whether a word is a function word of the language: one that an index
// leaves out. The word may be in any case.
func IsStop(lang, word string) bool {
	return functionWords()[BaseLanguage(lang)][Fold(word)]
}

// SetOf returns the words that white space parts.
func SetOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
