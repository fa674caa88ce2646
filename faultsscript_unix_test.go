//go:build unix

package citewell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run of the tests of doc/faults.md fails where one failed, was skipped, or was not run, and
// names it; each has its package's name, and the soak is run once.
func TestFaultsScript(t *testing.T) {
	script, err := filepath.Abs("scripts/faults.sh")
	if err != nil {
		t.Fatal(err)
	}
	const page = "| a | `x` | `one TestA/case`, `one TestB` |\n| b | `y` | `internal/cli TestSoak`, `internal/cli " +
		"TestC`, `one TestA` |\n"
	const passed = "--- PASS: TestA (0.1s)\\n--- PASS: TestA (0.1s)\\n--- PASS: TestB (0.1s)\\n--- PASS: TestB " +
		"(0.1s)\\n--- PASS: TestC (0.1s)\\n--- PASS: TestC (0.1s)\\n"
	for name, test := range map[string]struct {
		page, says, status string // of go test
		fails              bool
		told               string
	}{
		"all passed": {page, passed + "--- PASS: TestSoak (9s)\\n", "0", false, "4 tests of doc/faults.md passed"},
		"one failed": {page, strings.Replace(passed, "PASS: TestB", "FAIL: TestB", 1), "1", true,
			"one TestB: did not pass 2 times"},
		"one skipped": {page, strings.ReplaceAll(passed, "--- PASS: TestB (0.1s)",
			"--- SKIP: TestB (0.0s)\\n    a_test.go:1: no strace"), "0", true,
			"one TestB: not tried: a_test.go:1: no strace"},
		"no soak":   {page, passed, "0", true, "internal/cli TestSoak: did not pass 1 times"},
		"not built": {page, "FAIL one [build failed]", "2", true, "one TestA: did not pass 2 times"},
		"no tests":  {"| fault | outcome | shown by |\n", "", "0", true, "names no test"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range map[string]string{
				"bin/go": "#!/bin/sh\necho \"$@\" >>asked\nprintf '%b' '" + test.says + "'\nexit " +
					test.status + "\n", "doc/faults.md": test.page,
			} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("sh", script, "2", "7")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.told) {
				t.Errorf("%v\n%s", err, out)
			}
			if asked, _ := os.ReadFile(filepath.Join(dir, "asked")); !test.fails &&
				(!strings.Contains(string(asked), "test ./one -run ^(TestA|TestB)$ -count 2 ") ||
					!strings.Contains(string(asked), "test ./internal/cli -run ^(TestC)$ -count 2 ") ||
					!strings.Contains(string(asked), "test ./internal/cli -run ^(TestSoak)$ -count 1 ")) {
				t.Errorf("asked for %s", asked)
			}
		})
	}
}
