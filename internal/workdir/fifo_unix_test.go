//go:build unix

package workdir

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
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

// However often it is asked, no file stays open.
func TestFilesAreClosed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	d := made(t)
	for range 100 {
		if _, err := d.Read("a.txt", 1); err != nil || d.Inside("sub") != nil {
			t.Fatal(err)
		}
	}
	after, err := os.ReadDir("/proc/self/fd")
	if err != nil || len(after) > len(fds)+20 {
		t.Errorf("%d files were open, then %d: %v", len(fds), len(after), err)
	}
}
