package content

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/tree"
)

// What is damaged, and what was grown for other signals, is refused.
func TestReadJudge(t *testing.T) {
	narrow := &Judge{&forest{width: 1, roots: []int32{0}, nodes: []node{{}}}, OwnJudge().thorough, OwnJudge().second}
	for name, raw := range map[string][]byte{"empty": nil, "cut": grownForests[:len(grownForests)/2],
		"narrow": narrow.Append(nil)} {
		if _, err := ReadJudge(raw); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if j, err := ReadJudge(grownForests); err != nil || j.quick.width != OwnJudge().quick.width {
		t.Errorf("the package's own: %v", err)
	}
}

// The forests that the package carries fit the signals that it takes: a row that is
// longer or shorter means that they were not grown anew after a change.
func TestForestsFitTheSignals(t *testing.T) {
	j := OwnJudge()
	root, err := html.Parse(strings.NewReader("<h1>Wheel</h1><p>It turns.</p>"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block.Block
	for n := range root.Descendants() {
		if n.DataAtom == atom.H1 || n.DataAtom == atom.P {
			blocks = append(blocks, block.Block{Text: tree.Text(n), Element: n, Leaves: []*html.Node{n.FirstChild}})
		}
	}
	rows, in := signalsOf(Outlook{}, blocks)
	second := secondSignals(rows, make([]float32, len(rows)), in, []int{0, 1})
	if len(rows) != 2 || len(rows[0]) != j.quick.width || len(rows[0]) != j.thorough.width ||
		len(second[0]) != j.second.width {
		t.Errorf("%d blocks with %d and %d signals; the forests were grown with %d and %d", len(rows), len(rows[0]),
			len(second[0]), j.quick.width, j.second.width)
	}
}

// A forest survives being written and read, and what is cut short or leads astray is
// refused.
func TestForestFile(t *testing.T) {
	f, rest, err := parseForest(grownForests)
	if err != nil {
		t.Fatal(err)
	}
	again := f.append(nil)
	if !slices.Equal(again, grownForests[:len(grownForests)-len(rest)]) {
		t.Error("the forest changed on its way through a file")
	}
	for _, n := range []int{0, 3, 11, 12, 20, len(again) - 1} {
		if _, _, err := parseForest(again[:n]); err == nil {
			t.Errorf("accepted the first %d bytes of %d", n, len(again))
		}
	}
	for name, harm := range map[string]func(b []byte){
		"a signal beyond the row": func(b []byte) { binary.LittleEndian.PutUint16(b[16:], 0xffff) },
		"a way beyond the tree":   func(b []byte) { binary.LittleEndian.PutUint16(b[18:], 0xfff0) },
		"too many nodes":          func(b []byte) { binary.LittleEndian.PutUint32(b[12:], 1<<30) },
	} {
		harmed := slices.Clone(again)
		harm(harmed)
		if _, _, err := parseForest(harmed); err == nil {
			t.Errorf("accepted %s", name)
		}
	}
}

// likeliest keeps what raises the expected agreement, and nothing where nothing is
// likely.
func TestLikeliest(t *testing.T) {
	same := make([]surroundings, 4)
	for i := range same {
		same[i].size = 100
	}
	tests := []struct {
		p    []float32
		want []bool
	}{
		{[]float32{0.95, 0.9, 0.1, 0.05}, []bool{true, true, false, false}},
		{[]float32{0.45, 0.4, 0.05, 0.02}, []bool{true, true, false, false}},
		{[]float32{0.9, 0.9, 0.4, 0.9}, []bool{true, true, false, true}},
		{[]float32{0, 0, 0, 0}, []bool{false, false, false, false}},
	}
	for _, test := range tests {
		if got := likeliest(test.p, same); !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.p, got, test.want)
		}
	}
}

// Blocks in elements that look the same are drawn to each other, and a pair is not: two
// may be anything.
func TestJudgeTogether(t *testing.T) {
	values := []float32{3, 2, -1, 3, -1}
	judgeTogether(values, []surroundings{{size: 90, path: 1}, {size: 90, path: 1}, {size: 190, path: 1},
		{path: 2}, {path: 2}})
	if want := []float32{1.875, 1.375, -0.125, 3, -1}; !slices.Equal(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
}

// Of what the quick forest is sure, the thorough one is not asked.
func TestFirstValues(t *testing.T) {
	leaf := func(value float32) *forest { return &forest{roots: []int32{0}, nodes: []node{{limit: value}}} }
	quick := &forest{width: 1, roots: []int32{0}, nodes: []node{{limit: 0.5, left: 1}, {limit: -6}, {limit: 2}}}
	rows := [][]float32{make([]float32, maxSignals), make([]float32, maxSignals)}
	rows[1][0] = 1
	values, doubtful := (&Judge{quick: quick, thorough: leaf(1)}).firstValues(rows)
	if !slices.Equal(values, []float32{-6, 1.5}) || !slices.Equal(doubtful, []int{1}) {
		t.Errorf("got %v, doubtful %v", values, doubtful)
	}
}
