package relevance

import (
	"math"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/google/go-cmp/cmp"
)

func TestMeant(t *testing.T) {
	p := citewell.Passage{Heading: " Leave", Text: "25 days.\n"}
	if got := Meant("Staff rules", p); got != "Staff rules\nLeave\n25 days." {
		t.Errorf("%q", got)
	}
	if got := Meant("", citewell.Passage{Text: "25 days."}); got != "25 days." {
		t.Errorf("%q", got)
	}
	if got := Meant("", citewell.Passage{Text: strings.Repeat("ü", 3000)}); got != strings.Repeat("ü", maxMeant/2) {
		t.Errorf("%d bytes", len(got))
	}
}

// Neither score's scale matters, what is not known of a text is no reason for or against
// it, and where one kind is the same for all the other decides.
func TestByBoth(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name          string
		first, second []float64
		want          []int
	}{
		{"none", nil, nil, []int{}},
		{"both agree", []float64{1, 2, 3}, []float64{0.1, 0.2, 0.3}, []int{2, 1, 0}},
		{"scales do not matter", []float64{0, 0, 900}, []float64{0.71, 0.72, 0.70}, []int{1, 2, 0}},
		{"the second finds what the first has not", []float64{2, 0, 1.9, 0}, []float64{0.1, 0.9, 0.1, 0.1},
			[]int{1, 0, 2, 3}},
		{"unknown", []float64{1, 2, 3}, []float64{nan, nan, nan}, []int{2, 1, 0}},
		{"partly unknown", []float64{3, 3, 3}, []float64{0.1, nan, 0.3}, []int{2, 1, 0}},
	}
	for _, test := range tests {
		got := []int{}
		for _, s := range ByBoth(test.first, test.second) {
			got = append(got, s.Index)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
