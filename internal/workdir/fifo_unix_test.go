//go:build unix

package workdir

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/citewell/citewell"
)

// Nobody writes into the pipe, and reading it does not wait.
func TestReadOfAPipe(t *testing.T) {
	d := made(t)
	if err := syscall.Mkfifo(filepath.Join(d.Path(), "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(d.Path())
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"pipe", "socket"} {
		if _, err := d.Read(name, 10); citewell.CodeOf(err) != citewell.CodeFileNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
