//go:build unix

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

const emptyDirectory = "/"

// Group makes a command that is not started yet the head of a process group, which ends with the command's context.
func Group(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if command.Cancel != nil {
		command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	}
}

// KillGroup ends what is left of the group of a command, which may be nil or not have been started; mostly nothing is.
func KillGroup(command *exec.Cmd) {
	if command != nil && command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
}

// limitCommon sets the limits that every Unix has: processor time in seconds, no core file, no bytes written to a file.
// The child ends itself at the limit of processor time, to tell this end from others; the kernel does it a second
// later.
func limitCommon(cpu uint64) error {
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, unix.SIGXCPU)
	go func() {
		<-spent
		os.Exit(exitTime)
	}()
	for _, l := range []struct {
		name       int
		soft, hard uint64
	}{{unix.RLIMIT_CPU, cpu, cpu + 1}, {unix.RLIMIT_CORE, 0, 0}, {unix.RLIMIT_FSIZE, 0, 0}} {
		if err := setLimit(l.name, l.soft, l.hard); err != nil {
			return fmt.Errorf("limit %d: %w", l.name, err)
		}
	}
	return nil
}
