package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// warned keeps what is said, and tells when both walls were told of.
type warned struct {
	kept bytes.Buffer
	done chan struct{}
}

func (h *warned) Write(p []byte) (int, error) {
	had := strings.Count(h.kept.String(), "a wall is missing")
	n, err := h.kept.Write(p)
	if had < 2 && strings.Count(h.kept.String(), "a wall is missing") >= 2 {
		close(h.done)
	}
	return n, err
}

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
	ctx, cancel := lifeOf(t)
	defer cancel()
	run := func(args ...string) (string, string) {
		var out, errOut warned
		errOut.done = make(chan struct{})
		stdin, hold := io.Pipe() // a client that stays until it has heard
		go func() {
			select {
			case <-errOut.done:
			case <-ctx.Done():
			}
			hold.Close()
		}()
		if args[0] == "doctor" {
			hold.Close()
		}
		real, err := filepath.EvalSymlinks(program)
		if err != nil {
			t.Fatal(err)
		}
		ended, err := sandbox.Command{Path: real, Args: args, Dir: home,
			Env: append(homeEnviron(home), "PATH=/usr/bin:/bin"), Stdin: stdin, Stdout: &out, Stderr: &errOut,
			ReadWrite: []string{home}, ReadOnly: []string{"/proc", filepath.Dir(real), os.TempDir()}}.Run(ctx)
		if err != nil {
			t.Fatalf("%+v, %v: %s", ended, err, errOut.kept.String())
		}
		return out.kept.String(), errOut.kept.String()
	}
	const said = "the wall around programs does not hold"
	for _, level := range []string{"error", "warn"} {
		if _, log := run("mcp", "--log-level", level); strings.Count(log, said) != 1 ||
			strings.Count(log, "a wall is missing") != 2 {
			t.Errorf("mcp at level %s said: %s", level, log)
		}
	}
	if out, _ := run("doctor"); !strings.Contains(out, said) {
		t.Errorf("doctor said: %s", out)
	}
}
