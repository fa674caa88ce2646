package sqlite

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/citewell/citewell/store"
)

// A code estimates the nearness of an embedding, to choose those that are compared exactly: one bit for each axis of a
// rotated space, the length of the embedding, and how far its direction agrees with its bits. On disk it is the bits in
// words of 64, little-endian, then length and agreement as float32. It is part of the schema: a change needs a
// migration that makes all codes anew.
//
// Source: Gao and Long, RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound (2024). The rotation
// is two rounds of random signs and the Walsh-Hadamard transform (Ailon and Chazelle, 2006), for which the dimension is
// filled up with zeros to a power of two.
type code struct {
	words             []uint64
	length, agreement float32
}

// minCodeWords is what even few dimensions get: 256 directions tell vectors apart that their few axes would not.
const minCodeWords = 4

// codeWords is how many words the bits of a dimension take.
func codeWords(dimension int) int {
	return max(minCodeWords, (1<<bits.Len(uint(dimension-1)))/64)
}

// rotationSeed never changes: every code ever kept depends on it.
const rotationSeed = 0x43775374

var rotationSigns = sync.OnceValue(func() [2][]float32 {
	random := rand.New(rand.NewPCG(rotationSeed, rotationSeed))
	var signs [2][]float32
	for i := range signs {
		signs[i] = make([]float32, store.MaxDimension)
		for j := range signs[i] {
			signs[i][j] = float32(int(random.Uint64()&1)*2 - 1)
		}
	}
	return signs
})

// rotate returns the direction of values in the rotated space, with length 1, and the length that values have.
func rotate(values []float32) (direction []float32, length float64) {
	for _, x := range values {
		length += float64(x) * float64(x)
	}
	length = math.Sqrt(length)
	v := make([]float32, 64*codeWords(len(values)))
	if length == 0 {
		return v, 0
	}
	for i, x := range values {
		v[i] = float32(float64(x) / length)
	}
	for _, signs := range rotationSigns() {
		for i := range v {
			v[i] *= signs[i]
		}
		walshHadamard(v)
	}
	scale := 1 / float32(len(v)) // each transform makes lengths √len(v) times larger
	for i := range v {
		v[i] *= scale
	}
	return v, length
}

func walshHadamard(v []float32) {
	for half := 1; half < len(v); half *= 2 {
		for at := 0; at < len(v); at += 2 * half {
			low, high := v[at:at+half], v[at+half:at+2*half]
			for i, x := range low {
				y := high[i]
				low[i], high[i] = x+y, x-y
			}
		}
	}
}

func encode(values []float32) code {
	direction, length := rotate(values)
	c := code{words: signBits(direction), length: float32(min(length, math.MaxFloat32)), agreement: 1}
	if length > 0 {
		sum := 0.0
		for _, x := range direction {
			sum += math.Abs(float64(x))
		}
		c.agreement = float32(sum / math.Sqrt(float64(len(direction))))
	}
	return c
}

func signBits(direction []float32) []uint64 {
	words := make([]uint64, len(direction)/64)
	for i, x := range direction {
		if x > 0 {
			words[i/64] |= 1 << (i % 64)
		}
	}
	return words
}

func (c code) marshal() []byte {
	data := make([]byte, 0, 8*len(c.words)+8)
	for _, word := range c.words {
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(c.length))
	return binary.LittleEndian.AppendUint32(data, math.Float32bits(c.agreement))
}
