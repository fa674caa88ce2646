//go:build unix

package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/sheet"
	"github.com/citewell/citewell/internal/testing/judgetest"
	"github.com/citewell/citewell/internal/testing/modeltest"
)

// A strong model, played by hand, judged sixty claims without knowing their labels. Its answers are kept:
// what goes around a judge may lose none of them.
func TestAPlayedJudge(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "bench", "claims-own")
	var played []judgetest.Label
	answered := map[string]bool{}
	for _, line := range jsonLines(t, filepath.Join(folder, "played.jsonl")) {
		var l judgetest.Label
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		played, answered[l.Statement] = append(played, l), true
	}
	var asked strings.Builder
	for _, line := range jsonLines(t, filepath.Join(folder, "claims.jsonl")) {
		var c struct{ Claim string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		if answered[c.Claim] {
			asked.WriteString(line + "\n")
		}
	}
	j, err := judgetest.New(judgeExamination, played...)
	if err != nil {
		t.Fatal(err)
	}
	m := modeltest.New()
	m.Script, m.Models = j.Reply, `{"data":[{"id":"played","max_model_len":32768}]}`
	t.Cleanup(m.Close)
	home := t.TempDir()
	file := filepath.Join(home, "sixty.jsonl")
	if err := os.WriteFile(file, []byte(asked.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := here(t, home, "--set", "judge.use=auto", "--set", "judge.model=played", "--set",
		"judge.base_url="+m.Base(), "bench", "claims", "--judge", "--json", file)
	var report sheet.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 {
		t.Fatal(code, err, stderr)
	}
	all := report.Tables[0].Rows[0].Figures
	for name, want := range map[string]float64{"claims": 60, "true": 30, "balanced": 1, "accused": 0, "accepted": 0} {
		if got := all[name]; got != want {
			t.Errorf("%s is %v, want %v: %s", name, got, want, stderr)
		}
	}
}

func jsonLines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}
