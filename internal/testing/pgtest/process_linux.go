package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// SmallDisk makes a database on a file system of its own of so many bytes, and returns its URL and
// the folder. Root alone can do that: another user's test ends as realpart.Lacking has it.
func (s *Server) SmallDisk(t testing.TB, bytes int) (database, dir string) {
	t.Helper()
	dir = filepath.Join(s.dir, "small")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700,uid=%d,gid=%d", bytes, nobody,
		nobody)); err != nil {
		realpart.Lacking(t, "no file system may be mounted here (root alone may), so a really full disk was not "+
			"tried: %v", err)
	}
	t.Cleanup(func() {
		s.signal(syscall.SIGQUIT)
		<-s.ended
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	exec1(t, s.URL, `CREATE TABLESPACE small LOCATION '`+dir+`'`)
	database = newDatabase(t, s.URL)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	exec1(t, s.URL, `ALTER DATABASE `+u.Path[1:]+` SET TABLESPACE small`)
	return database, dir
}

// nobody is the user and the group that a server runs as where the test is root's:
// PostgreSQL refuses root.
const nobody = 65534

func lowered() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

// give makes dir the server's.
func give(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return os.Chown(dir, nobody, nobody)
}

// reachable is the folder bin of home, or where root alone may go there, that of a copy
// of home below dir.
func reachable(home, bin, dir string) (string, error) {
	look := exec.Command("/bin/sh", "-c", `[ -x "$0/postgres" ]`, filepath.Join(home, bin))
	if look.SysProcAttr = lowered(); look.SysProcAttr == nil || look.Run() == nil {
		return filepath.Join(home, bin), nil
	}
	const link = `cp -al "$0" "$1" 2>/dev/null || { rm -rf "$1" && cp -a "$0" "$1"; }`
	installed := filepath.Join(dir, "installed")
	if said, err := exec.Command("/bin/sh", "-c", link, home, installed).CombinedOutput(); err != nil {
		return "", fmt.Errorf("cp: %w\n%s", err, said)
	}
	return filepath.Join(installed, bin), nil
}

// apart keeps signals of the terminal from a process.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// CPU is the time of processors that the server has used since it was started.
func (s *Server) CPU(t testing.TB) (used time.Duration) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range processes {
		own, ended, parent, err := processTime(file)
		switch pid := strconv.Itoa(s.process.Process.Pid); {
		case err != nil: // it is gone
		case strings.HasPrefix(file, "/proc/"+pid+"/"):
			used += own + ended
		case parent == pid:
			used += own
		}
	}
	return used
}

// ProcessCPU is the time of processors that a process and its children that ended have used.
func ProcessCPU(t testing.TB, pid int) time.Duration {
	t.Helper()
	own, ended, _, err := processTime(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	return own + ended
}

// processTime reads the times of a process and of its children that ended. Source: proc(5); a tick is 10 ms
// wherever Linux runs.
func processTime(file string) (own, ended time.Duration, parent string, err error) {
	line, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, "", err
	}
	fields := strings.Fields(string(line[strings.LastIndexByte(string(line), ')')+1:]))
	ticks := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64) // numbers, says proc(5)
		return time.Duration(n) * 10 * time.Millisecond
	}
	return ticks(11) + ticks(12), ticks(13) + ticks(14), fields[1], nil
}
