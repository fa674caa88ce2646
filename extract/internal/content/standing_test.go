package content

import (
	"slices"
	"testing"
)

// Where nothing is likely there is no core, nothing sure above and no share of what is wanted;
// where one block is, all others are measured from it.
func TestStandings(t *testing.T) {
	root := &scope{first: 0, last: 2}
	outer := &scope{parent: root, depth: 1, first: 0, last: 2}
	inner := &scope{parent: outer, depth: 2, first: 1, last: 1}
	in := []surroundings{{size: 99, heading: true, around: [4]*scope{outer}}, {size: 100, around: [4]*scope{inner}},
		{size: 200, around: [4]*scope{outer}}}
	for _, test := range []struct {
		name string
		p    []float32
		at   int
		want []float32 // cores, distances and sections, without ranks
	}{
		{"nothing likely", []float32{0.25, 0.5, 0.25}, 1, []float32{-1, -99, -99, -999, -999, -1, -99, -99, -999, -999,
			-1, -99, -99, -999, -999, -1, -1, -999, -999, -1, -1, -999, -999}},
		{"the core itself", []float32{0.25, 1, 0.25}, 1, []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
			0, 0, 0, 0, 0}},
		{"above the core", []float32{0.25, 1, 0.25}, 0, []float32{0, -1, 0, -1, 1, 0, -1, 0, -1, 1, 0, -1, 0, -1, 1, -1,
			-1, -1, 1, -1, -1, -1, 1}},
		{"below the core", []float32{0.25, 1, 0.25}, 2, []float32{0, -1, 0, 1, -1, 0, -1, 0, 1, -1, 0, -1, 0, 1, -1, 1,
			0, 1, -1, 1, 0, 1, -1}},
	} {
		if got := standings(test.p, in)[test.at][:23]; !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
	row := standings([]float32{0.25, 1, 0.25}, in)[2]
	if got, want := row[len(row)-3:], []float32{0.25, float32(150) / 300, 1}; !slices.Equal(got, want) {
		t.Errorf("its section: got %v, want %v", got, want)
	}
	if got, want := row[23], float32(1); got != want {
		t.Errorf("all of the page is at least as likely as the last: got %v", got)
	}
}
