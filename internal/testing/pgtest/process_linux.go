package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

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
