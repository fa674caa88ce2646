package wordvec

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
)

// Dimensions is how many numbers a vector has.
const Dimensions = 256

// rowBytes is the size of a row: four bits for each number.
const rowBytes = Dimensions / 2

// mostPieces bounds a table, so that the number of a piece has 16 bits.
const mostPieces = 1 << 16

//go:embed english.bin
var english string

// loaded is the table of the binary. A test reads it, so a damaged one is never built.
var loaded = sync.OnceValue(func() *table {
	t, err := readTable(english)
	if err != nil {
		panic(err)
	}
	return t
})

// A table holds the rows of word pieces. It keeps the text that it was read from.
type table struct {
	begins, continues map[string]uint16 // the number of the piece with which a word begins, or continues
	longest           int               // bytes of the longest piece
	scales            []float32
	rows              string
}

var errDamaged = errors.New("wordvec: the table is damaged")

// readTable reads what scripts/word-vectors.py wrote.
func readTable(s string) (*table, error) {
	head, rest, _ := strings.Cut(s, "\n")
	var count int
	if _, err := fmt.Sscanf(head, "wordvec 1 %d", &count); err != nil || count < 1 || count > mostPieces {
		return nil, fmt.Errorf("%w: it begins with %.40q", errDamaged, head)
	}
	t := &table{begins: make(map[string]uint16, count), continues: make(map[string]uint16, count/4)}
	for i := range count {
		piece, after, found := strings.Cut(rest, "\n")
		if !found || !t.add(piece, uint16(i)) {
			return nil, fmt.Errorf("%w: piece %d is %.40q", errDamaged, i, piece)
		}
		rest = after
	}
	if len(rest) != count*(4+rowBytes) {
		return nil, fmt.Errorf("%w: %d bytes of numbers for %d pieces", errDamaged, len(rest), count)
	}
	t.scales = make([]float32, count)
	for i := range t.scales {
		scale := math.Float32frombits(binary.LittleEndian.Uint32([]byte(rest[4*i : 4*i+4])))
		if !(scale > 0 && scale < 1) {
			return nil, fmt.Errorf("%w: scale %d is %v", errDamaged, i, scale)
		}
		t.scales[i] = scale
	}
	t.rows = rest[4*count:]
	return t, nil
}

// add gives a piece its number. It reports false for an empty piece and for one that is there already.
func (t *table) add(piece string, number uint16) bool {
	pieces := t.begins
	piece, continues := strings.CutPrefix(piece, "##")
	if continues {
		pieces = t.continues
	}
	if _, twice := pieces[piece]; twice || piece == "" {
		return false
	}
	pieces[piece] = number
	t.longest = max(t.longest, len(piece))
	return true
}

// cut appends the pieces of a run of letters to numbers: the longest piece that fits, then the longest that fits behind
// it. A run that cannot be cut to its end has no pieces.
func (t *table) cut(numbers []uint16, run string) []uint16 {
	before := len(numbers)
	for pieces := t.begins; run != ""; pieces = t.continues {
		size, number, found := min(len(run), t.longest), uint16(0), false
		for ; size > 0; size-- {
			if number, found = pieces[run[:size]]; found {
				break
			}
		}
		if !found {
			return numbers[:before]
		}
		numbers = append(numbers, number)
		run = run[size:]
	}
	return numbers
}

// row returns the numbers of a piece, before they are scaled.
func (t *table) row(piece uint16) numbers {
	return unpackNumbers(t.rows[int(piece)*rowBytes:][:rowBytes])
}
