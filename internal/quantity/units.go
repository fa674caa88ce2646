package quantity

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text/lang"
)

// A unit says what dimension a written unit measures and how many base units one
// of it is. Offset is for temperatures: base = value*factor + offset. Spread is the
// share by which people differ about the factor: a kilobyte is 1000 bytes to some
// and 1024 to others.
type unit struct {
	dimension string
	factor    float64
	offset    float64
	spread    float64
}

// Dimensions that code outside the table names.
const (
	DimensionCount   = "count"
	DimensionPercent = "percent"
	DimensionPoints  = "percentage points"
	DimensionTimes   = "times"
	dimensionLength  = "length"
	dimensionTime    = "duration"
)

const (
	secondsPerDay  = 86400
	secondsPerYear = 365.25 * secondsPerDay
)

// A unitTable holds the units by how they are written.
type unitTable struct {
	names   map[string]unit // by the names that the files of languages have for them
	symbols map[string]unit // letter case matters: mW is not MW
	// words are units in words, lower case, in every language at once: none of them
	// means two things after a number.
	words map[string]unit
	// only are words that are units in one language and something else in another.
	only map[string]map[string]unit
	base map[string]string // the unit of the values of a dimension
}

//go:embed units.txt
var unitRows string

// units are built when the first figure is read: most runs of the program read none.
var units = sync.OnceValue(func() unitTable {
	t := unitTable{
		names:   map[string]unit{},
		symbols: map[string]unit{},
		words:   map[string]unit{},
		only:    map[string]map[string]unit{},
		base:    map[string]string{DimensionCount: ""},
	}
	dimension := ""
	for line := range strings.Lines(unitRows) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			var base string
			dimension, base, _ = strings.Cut(line[1:], "]")
			t.base[dimension] = cmp.Or(strings.TrimSpace(base), strings.TrimPrefix(dimension, "money:"))
		default:
			name, row, _ := strings.Cut(line, ": ")
			t.names[name] = t.add(dimension, strings.Fields(row))
		}
	}
	for _, l := range lang.All() {
		t.addWords(t.words, l.Rows(lang.Units))
		if rows := l.Rows(lang.OwnUnits); rows != nil {
			t.only[l.Code] = map[string]unit{}
			t.addWords(t.only[l.Code], rows)
		}
	}
	return t
})

// prefixes are what the letter before a symbol multiplies by.
var prefixes = map[rune]float64{'n': 1e-9, 'µ': 1e-6, 'μ': 1e-6, 'u': 1e-6, 'm': 1e-3,
	'k': 1e3, 'M': 1e6, 'G': 1e9, 'T': 1e12}

// add reads the row of a unit and adds its symbols.
func (t *unitTable) add(dimension string, row []string) unit {
	u := unit{dimension: dimension, factor: number(row[0])}
	for _, field := range row[1:] {
		symbol, letters, _ := strings.Cut(field, ":")
		switch field[0] {
		case '+':
			u.offset = number(field[1:])
		case '~':
			u.spread = number(field[1:])
		default:
			t.symbols[symbol] = u
		}
		for _, letter := range letters {
			t.symbols[string(letter)+symbol] = unit{dimension: dimension, factor: u.factor * prefixes[letter]}
		}
	}
	return u
}

// number reads a number of the table, which is part of the program.
func number(s string) float64 {
	value, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("quantity/units.txt: " + err.Error())
	}
	return value
}

func (t *unitTable) addWords(to map[string]unit, rows []lang.Row) {
	for _, row := range rows {
		for _, word := range row.Words() {
			to[strings.ReplaceAll(word, "_", " ")] = t.names[row.Key]
		}
	}
}
