package quantity

import (
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text/lang"
)

// A tongue holds the words of one language by which its figures and dates are read.
type tongue struct {
	*lang.Language
	numbers     map[string]float64 // small numbers in words
	within      map[string]float64 // words that are numbers only behind another number word: "vingt et un"
	joint       string             // stands between the words of one number
	prefix      string             // is written against the second of them
	compound    oneWord
	collectives map[string]float64 // are about as many as they say: une vingtaine de personnes
	halves      map[string]float64 // parts of a scale or a unit that follows: medio millón, полтора года
	behind      map[string]float64 // add a half or a quarter behind a number or its unit: trois ans et demi
	whole       map[string]string  // words that are a number with its scale or its unit → both
	scales      map[string]float64 // scales that mean something else in other languages
	genitives   []string           // stand between a scale and its unit: millions d'euros
	months      map[string]int
	clock       clock
}

// A oneWord holds the words that numbers written as one word are made of: einundzwanzig.
type oneWord struct {
	ones              map[string]float64
	thousand, hundred string
	and               []string // the first is what the others are read as
}

var tongues sync.Map // code → func() *tongue

// tongueOf returns the words of a language, which are read when they are first asked for.
func tongueOf(code string) *tongue {
	built, ok := tongues.Load(code)
	if !ok {
		l := lang.Of(code)
		if l.Code == "" {
			return &tongue{Language: l}
		}
		built, _ = tongues.LoadOrStore(code, sync.OnceValue(func() *tongue { return newTongue(l) }))
	}
	return built.(func() *tongue)()
}

func newTongue(l *lang.Language) *tongue {
	t := &tongue{
		Language: l, numbers: l.Numbers(lang.NumberWords), within: l.Numbers(lang.WithinNumbers),
		joint: firstWord(l.Of(lang.NumberJoints, "between")), prefix: firstWord(l.Of(lang.NumberJoints, "before")),
		collectives: l.Numbers(lang.Collectives), halves: l.Numbers(lang.Halves), behind: map[string]float64{},
		whole: l.Keys(lang.WholeFigures), scales: l.Numbers(lang.OwnScales),
		genitives: spaced(l.Of(lang.Genitives, "")), months: map[string]int{}, clock: newClock(l),
	}
	t.compound = oneWord{ones: map[string]float64{}, hundred: firstWord(l.Of(lang.CompoundNumbers, "100")),
		thousand: firstWord(l.Of(lang.CompoundNumbers, "1000")), and: l.Of(lang.CompoundNumbers, "and")}
	for word, value := range l.Keys(lang.CompoundNumbers) {
		if v, err := strconv.ParseFloat(value, 64); err == nil && v < 10 {
			t.compound.ones[word] = v
		}
	}
	for word, part := range l.Numbers(lang.HalvesBehind) {
		t.behind[strings.ReplaceAll(word, "_", " ")] = part
	}
	for word, n := range l.Numbers(lang.Months) {
		t.months[word] = int(n)
	}
	return t
}

// firstWord returns the first of the words, if there is one.
func firstWord(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// spaced gives words their spaces, which a file writes as _.
func spaced(words []string) []string {
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "_", " ")
	}
	return words
}

// wholeFigure returns the value and the unit of a word that is a figure.
func (t *tongue) wholeFigure(word string) (value float64, unit string, ok bool) {
	number, unit, _ := strings.Cut(t.whole[word], " ")
	value, err := strconv.ParseFloat(number, 64)
	return value, unit, err == nil
}

// articles come before collectives, in any language: that tells la quarantaine apart.
var articles = sync.OnceValue(func() map[string]bool { return lang.Everywhere(lang.Articles) })

// scales are words that multiply the number before them, in any language.
var scales = sync.OnceValue(func() map[string]float64 {
	all := map[string]float64{}
	for _, l := range lang.All() {
		for word, value := range l.Numbers(lang.Scales) {
			all[strings.ReplaceAll(word, "_", " ")] = value
		}
	}
	return all
})

// cjkScales follow a number without a space and may be chained: 1億2000万.
var cjkScales = map[rune]float64{
	'十': 10,
	'百': 100,
	'千': 1e3,
	'万': 1e4,
	'萬': 1e4,
	'만': 1e4,
	'亿': 1e8,
	'億': 1e8,
	'억': 1e8,
	'兆': 1e12,
	'조': 1e12,
	'천': 1e3,
	'백': 100,
	'십': 10,
}

// ownScales are the scales of all languages that mean something else in others: bin is a thousand in Turkish.
var ownScales = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, l := range lang.All() {
		for word := range l.Numbers(lang.OwnScales) {
			all[word] = true
		}
	}
	return all
})

// NamesScale reports whether a folded word names a scale, such as million, in any language. The language of a short
// text may not be told.
func NamesScale(word string) bool { return scales()[word] != 0 || ownScales()[word] }
