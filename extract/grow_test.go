package extract

import (
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var grow = flag.Bool("grow", false, "grow forest.bin anew from the development sets, and report on halves that were not seen")

// Of each kind several forests are grown, of different shapes and by other chance, and
// their mean is taken: one alone is as good on some pages and worse on others.
var (
	firstGrowths = []growth{
		{trees: 200, leaves: 20, rate: 0.1, l2: 10, least: 30, columns: 0.25, pages: 0.7, seed: 1},
		{trees: 280, leaves: 16, rate: 0.07, l2: 10, least: 50, columns: 0.12, pages: 0.7, seed: 11},
	}
	secondGrowths = []growth{
		{trees: 80, leaves: 12, rate: 0.1, l2: 10, least: 40, columns: 0.25, pages: 0.7, seed: 2},
		{trees: 80, leaves: 12, rate: 0.1, l2: 10, least: 40, columns: 0.25, pages: 0.7, seed: 12},
	}
)

// TestGrow grows the forests that the package carries, when asked to. Before that it
// grows them from each half of the pages and reads the other half with them: what
// is to be expected of pages that nobody has seen.
func TestGrow(t *testing.T) {
	if !*grow {
		t.Skip("grows forest.bin with -grow")
	}
	all := samplesOf(t)
	bothHalves(func(half int) {
		for i := half; i < len(all); i += 2 {
			all[i].study()
		}
	})
	begun := time.Now()
	var halves [2][]*sample
	for _, s := range all {
		halves[half(s)] = append(halves[half(s)], s)
	}
	var judges [2]*judge
	for h := range judges {
		cached := filepath.Join(os.Getenv("CITEWELL_HALVES"), "half"+string(rune('0'+h))+".bin")
		if raw, err := os.ReadFile(cached); err == nil {
			judges[h] = parsed(t, raw)
			continue
		}
		judges[h] = growJudge(halves[h])
		t.Logf("half grown after %v", time.Since(begun).Round(time.Second))
		if os.Getenv("CITEWELL_HALVES") != "" {
			if err := os.WriteFile(cached, judges[h].append(nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	report(t, "each half read by what was grown from the other", all, func(s *sample) *judge { return judges[1-half(s)] })
	if os.Getenv("CITEWELL_HALVES_ONLY") != "" {
		return
	}
	j := growJudge(all)
	report(t, "read by what was grown from all", all, func(*sample) *judge { return j })
	if err := os.WriteFile("forest.bin", j.append(nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

func half(s *sample) int {
	if s.even {
		return 0
	}
	return 1
}

func parsed(t *testing.T, raw []byte) *judge {
	first, rest, err := parseForest(raw)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := parseForest(rest)
	if err != nil {
		t.Fatal(err)
	}
	return &judge{first, second}
}

func (j *judge) append(out []byte) []byte { return j.second.append(j.first.append(out)) }

// growJudge grows both forests from pages. What the second learns from are values of
// the first for pages that it has not seen.
func growJudge(pages []*sample) *judge {
	const folds = 3
	own := func(s *sample) [][]float32 { return s.rows }
	seen := map[*sample][][]float32{}
	for fold := range folds {
		var others []*sample
		for i, s := range pages {
			if i%folds != fold {
				others = append(others, s)
			}
		}
		f := groundsOf(others, own).growMean(firstGrowths)
		for i, s := range pages {
			if i%folds == fold {
				seen[s] = secondSignals(s.rows, f.values(s.rows), s.in)
			}
		}
	}
	first := groundsOf(pages, own).growMean(firstGrowths)
	second := groundsOf(pages, func(s *sample) [][]float32 { return seen[s] }).growMean(secondGrowths)
	return &judge{first, second}
}

// groundsOf gathers the blocks of pages. Of a page with very many, those that are
// clearly no content are thinned out, and the rest of them counts for more.
func groundsOf(pages []*sample, rows func(*sample) [][]float32) *grounds {
	const most = 400
	var all [][]float32
	var labels, weights []float64
	var page []int
	for p, s := range pages {
		if strings.TrimSpace(s.truth) == "" {
			continue
		}
		few := rand.New(rand.NewPCG(1, uint64(p)))
		for i, row := range rows(s) {
			weight := float64(s.weights[i])
			if n := len(s.texts); n > most && s.labels[i] < 0.1 {
				if few.Float64() > most/float64(n) {
					continue
				}
				weight *= float64(n) / most
			}
			all, labels, weights, page = append(all, row), append(labels, float64(s.labels[i])), append(weights, weight), append(page, p)
		}
	}
	return newGrounds(all, labels, weights, page)
}
