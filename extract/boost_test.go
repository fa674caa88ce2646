package extract

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// growth says how a forest is grown.
type growth struct {
	trees, leaves, bins int
	rate, l2, least     float64
	columns, pages      float64 // shares used by each tree
	seed                uint64
}

// Grounds are what a forest is grown from: rows of all pages with the binned columns.
type grounds struct {
	limits  [][]float32 // of each column
	columns [][]uint8
	labels  []float64
	weights []float64
	page    []int
	pages   int
}

func newGrounds(rows [][]float32, labels, weights []float64, page []int, bins int) *grounds {
	t := &grounds{labels: labels, weights: weights, page: page}
	for _, p := range page {
		t.pages = max(t.pages, p+1)
	}
	width := len(rows[0])
	t.limits, t.columns = make([][]float32, width), make([][]uint8, width)
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() {
			for c := half; c < width; c += 2 {
				var sample []float32
				for i := 0; i < len(rows); i += 1 + len(rows)/20000 {
					sample = append(sample, rows[i][c])
				}
				slices.Sort(sample)
				var limits []float32
				for b := 1; b < bins; b++ {
					v := sample[b*len(sample)/bins]
					if (len(limits) == 0 || v > limits[len(limits)-1]) && v < sample[len(sample)-1] {
						limits = append(limits, v)
					}
				}
				if len(limits) == 0 || sample[0] < limits[0] {
					limits = append([]float32{sample[0]}, limits...)
				}
				column := make([]uint8, len(rows))
				for i := range rows {
					at, _ := slices.BinarySearch(limits, rows[i][c])
					column[i] = uint8(at)
				}
				t.limits[c], t.columns[c] = limits, column
			}
		})
	}
	group.Wait()
	return t
}

type leaf struct {
	rows        []int32
	node        int
	g, h        float64
	gain        float64
	column, bin int
}

func (t *grounds) grow(o growth) *forest {
	random := rand.New(rand.NewPCG(o.seed, 7))
	var mean, total float64
	for i, y := range t.labels {
		mean, total = mean+y*t.weights[i], total+t.weights[i]
	}
	mean /= total
	f := &forest{width: len(t.columns), start: float32(math.Log(mean / (1 - mean)))}
	scores := make([]float64, len(t.labels))
	for i := range scores {
		scores[i] = float64(f.start)
	}
	scale := float64(len(t.labels)) / total
	g, h := make([]float64, len(t.labels)), make([]float64, len(t.labels))
	for range o.trees {
		inPage := make([]bool, t.pages)
		for p := range inPage {
			inPage[p] = random.Float64() < o.pages
		}
		var rows []int32
		for i := range t.labels {
			if !inPage[t.page[i]] {
				continue
			}
			p := 1 / (1 + math.Exp(-scores[i]))
			w := t.weights[i] * scale
			g[i], h[i] = w*(p-t.labels[i]), w*max(p*(1-p), 1e-4)
			rows = append(rows, int32(i))
		}
		var columns []int
		for c := range t.columns {
			if len(t.limits[c]) > 0 && random.Float64() < o.columns {
				columns = append(columns, c)
			}
		}
		f.roots = append(f.roots, int32(len(f.nodes)))
		t.tree(f, o, rows, columns, g, h)
		tree := f.nodes[f.roots[len(f.roots)-1]:]
		var group sync.WaitGroup
		for half := range 2 {
			group.Go(func() {
				for i := half * len(scores) / 2; i < (half+1)*len(scores)/2; i++ {
					n := tree[0]
					for n.left != 0 {
						next := n.left
						if int(t.columns[n.signal][i]) > t.binOf(n) {
							next++
						}
						n = tree[next]
					}
					scores[i] += float64(n.limit)
				}
			})
		}
		group.Wait()
	}
	return f
}

func (t *grounds) binOf(n node) int {
	at, _ := slices.BinarySearch(t.limits[n.signal], n.limit)
	return at
}

func (t *grounds) tree(f *forest, o growth, rows []int32, columns []int, g, h []float64) {
	root := len(f.nodes)
	sprout := func(rows []int32) *leaf {
		l := &leaf{rows: rows, column: -1}
		for _, i := range rows {
			l.g, l.h = l.g+g[i], l.h+h[i]
		}
		f.nodes = append(f.nodes, node{limit: float32(-o.rate * l.g / (l.h + o.l2))})
		l.node = len(f.nodes) - 1
		t.best(l, o, columns, g, h)
		return l
	}
	open := []*leaf{sprout(rows)}
	for len(open) < o.leaves {
		at := -1
		for i, l := range open {
			if l.column >= 0 && (at < 0 || l.gain > open[at].gain) {
				at = i
			}
		}
		if at < 0 {
			return
		}
		l := open[at]
		var left, right []int32
		column := t.columns[l.column]
		for _, i := range l.rows {
			if int(column[i]) <= l.bin {
				left = append(left, i)
			} else {
				right = append(right, i)
			}
		}
		a := sprout(left)
		b := sprout(right)
		f.nodes[l.node] = node{signal: uint16(l.column), limit: t.limits[l.column][l.bin], left: uint16(a.node - root)}
		open[at] = a
		open = append(open, b)
	}
}

// best finds where a leaf is best split.
func (t *grounds) best(l *leaf, o growth, columns []int, g, h []float64) {
	if l.h < 2*o.least || len(l.rows) < 40 {
		return
	}
	type found struct {
		gain        float64
		column, bin int
	}
	var results [2]found
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() {
			best := found{gain: 1e-6, column: -1}
			for k := half; k < len(columns); k += 2 {
				c := columns[k]
				var sg, sh [256]float64
				column := t.columns[c]
				for _, i := range l.rows {
					b := column[i]
					sg[b] += g[i]
					sh[b] += h[i]
				}
				var lg, lh float64
				for b := range t.limits[c] {
					lg, lh = lg+sg[b], lh+sh[b]
					if lh < o.least || l.h-lh < o.least {
						continue
					}
					rg, rh := l.g-lg, l.h-lh
					gain := lg*lg/(lh+o.l2) + rg*rg/(rh+o.l2) - l.g*l.g/(l.h+o.l2)
					if gain > best.gain {
						best = found{gain, c, b}
					}
				}
			}
			results[half] = best
		})
	}
	group.Wait()
	best := results[0]
	if results[1].gain > best.gain {
		best = results[1]
	}
	l.gain, l.column, l.bin = best.gain, best.column, best.bin
}
