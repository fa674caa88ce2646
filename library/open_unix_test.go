//go:build unix

package library

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/citewell/citewell"
)

// A named pipe that took a file's place is not waited for.
func TestPipeIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := readRegular(root, "pipe.md"); citewell.CodeOf(err) != citewell.CodeUnsupportedType {
		t.Errorf("%v", err)
	}
}
