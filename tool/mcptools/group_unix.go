//go:build unix

package mcptools

import (
	"os/exec"
	"syscall"
)

// asGroup lets a server lead a process group, so that what it starts ends with it:
// npx and its like are not the server itself.
func asGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends what is left of the group of a server that has ended; mostly
// nothing is.
func killGroup(cmd *exec.Cmd) {
	if cmd != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
