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
	Qualifiers
	Ranges
	Rates
	TimeSpans
	Shares
	BeforeNumbers
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

// A spec describes a section: its heading, the form of its lines, and the keys that they may have.
type spec struct {
	name   string
	form   form
	keys   string // of a keyed section, with commas between them
	folded bool   // words are as text.Fold makes them
	wanted bool   // a file without it must name it under none
	spaced bool   // a word may have spaces, which are written _
}

const qualifierKeys = "about,nearly,exactly,more than,at least,less than,at most,up to,about behind,nearly behind," +
	"more than behind,at least behind,less than behind,at most behind,minus,minus behind,denials"

const rateKeys = "per,average,thing behind article,not behind,hour,day,week,month,year"

const timeSpanKeys = "decade behind,decade before,30,40,50,60,70,80,90,century,century before,early,mid,late,quarter," +
	"half,spring,summer,autumn,winter,of,opens,ordinals"

const abbreviationKeys = "never last,before numbers,often last,may be last,after ordinals"

var specs = [sectionCount]spec{
	FunctionWords:    {"function words", words, "", true, true, false},
	Elisions:         {"elisions", words, "", true, false, false},
	AskingWords:      {"asking words", words, "", true, true, false},
	Questions:        {"questions", keyed, "begin,end,anywhere", false, true, true},
	Joints:           {"joints", keyed, "between,foreign,anywhere,within,behind", false, true, true},
	Requests:         {"requests", keyed, "before,do,please,after,ending", false, true, true},
	Abbreviations:    {"abbreviations", keyed, abbreviationKeys, false, true, false},
	IrregularForms:   {"irregular forms", named, "", true, false, false},
	Contractions:     {"contractions", named, "", true, false, false},
	Denials:          {"denials", keyed, ",beside,before,behind", true, true, false},
	NotDenials:       {"not denials", words, "", true, false, false},
	Opposites:        {"opposites", sides, "", false, true, false},
	SmallOpposites:   {"small opposites", sides, "", true, true, false},
	OppositePrefixes: {"opposite prefixes", keyed, ",denials", true, true, false},
	DenyingEndings:   {"denying endings", words, "", true, false, false},
	Wholes:           {"wholes", words, "", true, true, false},
	Parts:            {"parts", words, "", true, true, false},
	NumberWords:      {"number words", numbers, "", false, true, false},
	WithinNumbers:    {"within numbers", numbers, "", false, false, false},
	NumberJoints:     {"number joints", keyed, "between,before", false, false, false},
	CompoundNumbers:  {"compound numbers", keyed, "1,2,3,4,5,6,7,8,9,100,1000,and", false, false, false},
	Collectives:      {"collectives", numbers, "", false, false, false},
	Articles:         {"articles", words, "", false, false, false},
	Halves:           {"halves", numbers, "", false, true, false},
	HalvesBehind:     {"halves behind", numbers, "", false, false, true},
	WholeFigures:     {"whole figures", named, "", false, false, false},
	Scales:           {"scales", numbers, "", false, true, true},
	OwnScales:        {"own scales", numbers, "", false, false, false},
	Units:            {"units", named, "", false, true, true},
	OwnUnits:         {"own units", named, "", false, false, true},
	Genitives:        {"genitives", words, "", false, false, true},
	Months:           {"months", numbers, "", false, true, true},
	DoubtfulMonths:   {"doubtful months", words, "", false, false, false},
	YearWords:        {"year words", keyed, "before,after", false, false, false},
	OrdinalCounters:  {"ordinal counters", words, "", false, false, true},
	Clock:            {"clock", keyed, "before,before hours,after,around,minutes,sign", false, true, false},
	Qualifiers:       {"qualifiers", keyed, qualifierKeys, false, false, true},
	Ranges:           {"ranges", keyed, "between,pair,before pair", false, false, true},
	Rates:            {"rates", keyed, rateKeys, false, false, true},
	TimeSpans:        {"time spans", keyed, timeSpanKeys, false, false, true},
	Shares:           {"shares", keyed, "half,third,quarter,fifth,tenth,of,in", false, false, true},
	BeforeNumbers:    {"before numbers", keyed, "names,counts", false, false, true},
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
