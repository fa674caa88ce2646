package sqlite

import (
	"math"
	"math/bits"

	"github.com/citewell/citewell/store"
)

// An estimator judges codes by one query.
type estimator struct {
	metric store.Metric
	length float64
	words  []uint64
	// sums[b][m] is the sum of the query's values on the axes of byte b that mask m names; total is the sum of all.
	sums  [][256]float32
	total float32
	scale float64 // 1 over the square root of the number of axes
}

func newEstimator(metric store.Metric, query []float32) *estimator {
	direction, length := rotate(query)
	e := &estimator{metric: metric, length: length, words: signBits(direction),
		sums: make([][256]float32, len(direction)/8), scale: 1 / math.Sqrt(float64(len(direction)))}
	for b := range e.sums {
		for k, x := range direction[8*b : 8*b+8] {
			e.total += x
			for mask := range 1 << k {
				e.sums[b][mask|1<<k] = e.sums[b][mask] + x
			}
		}
	}
	return e
}

// axes is how many bits a code has.
func (e *estimator) axes() int { return 64 * len(e.words) }

// differences writes to dst in how many bits each code of codes differs.
func (e *estimator) differences(dst []uint16, codes []uint64) {
	n := len(e.words)
	if n == 8 { // 257 to 512 dimensions
		q := [8]uint64(e.words)
		for i := range dst {
			c := (*[8]uint64)(codes[8*i:])
			dst[i] = uint16(bits.OnesCount64(c[0]^q[0]) + bits.OnesCount64(c[1]^q[1]) + bits.OnesCount64(c[2]^q[2]) +
				bits.OnesCount64(c[3]^q[3]) + bits.OnesCount64(c[4]^q[4]) + bits.OnesCount64(c[5]^q[5]) +
				bits.OnesCount64(c[6]^q[6]) + bits.OnesCount64(c[7]^q[7]))
		}
		return
	}
	for i := range dst {
		sum := 0
		for j, word := range codes[n*i : n*i+n] {
			sum += bits.OnesCount64(word ^ e.words[j])
		}
		dst[i] = uint16(sum)
	}
}

// estimate returns the nearness that a code stands for and RaBitQ's bound of its error at two standard deviations,
// beyond which about one in twenty is.
func (e *estimator) estimate(words []uint64, length, agreement float32) (nearness, margin float64) {
	sum := float32(0)
	for j, word := range words {
		s := (*[8][256]float32)(e.sums[8*j:])
		sum += s[0][byte(word)] + s[1][byte(word>>8)] + s[2][byte(word>>16)] + s[3][byte(word>>24)] +
			s[4][byte(word>>32)] + s[5][byte(word>>40)] + s[6][byte(word>>48)] + s[7][byte(word>>56)]
	}
	a := float64(agreement)
	cosine := max(-1, min(1, float64(2*sum-e.total)*e.scale/a))
	margin = 2 * math.Sqrt((1-min(1, a*a))*(1-cosine*cosine)) / a * e.scale
	l := float64(length)
	switch e.metric {
	case store.MetricDot:
		return cosine * l * e.length, margin * l * e.length
	case store.MetricL2:
		return 2*cosine*l*e.length - l*l - e.length*e.length, 2 * margin * l * e.length
	}
	return cosine, margin
}

// A coarse judge turns the number of bits in which a code differs into a grade, 0 the nearest and maxGrade the
// farthest; for the cosine the number is the grade.
type coarse struct {
	metric     store.Metric
	cosines    []float64 // of the angle that a number of differing bits stands for
	length     float64
	best, step float64
}

const (
	maxGrade = store.MaxDimension
	noGrade  = maxGrade + 1 // of what is not to be chosen
)

func (e *estimator) coarse(longest float32) coarse {
	c := coarse{metric: e.metric, length: e.length}
	if e.metric == store.MetricCosine {
		return c
	}
	c.cosines = make([]float64, e.axes()+1)
	for i := range c.cosines {
		c.cosines[i] = math.Cos(math.Pi * float64(i) / float64(e.axes()))
	}
	far := float64(longest) * e.length
	c.best, c.step = far, 2*far/maxGrade
	if e.metric == store.MetricL2 {
		c.best, c.step = 0, (float64(longest)+e.length)*(float64(longest)+e.length)/maxGrade
	}
	return c
}

func (c coarse) grade(differences uint16, length float32) uint16 {
	l := float64(length)
	near := c.cosines[differences] * l * c.length
	if c.metric == store.MetricL2 {
		near = 2*near - l*l - c.length*c.length
	}
	if c.step == 0 {
		return 0
	}
	return uint16(max(0, min(maxGrade, (c.best-near)/c.step)))
}
