package citewell_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// A module of a test's own, with a git repository.
type repository struct {
	*testing.T
	dir, script string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("scripts", "apidiff.sh"))
	if err != nil {
		t.Fatal(err)
	}
	r := repository{t, t.TempDir(), script}
	r.write("go.mod", "module example.com/kept\n\ngo 1.26\n")
	r.write("kept.go", "package kept\n\nfunc Old() {}\n")
	r.write("part/part.go", "package part\n\nfunc Give(int) {}\n")
	r.write("gone/gone.go", "package gone\n\nfunc Away() {}\n")
	r.write("internal/in/in.go", "package in\n\nfunc Hidden() {}\n")
	r.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- **New**: more.\n\n## 0.0.1\n\n- **Removed**: long ago.\n")
	r.git("init", "-q")
	r.commit()
	return r
}

func (r repository) write(name, content string) {
	r.Helper()
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r repository) git(words ...string) {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "git", append([]string{
		"-c", "user.name=tester", "-c", "user.email=tester@citewell.invalid", "-c", "commit.gpgsign=false", "-c",
		"tag.gpgsign=false"}, words...)...)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("git %q: %v: %s", words, err, out)
	}
}

func (r repository) commit() {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "as it is")
}

// diff runs the script; want are words of what it says.
func (r repository) diff(passes bool, want ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), "sh", r.script)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	for _, words := range want {
		if !strings.Contains(string(out), words) {
			r.Errorf("it does not say %q", words)
		}
	}
	if (err == nil) != passes || r.Failed() {
		r.Fatalf("apidiff.sh: %v, want passed = %v\n%s", err, passes, out)
	}
	return string(out)
}

// TestAPIDiffScript has the script find what breaks programs, and where that may be.
func TestAPIDiffScript(t *testing.T) {
	if testing.Short() {
		t.Skip("loads a module six times")
	}
	for _, program := range []string{"sh", "git"} {
		if _, err := exec.LookPath(program); err != nil {
			realpart.Lacking(t, "needs %s", program)
		}
	}
	r := newRepository(t)
	r.diff(true, "no tag to compare with")
	r.git("tag", "v0.3.0")
	r.write("internal/in/in.go", "package in\n")
	r.write("kept.go", "package kept\n\nfunc Old() {}\n\nfunc New() {}\n")
	r.diff(true, "nothing that was promised has changed since v0.3.0")

	r.write("part/part.go", "package part\n\nfunc Give(string) {}\n")
	if err := os.RemoveAll(filepath.Join(r.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	said := r.diff(false, "since v0.3.0", "./part.Give: changed from func(int) to func(string)",
		"example.com/kept/gone: removed", `no "Changed (breaking)"`)
	if strings.Contains(said, "Hidden") {
		t.Errorf("it tells of what is not promised:\n%s", said)
	}
	for _, tells := range []string{"- **Removed**: the package gone.\n",
		"### Changed (breaking)\n\n- Give takes words.\n"} {
		r.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n"+tells+"\n## 0.3.0\n\n- All.\n")
		r.diff(true, "./part.Give")
	}

	r.git("checkout", "-q", "--", "part", "gone")
	r.commit()
	r.git("tag", "v1.0.0")
	r.write("part/part.go", "package part\n\nfunc Give(string) {}\n")
	r.write("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- **Removed**: everything.\n")
	r.diff(false, "since v1.0.0", "from 1.0 on breaks no program")
	r.write("go.mod", "module example.com/kept/v2\n\ngo 1.26\n")
	r.diff(true, "another module")
}
