package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// executable is the running program even when its file has been replaced since.
func executable() (string, error) { return "/proc/self/exe", nil }

// addressRoom is address space beyond the memory limit that Go's runtime reserves
// without using it: arenas come in steps of 64 MiB, threads with their stacks.
const addressRoom = 512 << 20

// confine gives up what the child does not need. Landlock opens a file of its own, so files go after it; the filter
// refuses the calls that make the other walls, so it goes last.
func confine(cpu, memory uint64) (Walls, error) {
	w := Walls{Layers: []string{"memory"}}
	space, err := addressSpace()
	if err != nil {
		return w, err
	}
	noNewPrivileges := true
	// with cgo; the filter below sets it
	if _, _, errno := syscall.AllThreadsSyscall(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0); errno == unix.ENOTSUP {
		noNewPrivileges = false
	} else if errno != 0 {
		return w, fmt.Errorf("no_new_privs: %w", errno)
	}
	if abi, err := llsyscall.LandlockGetABIVersion(); err == nil && abi > 0 {
		if err := landlock.V11.BestEffort().Restrict(); err != nil {
			return w, fmt.Errorf("landlock: %w", err)
		}
		w.Layers = append(w.Layers, fmt.Sprintf("landlock %d", abi))
	} else {
		w.Missing = append(w.Missing, fmt.Sprintf("landlock (%v)", err))
	}
	if err := limitCommon(cpu); err != nil {
		return w, err
	}
	for _, l := range []struct {
		name  int
		value uint64
	}{{unix.RLIMIT_AS, space + memory + addressRoom}, {unix.RLIMIT_NOFILE, 0}} {
		if err := unix.Setrlimit(l.name, &unix.Rlimit{Cur: l.value, Max: l.value}); err != nil &&
			!errors.Is(err, unix.EPERM) {
			return w, fmt.Errorf("limit %d: %w", l.name, err)
		}
	}
	w.Layers = append(w.Layers, "cpu", "address space", "no files")
	if err := filterCalls(); err != nil {
		w.Missing = append(w.Missing, fmt.Sprintf("seccomp (%v)", err))
	} else {
		w.Layers, noNewPrivileges = append(w.Layers, "seccomp"), true
	}
	if noNewPrivileges {
		w.Layers = append(w.Layers, "no_new_privs")
	}
	return w, nil
}

// addressSpace is what the process has mapped already.
func addressSpace() (uint64, error) {
	line, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(line), " ")
	pages, err := strconv.ParseUint(first, 10, 64)
	return pages * uint64(os.Getpagesize()), err
}
