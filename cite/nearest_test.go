package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Of a claim that nobody judged, those sentences are shown that have most to do with it: whole, each
// once, a row with the names of its columns and not these alone. Of one that is decided there are none.
func TestDeciding(t *testing.T) {
	prose := "The Quern valley has 34 water mills. Most were built by the abbey of Saint Orrin. Each mill paid a " +
		"tithe of flour. Millers were free tenants. Honey is dark."
	rows := "Mill | Sacks a year\nQuern | 12\nTolmarsh | 40"
	columns, _, _ := strings.Cut(rows, "\n")
	all := []citewell.Passage{
		{Source: 1, ID: "p1", Start: 100, End: 100 + len(prose), Text: prose},
		{Source: 1, ID: "p2", Start: 137, End: 100 + len(prose), Text: prose[37:]}, // passages overlap
		{Source: 2, ID: "p3", End: len(rows), Text: rows, Columns: columns},
	}
	for name, test := range map[string]struct {
		claim string
		from  []int // of the passages
		want  []string
	}{
		"own_words": {"Monks had most of the mills put up.", []int{0, 1},
			[]string{"The Quern valley has 34 water mills.", "Each mill paid a tithe of flour.",
				"Most were built by the abbey of Saint Orrin."}},
		"another_language": {"Les moines ont bâti presque tout cela dans la vallée.", []int{0},
			[]string{"The Quern valley has 34 water mills.", "Most were built by the abbey of Saint Orrin.",
				"Each mill paid a tithe of flour."}},
		"row": {"The mill of Tolmarsh gave much more flour than all others did together.", []int{2},
			[]string{"Tolmarsh | 40 of Mill | Sacks a year", "Quern | 12 of Mill | Sacks a year"}},
		"two_of_them": {"Tolmarsh paid more flour than a free tenant had.", []int{0, 2},
			[]string{"Millers were free tenants.", "Each mill paid a tithe of flour.",
				"Tolmarsh | 40 of Mill | Sacks a year"}},
		"verbatim": {"Millers were free tenants.", []int{0}, nil},
		"figure":   {"The Quern valley has 43 water mills.", []int{0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := cite.Claim{Text: test.claim}
			for _, i := range test.from {
				if n := len(c.Evidence); n > 0 && c.Evidence[n-1].Passages[0].Source == all[i].Source {
					c.Evidence[n-1].Passages = append(c.Evidence[n-1].Passages, all[i])
					continue
				}
				c.Evidence = append(c.Evidence, cite.Evidence{Passages: []citewell.Passage{all[i]}})
			}
			held := cite.Hold(c)
			var got []string
			for _, s := range held.Sentences(3) {
				got = append(got, strings.TrimSuffix(s.Quote+" of "+s.Columns, " of "))
				if s.N == 1 && prose[s.Start-100:s.End-100] != s.Quote {
					t.Errorf("%q does not stand at %d to %d", s.Quote, s.Start, s.End)
				}
			}
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("it shows\n%s\nof %+v", strings.Join(got, "\n"), held)
			}
		})
	}
}
