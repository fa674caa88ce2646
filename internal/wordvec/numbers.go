package wordvec

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// levelStep is the distance of 16 levels that loses least of normally distributed numbers, in standard deviations.
const levelStep = 0.335

// numbers are the 256 numbers of a row, 16 to a word. The lowest four bits q of a word are its first number, 2q−15.
type numbers [Dimensions / 16]uint64

// unpackNumbers returns the numbers of a row of the table.
func unpackNumbers(row string) (n numbers) {
	for i := range n {
		n[i] = binary.LittleEndian.Uint64([]byte(row[8*i : 8*i+8]))
	}
	return n
}

// product returns the sum of the products of the numbers.
//
// Four numbers are multiplied at once: with a, b, c, d in the 16-bit lanes of one word and h, g, f, e in those of
// another, the highest lane of the product of the words is ae+bf+cg+dh. No lane overflows: 256 × 15 × 15 < 1<<16.
func (n *numbers) product(o *numbers) int {
	const lanes = 0x000F_000F_000F_000F
	var products, sums uint64
	for i, x := range n {
		y := bits.ReverseBytes64(o[i]) // the lanes in reverse order, and the two bytes of each exchanged
		x0, x1, x2, x3 := x&lanes, x>>4&lanes, x>>8&lanes, x>>12&lanes
		y0, y1, y2, y3 := y>>8&lanes, y>>12&lanes, y&lanes, y>>4&lanes
		products += x0*y0 + x1*y1 + x2*y2 + x3*y3
		sums += x0 + x1 + x2 + x3 + y0 + y1 + y2 + y3
	}
	const each = 1<<48 | 1<<32 | 1<<16 | 1
	return 4*int(products>>48) - 30*int(sums*each>>48) + Dimensions*15*15 // Σ(2q−15)(2r−15)
}

// addTo adds the numbers times scale to a sum.
func (n numbers) addTo(sum *[Dimensions]float32, scale float32) {
	var scaled [16]float32 // rounded before they are added, so that all processors have the same sums
	for q := range scaled {
		scaled[q] = float32(2*q-15) * scale
	}
	for i, word := range n {
		for j := range 16 {
			sum[16*i+j] += scaled[word>>(4*j)&15]
		}
	}
}

// round returns the numbers that are nearest to a sum, up to a scale.
func round(sum *[Dimensions]float32) (n numbers) {
	var squares float64
	for _, number := range sum {
		squares += float64(float64(number) * float64(number))
	}
	step := float32(levelStep * math.Sqrt(squares/Dimensions))
	for i, number := range sum {
		q := 8
		if step > 0 {
			q = int(number/step+128) - 120 // rounded down: a conversion rounds towards zero
		}
		n[i/16] |= uint64(min(max(q, 0), 15)) << (4 * (i % 16))
	}
	return n
}

// length returns the square root of the product of the numbers with themselves.
func (n *numbers) length() float32 { return float32(math.Sqrt(float64(n.product(n)))) }
