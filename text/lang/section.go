package lang

import (
	"maps"
	"strings"
	"sync"
)

// A Section is a part of a language's file.
type Section int

// The sections, in the order in which files have them.
const (
	FunctionWords Section = iota
	Elisions
	AskingWords
	Questions
	Joints
	Requests
	Abbreviations
	IrregularForms
	Contractions
	Denials
	NotDenials
	Opposites
	SmallOpposites
	OppositePrefixes
	DenyingEndings
	Wholes
	Parts
	NumberWords
	WithinNumbers
	NumberJoints
	CompoundNumbers
	Collectives
	Articles
	Halves
	HalvesBehind
	WholeFigures
	Scales
	OwnScales
	Units
	OwnUnits
	Genitives
	Months
	DoubtfulMonths
	YearWords
	OrdinalCounters
	Clock
	sectionCount
)

// A form says how the lines of a section are built.
type form int

const (
	words   form = iota // words alone
	numbers             // a number, a colon, the words for it
	keyed               // a key of the section's, a colon, words
	named               // any key, a colon, words
	sides               // two sides of words with a slash between them; a key before them is their axis
)

// A spec describes a section: its heading, the form of its lines, the keys that they may have, whether
// every language has it or says that it does not, and what Citewell does with it.
type spec struct {
	name   string
	form   form
	keys   string // of a keyed section, with commas between them
	folded bool   // words are as text.Fold makes them
	wanted bool   // a file without it must name it under none
	buys   string // for doc/languages.md
}

var specs = [sectionCount]spec{
	FunctionWords:    {"function words", words, "", true, true, "tells the language of a text by its words, and leaves them out of the index"},
	Elisions:         {"elisions", words, "", true, false, "finds the noun behind an elided article"},
	AskingWords:      {"asking words", words, "", true, true, "tells the language of short questions"},
	Questions:        {"questions", keyed, "begin,end,anywhere", false, true, "tells a question from a topic in research"},
	Joints:           {"joints", keyed, "between,foreign,anywhere,within,behind", false, true, "parts a topic of research at its \"and\""},
	Requests:         {"requests", keyed, "before,do,please,after,ending", false, true, "understands \"answer in French\" in the language"},
	Abbreviations:    {"abbreviations", keyed, "never last,before numbers,often last,may be last,after ordinals", false, true, "ends no sentence at an abbreviation of the language"},
	IrregularForms:   {"irregular forms", named, "", true, false, "finds words by forms that no ending tells: fell, feet"},
	Contractions:     {"contractions", named, "", true, false, "reads contracted verbs"},
	Denials:          {"denials", keyed, ",beside,before,behind", true, true, "checks a claim by words: a copy is supported, its denial contradicted"},
	NotDenials:       {"not denials", words, "", true, false, "reads no denial into words that only look like one"},
	Opposites:        {"opposites", sides, "", false, true, "contradicts a claim for an opposite, and lets another word stand for one of the claim's"},
	SmallOpposites:   {"small opposites", sides, "", true, true, "lets one function word stand for another"},
	OppositePrefixes: {"opposite prefixes", words, "", true, true, "contradicts a claim for a denying prefix: legal, illegal"},
	DenyingEndings:   {"denying endings", words, "", true, false, "keeps words with a denying ending apart from those without"},
	Wholes:           {"wholes", words, "", true, true, "keeps \"all\" apart from other words"},
	Parts:            {"parts", words, "", true, true, "keeps \"some\" apart from other words"},
	NumberWords:      {"number words", numbers, "", false, true, "reads numbers in words"},
	WithinNumbers:    {"within numbers", numbers, "", false, false, "reads words that are numbers within longer numbers only"},
	NumberJoints:     {"number joints", keyed, "between,before", false, false, "reads the \"and\" within numbers"},
	CompoundNumbers:  {"compound numbers", keyed, "1,2,3,4,5,6,7,8,9,100,1000,and", false, false, "reads numbers that are written as one word"},
	Collectives:      {"collectives", numbers, "", false, false, "reads \"about a dozen\""},
	Articles:         {"articles", words, "", false, false, "knows the articles before such words"},
	Halves:           {"halves", numbers, "", false, true, "reads halves in words"},
	HalvesBehind:     {"halves behind", words, "", false, false, "reads \"and a half\""},
	WholeFigures:     {"whole figures", named, "", false, false, "reads words that are a number with its unit"},
	Scales:           {"scales", numbers, "", false, true, "reads thousands and millions in words"},
	OwnScales:        {"own scales", numbers, "", false, false, "reads scales that mean something else in other languages"},
	Units:            {"units", named, "", false, true, "reads units in words"},
	OwnUnits:         {"own units", named, "", false, false, "reads units whose letters mean something else in other languages"},
	Genitives:        {"genitives", words, "", false, false, "reads \"millions of euros\""},
	Months:           {"months", numbers, "", false, true, "reads dates with the month in words"},
	DoubtfulMonths:   {"doubtful months", words, "", false, false, "takes no verb for a month"},
	YearWords:        {"year words", keyed, "before,after", false, false, "tells a year from another number"},
	OrdinalCounters:  {"ordinal counters", words, "", false, false, "tells which one from how many"},
	Clock:            {"clock", keyed, "before,before hours,around,minutes,sign", false, true, "tells a time of day from a number"},
}

