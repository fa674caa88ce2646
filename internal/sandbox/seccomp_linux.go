//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// filterCalls puts the filter of system calls over every thread of the process for good, and with it no_new_privs. The
// error says why the kernel would not.
func filterCalls() error { return install(filter(uint32(os.Getpid())), unix.SECCOMP_FILTER_FLAG_TSYNC) }

// install puts a filter over this thread or, by the flag, over all.
func install(program []bpf.Instruction, flags uintptr) error {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	instructions := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		instructions[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	whole := unix.SockFprog{Len: uint16(len(instructions)), Filter: &instructions[0]}
	runtime.LockOSThread() // both calls must come from one thread
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&whole)))
	switch {
	case errno != 0:
		return errno
	case thread != 0:
		return fmt.Errorf("thread %d has a filter of its own", thread)
	}
	return nil
}
