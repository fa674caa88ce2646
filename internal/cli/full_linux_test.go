package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// A disk that fills in the middle of a run ends the command with the error that says so.
// The data folder is a small file system that the command alone sees; who plays its model
// fills it.
func TestResearchOnAFullDisk(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	data := filepath.Join(l.home, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c",
		`mount -t tmpfs -o size=8m tmpfs "$0" || exit 99; exec citewell research "$1"`, data, larchTask)
	cmd.Dir, cmd.Env = l.home, append(os.Environ(), homeEnviron(l.home)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	started, filled := make(chan struct{}), make(chan error, 1)
	l.model.Follow(func(n int, a modeltest.Asked) modeltest.Reply {
		if n == 3 {
			<-started
			filled <- os.WriteFile(fmt.Sprintf("/proc/%d/root%s/ballast", cmd.Process.Pid, data),
				make([]byte, 8<<20), 0o600)
		}
		return researcher{}.reply(n, a)
	})
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Start()
	if close(started); err == nil {
		err = cmd.Wait()
	}
	if exited, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran || ran && exited.ExitCode() == 99 {
		realpart.Lacking(t, "no file system may be mounted here (it needs user and mount namespaces for this user, "+
			"and tmpfs), so a really full disk was not tried: %v %s", err, stderr.String())
	}
	select {
	case err := <-filled:
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("the disk was not filled: %v", err)
		}
	default:
		t.Error("the model was not asked so far")
	}
	if code := cmd.ProcessState.ExitCode(); code != citewell.ExitFailed || stdout.Len() > 0 ||
		!strings.Contains(stderr.String(), "store_failed: the disk is full") ||
		!strings.Contains(stderr.String(), "goes on with: citewell runs resume") {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
}
