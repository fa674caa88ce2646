package cite_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

type labelledClaim struct{ Claim, Label, Title, Passage string }

func labelledClaims(t *testing.T) []labelledClaim {
	t.Helper()
	file, err := os.Open(realpart.Data(t, "claims-scifact", "claims.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var claims []labelledClaim
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c labelledClaim
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	return claims
}

// TestCheckOnScientificClaims measures the verdicts of Check on claims that people
// labelled: on the odd lines, counted from 1, which nothing was chosen on.
func TestCheckOnScientificClaims(t *testing.T) {
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	claims := labelledClaims(t)
	verdicts := map[string]map[citewell.Verdict]int{}
	for i, c := range claims {
		if measured := i%2 == 0; !measured {
			continue
		}
		j := cite.Check(c.Claim, c.Title+"\n\n"+c.Passage, "en")
		if verdicts[c.Label] == nil {
			verdicts[c.Label] = map[citewell.Verdict]int{}
		}
		verdicts[c.Label][j.Verdict]++
	}
	marked := 0
	for label, by := range verdicts {
		t.Logf("%-13s %v", label, by)
		marked += by[citewell.VerdictContradicted]
	}
	precision := float64(verdicts["contradicted"][citewell.VerdictContradicted]) / float64(marked)
	t.Logf("verdict contradicted: precision %.3f of %d", precision, marked)
	if precision < 0.6 {
		t.Errorf("verdict contradicted: precision %.3f, floor 0.6", precision)
	}
	supported := func(label string) float64 {
		all := 0
		for _, n := range verdicts[label] {
			all += n
		}
		return float64(verdicts[label][citewell.VerdictSupported]) / float64(all)
	}
	for label, floor := range map[string]float64{"not_enough": 0.69, "contradicted": 0.63} {
		balanced := (supported("supported") + 1 - supported(label)) / 2
		t.Logf("verdict supported against %-12s: balanced accuracy %.3f", label, balanced)
		if balanced < floor {
			t.Errorf("verdict supported against %s: %.3f, floor %.3f", label, balanced, floor)
		}
	}
}
