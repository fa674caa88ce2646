package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A command that a tool starts cannot read our environment, where keys are. Root may
// read whatever there is, so the test becomes somebody else.
func TestEnvironmentIsHidden(t *testing.T) {
	dir := t.TempDir()
	program, err := exec.LookPath("citewell")
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(dir, "citewell")
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(copied, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	to.Close()
	config := filepath.Join(dir, "citewell.yaml")
	if err := os.WriteFile(config,
		[]byte(`tools: {spy: {command: [sh, -c, 'cat /proc/$PPID/environ || echo "{\"seen\": \"nothing\"}"']}}`+"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "--config", config, "call", "spy")
	cmd.Dir, cmd.Env = home, append([]string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=never-to-be-seen"},
		homeEnviron(home)...)
	if os.Geteuid() == 0 {
		for d := dir; d != "/" && d != "."; d = filepath.Dir(d) { // the way to the program
			if info, err := os.Stat(d); err != nil || info.Mode().Perm()&0o005 != 0o005 {
				if err := os.Chmod(d, 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Chmod(home, 0o777); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "never-to-be-seen") ||
		!strings.Contains(string(out), `"seen": "nothing"`) {
		t.Errorf("%v: %s", err, out)
	}
}
