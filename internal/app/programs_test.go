package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/tool"
)

func localTools(t *testing.T, settings ...string) *tool.Toolset {
	t.Helper()
	set, err := registryOver(t, append([]string{"run_cli.wall=off", "confirm.run_cli=allow"}, settings...)...).
		Toolset("local")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func cli(t *testing.T, set *tool.Toolset, arguments any) (out struct {
	OK             bool `json:"ok"`
	Stdout, Stderr string
	Truncated      bool
}, err error) {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.Call(t.Context(), "run_cli", data)
	if err == nil {
		err = json.Unmarshal(tool.MustMarshal(r.Structured), &out)
	}
	return out, err
}

func TestRunCLIBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if _, err := exec.LookPath("seq"); err != nil {
		realpart.Lacking(t, "seq is not installed")
	}
	set := localTools(t, "run_cli.workdir="+t.TempDir(), "run_cli.allow=[seq, env]")
	for name, args := range map[string][]string{"many": make([]string, 200_000),
		"long": strings.SplitAfter(strings.Repeat("xxxxxxx ", 3<<20/8), " "), "one": {strings.Repeat("x", 3<<20)}} {
		if _, err := cli(t, set, map[string]any{"command": "seq", "args": args}); citewell.CodeOf(
			err) != citewell.CodeArgumentsTooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	last := "110000000" // one gigabyte
	out, err := cli(t, set, map[string]any{"command": "seq", "args": []string{last}, "timeout_seconds": 300})
	if err != nil || !out.OK || !out.Truncated || len(out.Stdout) > 256<<10+100 ||
		!strings.HasPrefix(out.Stdout, "1\n2\n") || !strings.HasSuffix(out.Stdout, "\n"+last+"\n") {
		t.Errorf("%v, %v, %d bytes: %.30q", err, out.OK, len(out.Stdout), out.Stdout)
	}
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	if out, err := cli(t, set, map[string]any{"command": "env"}); err != nil ||
		strings.Contains(out.Stdout, "canary") || !strings.Contains(out.Stdout, "HOME=") {
		t.Errorf("%v: %s", err, out.Stdout)
	}
}

// Programs are run in no folder that has what they must not read.
func TestRunCLIKeepsAway(t *testing.T) {
	for name, file := range map[string]string{"environment": ".env", "configuration": "citewell.yaml"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			if err := os.WriteFile(filepath.Join(dir, file), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, work := range []string{".", filepath.Dir(dir)} {
				set := localTools(t, "run_cli.workdir="+work)
				if _, err := cli(t, set, map[string]any{"command": "ls"}); citewell.CodeOf(
					err) != citewell.CodeToolNotConfigured || !strings.Contains(citewell.View(err).Hint, file) {
					t.Errorf("%s in %s: %v", file, work, citewell.View(err))
				}
			}
			if err := os.Mkdir("work", 0o755); err != nil {
				t.Fatal(err)
			}
			if _, err := cli(t, localTools(t, "run_cli.workdir=work"), map[string]any{"command": "ls"}); err != nil {
				t.Error(err)
			}
		})
	}
}
