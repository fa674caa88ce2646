package extract

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
}

// A node asks whether a signal is at most a limit: then it goes to left, else to
// the node after that. A leaf has left 0 and its value as limit. Places are counted
// from the root of the tree.
type node struct {
	signal, left uint16
	limit        float32
}

func (f *forest) value(row []float32) float32 {
	sum := f.start
	for _, root := range f.roots {
		tree := f.nodes[root:]
		n := tree[0]
		for n.left != 0 {
			next := n.left
			if row[n.signal] > n.limit {
				next++
			}
			n = tree[next]
		}
		sum += n.limit
	}
	return sum
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// append writes the forest as little-endian numbers: width, trees, start, and of
// each tree its size and its nodes.
func (f *forest) append(out []byte) []byte {
	le := binary.LittleEndian
	out = le.AppendUint32(out, uint32(f.width))
	out = le.AppendUint32(out, uint32(len(f.roots)))
	out = le.AppendUint32(out, math.Float32bits(f.start))
	for i, root := range f.roots {
		end := len(f.nodes)
		if i+1 < len(f.roots) {
			end = int(f.roots[i+1])
		}
		out = le.AppendUint32(out, uint32(end-int(root)))
		for _, n := range f.nodes[root:end] {
			out = le.AppendUint16(out, n.signal)
			out = le.AppendUint16(out, n.left)
			out = le.AppendUint32(out, math.Float32bits(n.limit))
		}
	}
	return out
}

var errForest = errors.New("the forest is cut short or damaged")

// parseForest reads what append wrote and returns what follows it. A forest that it
// accepts cannot lead outside itself or outside a row of its width.
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

// forest.bin holds two forests. They were grown (go test -run TestGrow -grow) from two
// sets of pages whose content people marked: the development splits of
// Murrough-Foley/web-content-extraction-benchmark (CC BY 4.0, Murrough Foley) and of
// scrapinghub/article-extraction-benchmark (MIT). It holds limits of signals and no
// text of those pages. A change to any signal asks for growing anew.
//
//go:embed forest.bin
var grownForests []byte

// readJudge reads the forests that the package carries, when they are first needed.
var readJudge = sync.OnceValue(func() *judge {
	j, err := parseJudge(grownForests)
	if err != nil {
		panic(err) // the package was built with a damaged file
	}
	return j
})

func parseJudge(raw []byte) (*judge, error) {
	first, rest, err := parseForest(raw)
	if err != nil {
		return nil, err
	}
	second, _, err := parseForest(rest)
	if err != nil {
		return nil, err
	}
	return &judge{first, second}, nil
}
