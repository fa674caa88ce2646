//go:build unix

package citewell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run of the fuzz targets fails where one found something, where one ran hardly any
// input, and where there is none.
func TestFuzzScript(t *testing.T) {
	script, err := filepath.Abs("scripts/fuzz.sh")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		says, status string // of go test
		targets      string
		fails        bool
		told         string
	}{
		"enough inputs": {"fuzz: elapsed: 3s, execs: 400 (1/sec)\\nfuzz: elapsed: 9s, execs: 5000 (500/sec)\\nPASS",
			"0", "func FuzzA(", false, "FuzzA: 5000 inputs"},
		"few inputs": {"fuzz: elapsed: 9s, execs: 3 (0/sec)\\nPASS", "0", "func FuzzA(", true,
			"fewer than 1000 inputs"},
		"no inputs": {"ok\\tno tests to run", "0", "func FuzzA(", true, "fewer than 1000 inputs"},
		"a finding": {"execs: 5000 (1/sec)\\nFailing input written to x", "1", "func FuzzA(", true,
			"Failing input"},
		"the last fails": {"execs: 5000 (1/sec)\\nFAIL", "$([ $6 = '^FuzzB$' ] && echo 1 || echo 0)",
			"func FuzzA(\nfunc FuzzB(", true, "1 of 2 targets failed"},
		"no targets": {"", "0", "func TestA(", true, "no fuzz target"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bin := filepath.Join(dir, "bin")
			if err := os.Mkdir(bin, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, content := range map[string]string{
				filepath.Join(bin, "go"):        "#!/bin/sh\nprintf '" + test.says + "\\n'\nexit " + test.status + "\n",
				filepath.Join(dir, "a_test.go"): test.targets,
			} {
				if err := os.WriteFile(file, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "sh", script, "1s")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.told) {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
