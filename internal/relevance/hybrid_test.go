package relevance

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestHybrid(t *testing.T) {
	tests := []struct {
		name     string
		rankings []Ranking
		want     []Ranked
	}{
		{"none", nil, []Ranked{}},
		{"one_keeps_its_order", []Ranking{{IDs: []string{"b", "a"}}}, []Ranked{{"b", 1.0 / 61}, {"a", 1.0 / 62}}},
		{"in_both_wins", []Ranking{{IDs: []string{"a", "c"}}, {IDs: []string{"b", "c"}}},
			[]Ranked{{"c", 2.0 / 62}, {"a", 1.0 / 61}, {"b", 1.0 / 61}}},
		{"weights", []Ranking{{IDs: []string{"a"}}, {IDs: []string{"b"}, Weight: 1.5}},
			[]Ranked{{"b", 1.5 / 61}, {"a", 1.0 / 61}}},
		{"a_repeated_id_counts_once", []Ranking{{IDs: []string{"a", "a", "b"}}},
			[]Ranked{{"a", 1.0 / 61}, {"b", 1.0 / 62}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Hybrid(test.rankings...)); diff != "" {
				t.Errorf("fused (-want +got):\n%s", diff)
			}
		})
	}
}

// What is said of any rankings: each id once, best first, and no id falls because it
// also stands in another ranking, at the top.
func TestHybridOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching(`[a-e]`), 0, 8)
		first, second := ids.Draw(t, "first"), ids.Draw(t, "second")
		fused := Hybrid(Ranking{IDs: first}, Ranking{IDs: second, Weight: 2})
		place := map[string]int{}
		for i, one := range fused {
			if _, twice := place[one.ID]; twice {
				t.Fatalf("%s twice in %v", one.ID, fused)
			}
			place[one.ID] = i
			if i > 0 && one.Score > fused[i-1].Score {
				t.Fatalf("%v is not in order", fused)
			}
		}
		if len(first) == 0 {
			return
		}
		for i, one := range Hybrid(Ranking{IDs: first}, Ranking{
			IDs: append([]string{first[0]}, second...), Weight: 2}) {
			if one.ID == first[0] && i > place[first[0]] {
				t.Fatalf("%s falls from %d to %d by one more ranking that has it first", first[0], place[first[0]], i)
			}
		}
	})
}
