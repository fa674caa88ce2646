package content

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// A forest is a sum of decision trees, grown from pages of which a person said what
// their content is. Its value is the logarithm of the odds that a block is content.
type forest struct {
	width int // how many signals it was grown with
	start float32
	roots []int32 // where each tree begins in nodes
	nodes []node

	laid  sync.Once // ways are made when they are first needed
	ways  []way
	depth []int // of each tree
}

// A node asks whether a signal is at most a limit: then it goes to left, else to the next node. A leaf has left 0 and
// its value as limit. Places count from the root.
type node struct {
	signal, left uint16
	limit        float32
}

// A way is a node for quick walks: a leaf leads to itself, so that every block takes as many steps as the tree is deep.
type way struct {
	limit        float32
	signal, left uint16
}

// layWays is done by the first who asks for values.
func (f *forest) layWays() {
	f.ways, f.depth = make([]way, len(f.nodes)), make([]int, len(f.roots))
	for k := range f.roots {
		tree, ways := f.tree(k), f.ways[f.roots[k]:]
		levels := make([]int, len(tree)) // of each node; a node stands before those below it
		for at, n := range tree {
			if n.left == 0 {
				ways[at] = way{limit: float32(math.Inf(1)), left: uint16(at)}
				f.depth[k] = max(f.depth[k], levels[at])
				continue
			}
			ways[at] = way{limit: n.limit, signal: n.signal, left: n.left}
			levels[n.left], levels[n.left+1] = levels[at]+1, levels[at]+1
		}
	}
}

func (f *forest) tree(k int) []node {
	if k+1 < len(f.roots) {
		return f.nodes[f.roots[k]:f.roots[k+1]]
	}
	return f.nodes[f.roots[k]:]
}

// maxSignals is the most that a row may have: the room that is made for each.
const maxSignals = 320

// values are those of many rows, each with room for maxSignals. Four rows go down a tree at once, in the time of one.
func (f *forest) values(rows [][]float32) []float32 {
	f.laid.Do(f.layWays)
	out := make([]float32, len(rows))
	last := len(rows) - 1
	for i := 0; i <= last; i += 4 {
		ib, ic, id := min(i+1, last), min(i+2, last), min(i+3, last)
		a, b, c, d := (*[maxSignals]float32)(rows[i][:maxSignals]), (*[maxSignals]float32)(rows[ib][:maxSignals]),
			(*[maxSignals]float32)(rows[ic][:maxSignals]), (*[maxSignals]float32)(rows[id][:maxSignals])
		sumA, sumB, sumC, sumD := f.start, f.start, f.start, f.start
		for k, depth := range f.depth {
			tree := f.tree(k)
			ways := f.ways[f.roots[k]:][:len(tree)]
			var atA, atB, atC, atD uint
			for range depth {
				atA, atB, atC, atD = ways[atA].next(a), ways[atB].next(b), ways[atC].next(c), ways[atD].next(d)
			}
			sumA += tree[atA].limit
			sumB += tree[atB].limit
			sumC += tree[atC].limit
			sumD += tree[atD].limit
		}
		out[i], out[ib], out[ic], out[id] = sumA, sumB, sumC, sumD
	}
	return out
}

func (w way) next(row *[maxSignals]float32) uint {
	var right uint
	if row[w.signal] > w.limit {
		right = 1
	}
	return uint(w.left) + right
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

var errForest = errors.New("the forest is cut short or damaged")

// parseForest reads what append wrote and returns the rest. No accepted forest leads outside itself or its rows.
func parseForest(in []byte) (f *forest, rest []byte, err error) {
	le := binary.LittleEndian
	number := func() uint32 {
		if len(in) < 4 {
			err = errForest
			return 0
		}
		n := le.Uint32(in)
		in = in[4:]
		return n
	}
	f = &forest{width: int(number())}
	if f.width > maxSignals {
		return nil, nil, errForest
	}
	trees := number()
	f.start = math.Float32frombits(number())
	for range trees {
		size := int(number())
		if err != nil || size < 1 || size > math.MaxUint16 || len(in) < 8*size {
			return nil, nil, errForest
		}
		f.roots = append(f.roots, int32(len(f.nodes)))
		for at := range size {
			n := node{signal: le.Uint16(in), left: le.Uint16(in[2:]), limit: math.Float32frombits(le.Uint32(in[4:]))}
			if n.left != 0 && (int(n.left) <= at || int(n.left)+1 >= size || int(n.signal) >= f.width) {
				return nil, nil, errForest
			}
			f.nodes = append(f.nodes, n)
			in = in[8:]
		}
	}
	return f, in, err
}

// forest.bin holds three forests. They were grown (go test -run TestGrow -grow) from two
// sets of pages whose content people marked: the development splits of
// Murrough-Foley/web-content-extraction-benchmark (CC BY 4.0, Murrough Foley) and of
// scrapinghub/article-extraction-benchmark (MIT). It holds limits of signals and no
// text of those pages. A change to any signal asks for growing anew.
//
//go:embed forest.bin
var grownForests []byte

// OwnJudge reads the forests that the package carries, when they are first needed.
var OwnJudge = sync.OnceValue(func() *Judge {
	j, err := parseJudge(grownForests)
	if err != nil {
		panic(err) // the package was built with a damaged file
	}
	return j
})

// ReadJudge reads what TestGrow wrote, forest.bin or half's. It fails on what is damaged, or grown for other signals.
func ReadJudge(raw []byte) (*Judge, error) {
	j, err := parseJudge(raw)
	if err != nil {
		return nil, err
	}
	if own := OwnJudge(); j.quick.width != own.quick.width || j.thorough.width != own.thorough.width ||
		j.second.width != own.second.width {
		return nil, errors.New("the forests were grown for other signals than this version has: grow them anew")
	}
	return j, nil
}

func parseJudge(raw []byte) (j *Judge, err error) {
	j = &Judge{}
	for _, f := range [...]**forest{&j.quick, &j.thorough, &j.second} {
		if *f, raw, err = parseForest(raw); err != nil {
			return nil, err
		}
	}
	return j, nil
}
