package wordvec

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxBytes is the longest word that has a vector.
const MaxBytes = 64

// A Vector stands for the meaning of a word. The zero Vector is near to nothing.
type Vector struct {
	numbers [Dimensions]int8
	length  float32 // of numbers
	weight  float32
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
	var a, b, c, d int32
	for i := 0; i < Dimensions; i += 4 {
		a += int32(v.numbers[i]) * int32(o.numbers[i])
		b += int32(v.numbers[i+1]) * int32(o.numbers[i+1])
		c += int32(v.numbers[i+2]) * int32(o.numbers[i+2])
		d += int32(v.numbers[i+3]) * int32(o.numbers[i+3])
	}
	return float64(a+b+c+d) / (float64(v.length) * float64(o.length))
}

// Weight returns what a word counts for in a mean of vectors: the length of the sum of its rows, which is small for
// frequent words.
func (v Vector) Weight() float64 { return float64(v.weight) }

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

// sum returns the sum of rows. A single row keeps its numbers; a sum is rounded to 8 bits a number.
func (t *table) sum(pieces []uint16) Vector {
	if len(pieces) == 1 {
		v := Vector{numbers: t.row(pieces[0])}
		v.length = float32(length(&v.numbers))
		v.weight = v.length * t.scales[pieces[0]]
		return v
	}
	var sum [Dimensions]float32
	for _, piece := range pieces {
		var numbers [16]float32 // of four bits, rounded before they are added, so that every processor has the same sum
		for bits := range numbers {
			numbers[bits] = float32(2*bits-15) * t.scales[piece]
		}
		packed := t.rows[int(piece)*rowBytes:][:rowBytes]
		for i := range rowBytes {
			sum[2*i] += numbers[packed[i]&15]
			sum[2*i+1] += numbers[packed[i]>>4]
		}
	}
	var largest float32
	for _, number := range sum {
		largest = max(largest, number, -number)
	}
	if largest == 0 {
		return Vector{}
	}
	var v Vector
	step := largest / math.MaxInt8
	for i, number := range sum {
		v.numbers[i] = int8(math.Floor(float64(number/step) + 0.5))
	}
	v.length = float32(length(&v.numbers))
	v.weight = v.length * step
	return v
}

// length returns the Euclidean length of numbers.
func length(numbers *[Dimensions]int8) float64 {
	var squares int32
	for _, number := range numbers {
		squares += int32(number) * int32(number)
	}
	return math.Sqrt(float64(squares))
}
