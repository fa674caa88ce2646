//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// The demo of many machines ends with all runs answered, those too whose worker was killed.
func TestDemoCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes and servers")
	}
	t.Parallel()
	pgtest.URL(t) // without a PostgreSQL there is nothing to show
	program, err := exec.LookPath("citewell")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(ownFolder, "..", "..", "scripts", "demo-cluster.sh"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir() // as the script has it, with the program of this test
	write(t, filepath.Join(root, "scripts", "demo-cluster.sh"), string(script))
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(root, "bin", "citewell")); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), "sh", filepath.Join(root, "scripts", "demo-cluster.sh"),
		"once").CombinedOutput()
	if err != nil || !strings.Contains(string(said), "The page is at http://127.0.0.1:") ||
		!strings.Contains(string(said), "All 6 runs have ended") {
		t.Fatalf("%v\n%s", err, said)
	}
	_, summary, _ := strings.Cut(string(said), "All 6 runs have ended")
	if strings.Count(summary, "_") != 6 || !strings.Contains(summary, "worker 1 worker ") {
		t.Errorf("nobody took over from worker 1:\n%s", said)
	}
	for line := range strings.Lines(string(said)) {
		if dir, ok := strings.CutPrefix(line, "PostgreSQL in "); ok {
			if _, err := os.Stat(strings.TrimSpace(dir)); !os.IsNotExist(err) {
				t.Errorf("%s is left: %v", dir, err)
			}
		}
	}
}
