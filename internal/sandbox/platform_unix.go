//go:build unix

package sandbox

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const emptyDirectory = "/"

// group makes the child the head of a process group and the deadline the end of
// all of it.
func group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// limitCommon sets the limits that every Unix has: processor time in seconds, no
// core file, no bytes written to a file.
func limitCommon(cpu uint64) error {
	for _, l := range []struct {
		name  int
		value uint64
	}{{unix.RLIMIT_CPU, cpu}, {unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, 0}} {
		if err := setLimit(l.name, l.value); err != nil {
			return fmt.Errorf("limit %d: %w", l.name, err)
		}
	}
	return nil
}
