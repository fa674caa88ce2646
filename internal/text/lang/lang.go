package lang

import (
	"slices"
	"strings"
	"sync"
)

// A Language holds the words and traits of one language. Its sections are read when they are first
// asked for. All its maps are shared: callers only read them.
type Language struct {
	Code   string   // ISO 639-1
	Name   string   // in English
	Also   []string // other codes of it, such as nb of no
	Script string   // as in [unicode.Scripts], and Kana for both kana; empty where no script is given
	Alone  bool     // a text in its script is nearly always in it
	Common bool     // a text in its script that is too short to tell is read as one in it
	Order  int      // its place among the languages of a script: the smaller, the more is written in it

	Letters string // letters that few languages of the script have; each speaks for it
	Sole    string // letters that leave it alone of the languages that are told by words,
	Never   string // unless one of these occurs as well
	Article string // that is written against its noun
	Stemmer string // name of its Snowball stemmer

	same     *strings.Replacer
	traits   [traitCount]bool
	none     map[string]bool // names of sections that the file says it lacks: false for one that it does not need
	sections [sectionCount]section
}

// A Trait is a property of a language's grammar or spelling that code asks for.
type Trait int

// The traits, of which traits says what each means.
const (
	Elides Trait = iota
	Possessive
	NameEndings
	Proclitics
	Segments
	NounCapitals
	Counters
	HanNumbers
	Scores
	MultipliedHundreds
	OnesFirst
	ScaleArticles
	RateArticles
	OrdinalDot
	DayFirst
	MonthFirst
	CommaDecimal
	PointDecimal
	MixedThousands
	PercentFirst
	HyphenNames
	OtherCalendars
	HijriYears
	WordVectors
	traitCount
)

// A trait is the name of a trait in files, and its meaning.
type trait struct{ name, meaning string }

var traits = [traitCount]trait{
	Elides:             {"elides", "an article is written before its noun by an apostrophe: l'eau"},
	Possessive:         {"possessive", "'s at the end of a noun is no part of it: the town's"},
	NameEndings:        {"name endings", "an apostrophe parts a name from its endings: Ankara'nın"},
	Proclitics:         {"proclitics", "small words are written against the next word, as in Arabic"},
	Segments:           {"segments", "no spaces part the words"},
	NounCapitals:       {"noun capitals", "every noun begins with a capital letter"},
	Counters:           {"counters", "a counter stands between a number and what it counts: 2人"},
	HanNumbers:         {"han numbers", "numbers are written in Chinese characters as well"},
	Scores:             {"scores", "seventy to ninety-nine are counted in twenties: soixante-dix, quatre-vingts"},
	MultipliedHundreds: {"multiplied hundreds", "a number before the word for a hundred multiplies it: deux cents"},
	OnesFirst:          {"ones first", "the ones stand before the tens in words: five and twenty"},
	ScaleArticles:      {"scale articles", "an article before a scale is one of it: a million, half a million"},
	RateArticles:       {"rate articles", "an article before a unit makes a rate: euros a day"},
	OrdinalDot:         {"ordinal dot", "a dot behind a number makes it an ordinal: 3. Oktober"},
	DayFirst:           {"day first", "03/04/2025 is the third of April"},
	MonthFirst:         {"month first", "a month stands before its day: April 3"},
	CommaDecimal:       {"comma decimal", "a comma stands before decimals: 1.234,5"},
	PointDecimal:       {"point decimal", "a point stands before decimals: 1,234.5"},
	MixedThousands:     {"mixed thousands", "1.500 is a thousand and more in some countries, one and a half in others"},
	PercentFirst:       {"percent first", "the percent sign may stand before the number"},
	HyphenNames:        {"hyphen names", "names take a hyphen before their number"},
	OtherCalendars:     {"other calendars", "months of the Hijri or the Persian calendar are named"},
	HijriYears:         {"hijri years", "a year between 1300 and 1500 may be one of these calendars"},
	WordVectors:        {"word vectors", "briefs know which of its words are near in meaning, from a table"},
}

// Is reports whether a language has a trait.
func (l *Language) Is(t Trait) bool { return l.traits[t] }

// Of returns the language with a code: "de", "de-AT", "nb". It is never nil: an unknown code gives a
// language without words and traits.
func Of(code string) *Language {
	all := catalogue()
	if l := all.byCode[code]; l != nil {
		return l
	}
	if l := all.byCode[Base(code)]; l != nil {
		return l
	}
	return &unknown
}

var unknown Language

// Base reduces a language tag to the code under which the language is known here: "de-AT" to "de",
// "nb" to "no".
func Base(tag string) string {
	if len(tag) == 2 && tag[0] >= 'a' && tag[1] >= 'a' && tag != "nb" && tag != "nn" {
		return tag
	}
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if l := catalogue().byCode[base]; l != nil {
		return l.Code
	}
	return base
}

// All returns the languages that have a file, in the order of Order and of their codes.
func All() []*Language { return catalogue().all }

// Written returns the languages of a script, in the order of All.
func Written(script string) []*Language { return catalogue().byScript[script] }

// SameLetters returns a replacer of letters that are read as others; nil where there are none.
func (l *Language) SameLetters() *strings.Replacer { return l.same }

// A catalog holds all languages.
type catalog struct {
	all      []*Language
	byCode   map[string]*Language
	byScript map[string][]*Language
}

var catalogue = sync.OnceValue(func() *catalog {
	all, err := load(files)
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	return newCatalog(all)
})

func newCatalog(all []*Language) *catalog {
	slices.SortFunc(all, func(a, b *Language) int {
		if a.Order != b.Order {
			return a.Order - b.Order
		}
		return strings.Compare(a.Code, b.Code)
	})
	c := &catalog{all: all, byCode: map[string]*Language{}, byScript: map[string][]*Language{}}
	for _, l := range all {
		for _, code := range append([]string{l.Code}, l.Also...) {
			c.byCode[code] = l
		}
		if l.Script != "" {
			c.byScript[l.Script] = append(c.byScript[l.Script], l)
		}
	}
	return c
}
