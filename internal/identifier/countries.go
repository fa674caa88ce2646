package identifier

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// maxCountries bounds what is read of one question.
const maxCountries = 10

// inAddress is how countries stand in an address of the World Bank.
var inAddress = lazyregexp.New(`(?i)(?:locations=|/country/)([a-z]{2,3}(?:[-;,][a-z]{2,3})*)\b`)

// countriesOf are the ISO codes, of three letters, of the countries that a question names: by its codes in an
// address or in capitals, or by their names in English or in the question's own language.
func countriesOf(question string) []string {
	var codes []string
	add := func(code string) {
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	read := func(code string) {
		if region, err := language.ParseRegion(code); err == nil && region.IsCountry() {
			add(region.ISO3())
		}
	}
	for _, found := range inAddress.FindAllStringSubmatch(question, -1) {
		for code := range strings.FieldsFuncSeq(found[1], func(r rune) bool { return !unicode.IsLetter(r) }) {
			read(code)
		}
	}
	words, named, shouted := plainWords(question), countries(text.Language(question)),
		strings.ToUpper(question) == question
	for i := 0; i < len(words); {
		taken := 1
		for n := min(maxNameWords, len(words)-i); n > 0; n-- { // no shorter name is found in a longer one
			if code, ok := named[text.Fold(strings.Join(words[i:i+n], " "))]; ok {
				add(code)
				taken = n
				break
			} else if n == 1 && capitals.MatchString(words[i]) && (len(words[i]) == 3 || !shouted) {
				read(words[i])
			}
		}
		i += taken
	}
	return codes[:min(len(codes), maxCountries)]
}

// capitals are how a code of a country stands among words.
var capitals = lazyregexp.New(`^[A-Z]{2,3}$`)

// maxNameWords is how many words the name of a country has at most.
const maxNameWords = 7

// plainWords are the words of a question. What is joined by a point is none: the parts of a series' code.
func plainWords(question string) []string {
	words := strings.FieldsFunc(strings.ReplaceAll(question, "&", "and"), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(",;:!?()/\"“”", r)
	})
	words = slices.DeleteFunc(words, func(word string) bool {
		return strings.Contains(strings.TrimRight(word, "."), ".")
	})
	for i, word := range words {
		words[i] = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(word, "."), "'s"), "’s")
	}
	return words
}

// countries are the codes of those that have one, by their folded names in English and in another language.
func countries(lang string) map[string]string {
	codes := map[string]string{}
	namers := []display.Namer{display.English.Regions()}
	if own := display.Regions(language.Make(lang)); own != nil { // nil: in a language that nobody knows
		namers = append(namers, own)
	}
	for _, namer := range namers {
		for _, region := range regions() {
			name, _, _ := strings.Cut(namer.Name(region), " (")
			name = strings.TrimSuffix(name, " SAR China")
			if words := plainWords(name); len(words) > 0 {
				codes[text.Fold(strings.Join(words, " "))] = region.ISO3()
			}
		}
	}
	return codes
}

// regions are the countries with a code of three letters.
var regions = sync.OnceValue(func() (all []language.Region) {
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if region, err := language.ParseRegion(string([]rune{a, b})); err == nil && region.IsCountry() &&
				region.Canonicalize() == region && region.ISO3() != "ZZZ" {
				all = append(all, region)
			}
		}
	}
	return all
})
