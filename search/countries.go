package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/text"
)

// WholeWorldISO stands for all countries together, as the World Bank writes it.
const WholeWorldISO = "WLD"

// maxCountries bounds what is read of one question.
const maxCountries = 10

// inAddress is how countries stand in an address of the World Bank.
var inAddress = lazyregexp.New(`(?i)(?:locations=|/country/)([a-z]{2,3}(?:[-;,][a-z]{2,3})*)\b`)

// countriesOf are the codes of the countries that a question names: by their addresses' or their ISO
// codes of three letters, or by their names in English or in its own language. The world where it names none.
func countriesOf(question string) []string {
	var codes []string
	add := func(code string) {
		if region, err := language.ParseRegion(code); err == nil && region.IsCountry() && !slices.Contains(codes, region.ISO3()) {
			codes = append(codes, region.ISO3())
		}
	}
	for _, found := range inAddress.FindAllStringSubmatch(question, -1) {
		for code := range strings.FieldsFuncSeq(found[1], func(r rune) bool { return !unicode.IsLetter(r) }) {
			add(code)
		}
	}
	rest := plainWords(question)
	for _, c := range countries(text.Language(question)) {
		rest = strings.ReplaceAll(rest, c.name, " "+c.code+" ") // so that no shorter name is found in it
	}
	for word := range strings.FieldsSeq(rest) {
		if len(word) == 3 && word == strings.ToUpper(word) {
			add(word)
		}
	}
	if len(codes) == 0 {
		return []string{WholeWorldISO}
	}
	return codes[:min(len(codes), maxCountries)]
}

// plainWords are the words of a question between blanks. What is joined by a point is none: the
// parts of a series' code.
func plainWords(question string) string {
	words := strings.FieldsFunc(strings.ReplaceAll(question, "&", "and"), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;:!?()\"“”", r) })
	words = slices.DeleteFunc(words, func(word string) bool { return strings.Contains(strings.TrimRight(word, "."), ".") })
	for i, word := range words {
		words[i] = strings.TrimSuffix(strings.TrimRight(word, "."), "'s")
	}
	return " " + strings.Join(words, "  ") + " "
}

// A country has a name, as plainWords writes it, and its ISO code of three letters.
type country struct{ name, code string }

// countries are those with a code, by their names in English and in another language, the longest first.
func countries(lang string) []country {
	var all []country
	namers := []display.Namer{display.English.Regions()}
	if own := display.Regions(language.Make(lang)); own != nil { // nil: in a language that nobody knows
		namers = append(namers, own)
	}
	for _, namer := range namers {
		for _, region := range regions() {
			if name, _, _ := strings.Cut(namer.Name(region), " ("); name != "" {
				all = append(all, country{plainWords(name), region.ISO3()})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b country) int { return cmp.Compare(len(b.name), len(a.name)) })
	return all
}

// regions are the countries with an ISO code of three letters.
var regions = sync.OnceValue(func() (all []language.Region) {
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			if region, err := language.ParseRegion(string([]rune{a, b})); err == nil && region.IsCountry() && region.Canonicalize() == region && region.ISO3() != "ZZZ" {
				all = append(all, region)
			}
		}
	}
	return all
})
