package cite_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/score"
)

// sharedFile returns a file of the data beside the repository, or skips the test.
func sharedFile(t *testing.T, path ...string) string {
	t.Helper()
	shared := os.Getenv("CITEWELL_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	name := filepath.Join(append([]string{shared}, path...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("needs %s: set CITEWELL_SHARED to the folder that has it", filepath.Join(path...))
	}
	return name
}

type labelledClaim struct{ Claim, Label, Title, Passage string }

func labelledClaims(t *testing.T) []labelledClaim {
	t.Helper()
	file, err := os.Open(sharedFile(t, "data", "claims-scifact", "claims.jsonl.gz"))
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

// TestCheckOnScientificClaims measures Check on claims that people labelled. Lines
// are counted from 1; the threshold is chosen on the even lines and measured on the odd
// ones.
func TestCheckOnScientificClaims(t *testing.T) {
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
	claims := labelledClaims(t)
	scores := make([]float64, len(claims))
	verdicts := map[string]map[citewell.Verdict]int{}
	for i, c := range claims {
		j := cite.Check(c.Claim, c.Title+"\n\n"+c.Passage, "en")
		scores[i] = j.Score
		if measured := i%2 == 0; !measured {
			continue
		}
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
	for _, against := range []struct {
		name   string
		labels []string
		floor  float64
	}{
		{"the rest", []string{"contradicted", "not_enough"}, 0.68},
		{"not_enough", []string{"not_enough"}, 0.72},
		{"contradicted", []string{"contradicted"}, 0.64},
	} {
		var half [2][]score.Decision
		for i, c := range claims {
			if c.Label == "supported" || slices.Contains(against.labels, c.Label) {
				h := &half[(i+1)%2]
				*h = append(*h, score.Decision{Score: scores[i], True: c.Label == "supported"})
			}
		}
		threshold := score.BestThreshold(half[0])
		best, got := score.Balanced(half[0], threshold), score.Balanced(half[1], threshold)
		t.Logf("supported against %-12s: balanced accuracy %.3f at threshold %.2f (%.3f on the half it was chosen on)", against.name, got, threshold, best)
		if got < against.floor {
			t.Errorf("supported against %s: %.3f, floor %.2f", against.name, got, against.floor)
		}
	}
}
