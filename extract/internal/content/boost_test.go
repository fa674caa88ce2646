package content

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// growth says how a forest is grown.
type growth struct {
	trees, leaves   int
	rate, l2, least float64
	columns, pages  float64 // shares used by each tree
	seed            uint64
}

// bins is how many steps of a signal a tree can tell apart.
const bins = 48

// Grounds are what a forest is grown from: rows of all pages with the binned columns.
type grounds struct {
	limits  [][]float32 // of each column
	columns [][]uint8
	labels  []float64
	weights []float64
	page    []int
	pages   int
}

func newGrounds(rows [][]float32, labels, weights []float64, page []int) *grounds {
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

// A leaf is a node that may be split: the rows that fall to it, and what their
// gradients sum up to, in all and by column and bin.
type leaf struct {
	rows        []int32
	node        int
	sum         slope
	sums        [][]slope // by the place of a column in the tree's choice, and by bin
	gain        float64
	column, bin int
}

// A slope is the first and the second derivative of the loss.
type slope struct{ g, h float64 }

func (s slope) plus(o slope) slope  { return slope{s.g + o.g, s.h + o.h} }
func (s slope) minus(o slope) slope { return slope{s.g - o.g, s.h - o.h} }

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
	slopes := make([]slope, len(t.labels))
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
			slopes[i] = slope{w * (p - t.labels[i]), w * max(p*(1-p), 1e-4)}
			rows = append(rows, int32(i))
		}
		var columns []int
		for c := range t.columns {
			if len(t.limits[c]) > 0 && random.Float64() < o.columns {
				columns = append(columns, c)
			}
		}
		f.roots = append(f.roots, int32(len(f.nodes)))
		t.tree(f, o, rows, columns, slopes)
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

// growMean grows a forest by each of the ways. The mean of forests is a forest: all
// their trees, with leaves that count for less.
func (t *grounds) growMean(ways []growth) *forest {
	mean := &forest{width: len(t.columns)}
	share := 1 / float32(len(ways))
	for _, o := range ways {
		f := t.grow(o)
		mean.start += f.start * share
		for _, root := range f.roots {
			mean.roots = append(mean.roots, root+int32(len(mean.nodes)))
		}
		for _, n := range f.nodes {
			if n.left == 0 {
				n.limit *= share
			}
			mean.nodes = append(mean.nodes, n)
		}
	}
	return mean
}

func (t *grounds) binOf(n node) int {
	at, _ := slices.BinarySearch(t.limits[n.signal], n.limit)
	return at
}

func (t *grounds) tree(f *forest, o growth, rows []int32, columns []int, slopes []slope) {
	root := len(f.nodes)
	sprout := func(l *leaf) *leaf {
		f.nodes = append(f.nodes, node{limit: float32(-o.rate * l.sum.g / (l.sum.h + o.l2))})
		l.node, l.column = len(f.nodes)-1, -1
		t.best(l, o, columns)
		return l
	}
	open := []*leaf{sprout(t.gather(rows, columns, slopes))}
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
		var a, b *leaf
		if len(left) < len(right) {
			a = t.gather(left, columns, slopes)
			b = l.without(a, right)
		} else {
			b = t.gather(right, columns, slopes)
			a = l.without(b, left)
		}
		sprout(a)
		sprout(b)
		f.nodes[l.node] = node{signal: uint16(l.column), limit: t.limits[l.column][l.bin], left: uint16(a.node - root)}
		open[at] = a
		open = append(open, b)
	}
}

// gather sums up the slopes of rows.
func (t *grounds) gather(rows []int32, columns []int, slopes []slope) *leaf {
	l := &leaf{rows: rows, sums: make([][]slope, len(columns))}
	own := make([]slope, len(rows)) // beside each other, as they are read once for each column
	for k, i := range rows {
		own[k] = slopes[i]
		l.sum = l.sum.plus(own[k])
	}
	BothHalves(func(half int) {
		for k := half; k < len(columns); k += 2 {
			var sums [bins + 1]slope
			column := t.columns[columns[k]]
			for n, i := range rows {
				s := &sums[column[i]]
				s.g += own[n].g
				s.h += own[n].h
			}
			l.sums[k] = slices.Clone(sums[:len(t.limits[columns[k]])+1])
		}
	})
	return l
}

// without is the other part of a split leaf.
func (l *leaf) without(part *leaf, rows []int32) *leaf {
	for k, sums := range l.sums {
		for b := range sums {
			sums[b] = sums[b].minus(part.sums[k][b])
		}
	}
	return &leaf{rows: rows, sum: l.sum.minus(part.sum), sums: l.sums}
}

// best finds where a leaf is best split.
func (t *grounds) best(l *leaf, o growth, columns []int) {
	if l.sum.h < 2*o.least || len(l.rows) < 40 {
		return
	}
	whole := l.sum.g * l.sum.g / (l.sum.h + o.l2)
	l.gain = 1e-6
	for k, c := range columns {
		var left slope
		for b := range t.limits[c] {
			left = left.plus(l.sums[k][b])
			right := l.sum.minus(left)
			if left.h < o.least || right.h < o.least {
				continue
			}
			if gain := left.g*left.g/(left.h+o.l2) + right.g*right.g/(right.h+o.l2) - whole; gain > l.gain {
				l.gain, l.column, l.bin = gain, c, b
			}
		}
	}
}

func BothHalves(work func(half int)) {
	var group sync.WaitGroup
	for half := range 2 {
		group.Go(func() { work(half) })
	}
	group.Wait()
}