// String returns the heading of a section.
func (s Section) String() string { return specs[s].name }

// FoldedSections returns the sections whose words are looked up as text.Fold makes them.
func FoldedSections() (all []Section) {
	for s, sp := range specs {
		if sp.folded {
			all = append(all, Section(s))
		}
	}
	return all
}

// A Row is one line of a section: its key, and its words on each side of a slash.
type Row struct {
	Key   string
	Sides [][]string
}

// Words returns the words of the first side.
func (r Row) Words() []string { return r.Sides[0] }

// A section is the text of one section, with what has been made of it.
type section struct {
	text  string
	known bool // the file has it
	rows  func() []Row
	set   func() map[string]bool
	keys  func() map[string]string
	value func() map[string]float64
}

// open prepares the lazy readings of a section.
func (s *section) open(text string) {
	s.text, s.known = text, true
	s.rows = sync.OnceValue(func() []Row { return rowsOf(s.text) })
	s.set = sync.OnceValue(func() map[string]bool {
		set := make(map[string]bool, len(s.text)/8)
		for _, row := range s.rows() {
			for _, side := range row.Sides {
				for _, word := range side {
					set[word] = true
				}
			}
		}
		return set
	})
	s.keys = sync.OnceValue(func() map[string]string {
		keys := make(map[string]string, len(s.text)/8)
		for _, row := range s.rows() {
			for _, word := range row.Words() {
				keys[word] = row.Key
			}
		}
		return keys
	})
	s.value = sync.OnceValue(func() map[string]float64 {
		values := map[string]float64{}
		for _, row := range s.rows() {
			v, _ := number(row.Key) // the test of all files has read it
			for _, word := range row.Words() {
				values[word] = v
			}
		}
		return values
	})
}

// Knows reports whether the language's file has a section.
func (l *Language) Knows(s Section) bool { return l.sections[s].known }

// Rows returns the lines of a section in their order.
func (l *Language) Rows(s Section) []Row {
	if !l.sections[s].known {
		return nil
	}
	return l.sections[s].rows()
}

// Words returns all words of a section as a set; nil without it.
func (l *Language) Words(s Section) map[string]bool {
	if !l.sections[s].known {
		return nil
	}
	return l.sections[s].set()
}

// Keys returns the key of the line of each word of a section.
func (l *Language) Keys(s Section) map[string]string {
	if !l.sections[s].known {
		return nil
	}
	return l.sections[s].keys()
}

// Numbers returns the values of the words of a section of numbers.
func (l *Language) Numbers(s Section) map[string]float64 {
	if !l.sections[s].known {
		return nil
	}
	return l.sections[s].value()
}

// Of returns the words of the lines of a section that have a key, in their order.
func (l *Language) Of(s Section, key string) (words []string) {
	for _, row := range l.Rows(s) {
		if row.Key == key {
			words = append(words, row.Words()...)
		}
	}
	return words
}

// Everywhere returns the words of a section of all languages together.
func Everywhere(s Section) map[string]bool {
	all := map[string]bool{}
	for _, l := range All() {
		maps.Copy(all, l.Words(s))
	}
	return all
}

// EverywhereOf returns the words that lines with a key have in a section of all languages.
func EverywhereOf(s Section, key string) map[string]bool {
	all := map[string]bool{}
	for _, l := range All() {
		for _, word := range l.Of(s, key) {
			all[word] = true
		}
	}
	return all
}

// rowsOf reads the lines of a section.
func rowsOf(text string) []Row {
	var rows []Row
	for line := range strings.Lines(strings.ReplaceAll(text, "\n ", " ")) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		var row Row
		if key, rest, found := strings.Cut(line, ": "); found {
			row.Key, line = strings.TrimSpace(key), rest
		}
		for side := range strings.SplitSeq(line, " / ") {
			row.Sides = append(row.Sides, strings.Fields(side))
		}
		rows = append(rows, row)
	}
	return rows
}
