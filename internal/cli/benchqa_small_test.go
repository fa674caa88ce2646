package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/bench"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/testing/smallmodel"
)

// A real model that writes nonsense is asked a question, and grades itself: there is a
// row, whatever became of it, and nothing that was published cites what is not there.
func TestBenchQAWithASmallModel(t *testing.T) {
	base := smallmodel.Start(t)
	web, err := demo.Start(context.Background(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	dir := t.TempDir()
	configured, set, answers := filepath.Join(dir, "citewell.yaml"), filepath.Join(dir, "set.csv"),
		filepath.Join(dir, "answers.jsonl")
	for file, content := range map[string]string{
		configured: fmt.Sprintf("search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q, "+
			"rate: 100}\nfetch: {allow_networks: [127.0.0.0/8, \"::1/128\"]}\n"+
			"llm: {base_url: %q, model: %s, max_tokens: 256}\nexecution: {max_iterations: 3}\nbudget: {tokens: 20000, "+
			"wall_time: 15s}\n",
			web.SearchURL(), web.DuckDuckGoURL(), base, smallmodel.Model),
		set: "problem,answer\nWhen was Larch 2.0 released?,9 March 2022\n",
	} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Log(runAt(t, dir, nil, "--config", configured, "bench", "qa", "--agent", "sgr_agent", "--parallel", "1", "--out",
		answers, set))
	raw, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 2 {
		t.Fatalf("one question is answered in\n%s", raw)
	}
	for _, line := range lines[1:] {
		var row bench.Graded
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.Outcome == "" || row.Citations.Invented != 0 || row.Failed == nil && row.JudgeFailed == nil &&
			row.Judged.Grade == "" {
			t.Errorf("a row is %s", line)
		}
		t.Logf("%s after %d searches: %.300q", row.Outcome, row.Usage.Searches, row.Given)
	}
}
