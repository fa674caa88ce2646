package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// What serves says once at its start which walls are missing, whatever the level of its log.
// It is run here behind the wall itself, within which there is no second one, nor a child for PDFs.
func TestMissingWallsAreSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	walls, err := sandbox.CommandWalls()
	if err != nil || !walls.Holds() {
		realpart.Lacking(t, "needs the wall: %v, %q", err, walls.Missing)
	}
	program, err := exec.LookPath("citewell")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), lifetime)
	defer cancel()
	run := func(args ...string) (string, string) {
		var out, errOut bytes.Buffer
		real, err := filepath.EvalSymlinks(program)
		if err != nil {
			t.Fatal(err)
		}
		ended, err := sandbox.Command{Path: real, Args: args, Dir: home, Env: append(homeEnviron(home), "PATH=/usr/bin:/bin"), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errOut,
			ReadWrite: []string{home}, ReadOnly: []string{"/proc", filepath.Dir(real), os.TempDir()}}.Run(ctx)
		if err != nil {
			t.Fatalf("%+v, %v: %s", ended, err, &errOut)
		}
		return out.String(), errOut.String()
	}
	const said = "the wall around programs does not hold"
	for _, level := range []string{"error", "warn"} {
		if _, log := run("mcp", "--log-level", level); strings.Count(log, said) != 1 || strings.Count(log, "a wall is missing") != 2 {
			t.Errorf("mcp at level %s said: %s", level, log)
		}
	}
	if out, _ := run("doctor"); !strings.Contains(out, said) {
		t.Errorf("doctor said: %s", out)
	}
}
