package works

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A workName is an author's name for comparison: registers write "Ada Crane", "Crane, Ada" and "Crane A" of one person.
type workName struct {
	words  string // all, sorted out of their order by nobody: "ada crane"
	family string // the last word of the family name
	given  rune   // the first letter of the given name; 0 where there is none
}

// nameUmlauts are spelled in two ways where there are none on the keyboard.
var nameUmlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

func foldName(name string) workName {
	family, given, isSplit := strings.Cut(name, ",")
	words := strings.Fields(family)
	if !isSplit {
		for len(words) > 2 && isSuffixOfName(words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		switch last := len(words) - 1; {
		case last > 0 && isInitials(words[last]):
			given, words = words[last], words[:last]
		case last > 0:
			given = words[0]
		}
	}
	n := workName{words: foldNamePart(name)}
	if len(words) > 0 {
		n.family = foldNamePart(words[len(words)-1])
	}
	if first, _ := utf8.DecodeRuneInString(foldNamePart(given)); first != utf8.RuneError {
		n.given = first
	}
	return n
}

func foldNamePart(s string) string {
	folded, _ := foldWords(s)
	return nameUmlauts.Replace(folded)
}

// isInitials tells the "A" of "Crane A" and the "JM" of "Smith JM" from a name.
func isInitials(word string) bool {
	word = strings.ReplaceAll(word, ".", "")
	return len(word) > 0 && utf8.RuneCountInString(word) <= 3 && strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsUpper(r)
	}) < 0
}

func isSuffixOfName(word string) bool {
	switch strings.ToLower(strings.TrimSuffix(word, ".")) {
	case "jr", "sr", "ii", "iii", "iv":
		return true
	}
	return false
}

// agrees says whether two names may be of one author.
func (n workName) agrees(o workName) bool {
	if n.words == o.words {
		return n.words != ""
	}
	return n.family == o.family && n.family != "" && (n.given == 0 || o.given == 0 || n.given == o.given)
}
