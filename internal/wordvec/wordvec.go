package wordvec

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxBytes is the longest word that has a vector.
const MaxBytes = 64

// A Vector stands for the meaning of a word. The zero Vector is near to nothing.
type Vector struct {
	numbers numbers
	length  float32 // of the numbers before they are scaled
}

// Of returns the vector of a word. Case and accents make no difference, and the parts of an identifier such as work_mem
// count together. It returns false for a word that has no letters, that has a digit, whose letters the table does not
// know, or that is longer than MaxBytes.
func Of(word string) (Vector, bool) {
	if len(word) > MaxBytes {
		return Vector{}, false
	}
	var room [MaxBytes]uint16
	t := loaded()
	pieces := t.pieces(room[:0], word)
	if len(pieces) == 0 {
		return Vector{}, false
	}
	return t.sum(pieces), true
}

// Cosine returns how near two meanings are: 1 for the same, about 0 for unrelated ones.
func (v Vector) Cosine(o Vector) float64 {
	if v.length == 0 || o.length == 0 {
		return 0
	}
	return float64(v.numbers.product(&o.numbers)) / (float64(v.length) * float64(o.length))
}

// fold returns a word as the table has it: in lower case, without accents. It returns false for a word with a digit and
// for one that is not UTF-8.
func fold(word string) (string, bool) {
	ascii := true
	for i := 0; i < len(word) && ascii; i++ {
		if '0' <= word[i] && word[i] <= '9' {
			return "", false
		}
		ascii = word[i] < utf8.RuneSelf
	}
	if ascii {
		return strings.ToLower(word), true
	}
	if !utf8.ValidString(word) || strings.ContainsFunc(word, unicode.IsNumber) {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word)), true
}

// pieces appends the numbers of a word's pieces to numbers.
func (t *table) pieces(numbers []uint16, word string) []uint16 {
	folded, ok := fold(word)
	if !ok {
		return numbers
	}
	for run := range strings.FieldsFuncSeq(folded, func(r rune) bool { return !unicode.IsLetter(r) }) {
		numbers = t.cut(numbers, run)
	}
	return numbers
}

// sum returns the sum of rows, rounded to four bits a number as they are. A single row stays as it is.
func (t *table) sum(pieces []uint16) Vector {
	if len(pieces) == 1 {
		row := t.row(pieces[0])
		return Vector{numbers: row, length: row.length()}
	}
	var sum [Dimensions]float32
	for _, piece := range pieces {
		t.row(piece).addTo(&sum, t.scales[piece])
	}
	rounded := round(&sum)
	return Vector{numbers: rounded, length: rounded.length()}
}
