package content

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/citewell/citewell/extract/internal/block"
)

// Several forests are grown, of different shapes and by other chance, and their mean is
// taken: one alone is as good on some pages and worse on others.
var (
	quickGrowth    = growth{trees: 200, leaves: 20, rate: 0.1, l2: 10, least: 30, columns: 0.25, pages: 0.7, seed: 1}
	thoroughGrowth = growth{trees: 280, leaves: 16, rate: 0.07, l2: 10, least: 50, columns: 0.12, pages: 0.7, seed: 11}
	secondGrowths  = []growth{
		{trees: 80, leaves: 12, rate: 0.1, l2: 10, least: 40, columns: 0.25, pages: 0.7, seed: 2},
		{trees: 80, leaves: 12, rate: 0.1, l2: 10, least: 40, columns: 0.25, pages: 0.7, seed: 12},
	}
)

// A Lesson is what forests are grown from: the blocks of one page, and of each how much of
// it a person kept.
type Lesson struct {
	Labels, Weights []float32 // of each block
	Kept            bool      // the person kept some of the page; without, it is left out
	rows            [][]float32
	in              []surroundings
}

// NewLesson takes the signals of a page's blocks.
func NewLesson(o Outlook, blocks []block.Block) *Lesson {
	rows, in := signalsOf(o, blocks)
	return &Lesson{rows: rows, in: in}
}

// Append writes what ReadJudge reads.
func (j *Judge) Append(out []byte) []byte {
	return j.second.append(j.thorough.append(j.quick.append(out)))
}

// GrowJudge grows the forests from pages. What the second learns from are values of the
// first for pages that they have not seen.
func GrowJudge(pages []*Lesson) *Judge {
	const folds = 3
	first := func(pages []*Lesson) *Judge {
		own := groundsOf(pages, func(s *Lesson) [][]float32 { return s.rows })
		return &Judge{quick: own.grow(quickGrowth), thorough: own.grow(thoroughGrowth)}
	}
	seen := map[*Lesson][][]float32{}
	for fold := range folds {
		var others []*Lesson
		for i, s := range pages {
			if i%folds != fold {
				others = append(others, s)
			}
		}
		j := first(others)
		for i, s := range pages {
			if i%folds == fold {
				every := make([]int, len(s.rows))
				for k := range every {
					every[k] = k
				}
				values := j.quick.values(s.rows)
				for k, v := range j.thorough.values(s.rows) { // of all: what firstValues spares is sure
					values[k] = (values[k] + v) / 2
				}
				seen[s] = secondSignals(s.rows, values, s.in, every)
			}
		}
	}
	j := first(pages)
	j.second = groundsOf(pages, func(s *Lesson) [][]float32 { return seen[s] }).growMean(secondGrowths)
	return j
}

// groundsOf gathers the blocks of pages. Of a page with very many, those that are
// clearly no content are thinned out, and the rest of them counts for more.
func groundsOf(pages []*Lesson, rows func(*Lesson) [][]float32) *grounds {
	const most = 400
	var all [][]float32
	var labels, weights []float64
	var page []int
	for p, s := range pages {
		if !s.Kept {
			continue
		}
		few := rand.New(rand.NewPCG(1, uint64(p)))
		for i, row := range rows(s) {
			weight := float64(s.Weights[i])
			if n := len(s.rows); n > most && s.Labels[i] < 0.1 {
				if few.Float64() > most/float64(n) {
					continue
				}
				weight *= float64(n) / most
			}
			all, labels, weights, page = append(all, row), append(labels, float64(s.Labels[i])),
				append(weights, weight), append(page, p)
		}
	}
	return newGrounds(all, labels, weights, page)
}

// append writes the forest as little-endian numbers: width, trees, start, and of
// each tree its size and its nodes.
func (f *forest) append(out []byte) []byte {
	le := binary.LittleEndian
	out = le.AppendUint32(out, uint32(f.width))
	out = le.AppendUint32(out, uint32(len(f.roots)))
	out = le.AppendUint32(out, math.Float32bits(f.start))
	for k := range f.roots {
		tree := f.tree(k)
		out = le.AppendUint32(out, uint32(len(tree)))
		for _, n := range tree {
			out = le.AppendUint16(out, n.signal)
			out = le.AppendUint16(out, n.left)
			out = le.AppendUint32(out, math.Float32bits(n.limit))
		}
	}
	return out
}
