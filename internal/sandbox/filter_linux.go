//go:build amd64 || arm64

package sandbox

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A rule lets one system call through, if each of its checks holds.
type rule struct {
	call   uint32
	checks []check
}

// A check looks at the low half of one argument: of its bits in mask, exactly those
// in want are set. The kernel ignores the high half where checks are used.
type check struct {
	argument   uint32
	mask, want uint32
}

const (
	all        = ^uint32(0)
	threadBits = unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND
	spaceBits  = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// rules are what Go's runtime (and, in a build with cgo, the C library's threads)
// calls in a process that computes and writes to files that are already open. All
// else is refused: no way is left to a file, a socket, a program, another process,
// a namespace, a key, a ring or a filter of the kernel's.
func rules(pid uint32) []rule {
	return []rule{
		// Input that is open, output, and the runtime's poller.
		{call: unix.SYS_READ}, {call: unix.SYS_WRITE}, {call: unix.SYS_CLOSE},
		{call: unix.SYS_EPOLL_PWAIT}, {call: unix.SYS_EPOLL_CTL},
		// Memory, none of which can be made executable.
		{call: unix.SYS_MMAP, checks: []check{{2, unix.PROT_EXEC, 0}}},
		{call: unix.SYS_MPROTECT, checks: []check{{2, unix.PROT_EXEC, 0}}},
		{call: unix.SYS_MUNMAP}, {call: unix.SYS_MREMAP}, {call: unix.SYS_MADVISE}, {call: unix.SYS_MINCORE},
		{call: unix.SYS_BRK},
		{call: unix.SYS_PRCTL, checks: []check{{0, all, unix.PR_SET_VMA}}}, // names of mappings
		// Threads of this process, never a new process.
		{call: unix.SYS_CLONE, checks: []check{{0, threadBits | spaceBits, threadBits}}},
		{call: unix.SYS_SET_ROBUST_LIST}, {call: unix.SYS_RSEQ},
		{call: unix.SYS_FUTEX}, {call: unix.SYS_SCHED_YIELD}, {call: unix.SYS_SCHED_GETAFFINITY},
		{call: unix.SYS_GETPID}, {call: unix.SYS_GETTID},
		{call: unix.SYS_EXIT}, {call: unix.SYS_EXIT_GROUP},
		// Signals to itself: the runtime stops its own threads by them.
		{call: unix.SYS_TGKILL, checks: []check{{0, all, pid}}},
		{call: unix.SYS_RT_SIGACTION}, {call: unix.SYS_RT_SIGPROCMASK}, {call: unix.SYS_RT_SIGRETURN},
		{call: unix.SYS_SIGALTSTACK}, {call: unix.SYS_RESTART_SYSCALL},
		// Time and chance.
		{call: unix.SYS_NANOSLEEP}, {call: unix.SYS_CLOCK_NANOSLEEP}, {call: unix.SYS_CLOCK_GETTIME},
		{call: unix.SYS_GETTIMEOFDAY}, {call: unix.SYS_GETRANDOM},
	}
}

// Offsets into the kernel's struct seccomp_data. Both processors put the low half of an argument first.
const (
	callOffset      = 0
	archOffset      = 4
	argumentsOffset = 16
)

// What the filter says of a call.
const (
	allow   = unix.SECCOMP_RET_ALLOW
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	kill    = unix.SECCOMP_RET_KILL_PROCESS
)

// filter is the program that the kernel runs before each system call of the
// process pid. Calls in another processor's numbering are no mistake of a
// library's: they end the process. A call that is refused returns EPERM, so that
// a library that merely asks goes on without.
func filter(pid uint32) []bpf.Instruction {
	program := head()
	for _, r := range rules(pid) {
		var body []bpf.Instruction
		for _, c := range r.checks {
			body = append(body,
				bpf.LoadAbsolute{Off: argumentsOffset + 8*c.argument, Size: 4},
				bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask},
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.want, SkipTrue: 1},
				bpf.RetConstant{Val: refuse})
		}
		body = append(body, bpf.RetConstant{Val: allow})
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.call, SkipFalse: uint8(len(body))})
		program = append(program, body...)
	}
	return append(program, bpf.RetConstant{Val: refuse})
}

// head begins every filter: it loads the number of the call, and ends those in another processor's numbering.
func head() []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: callOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: firstForeignCall, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		// The C library makes threads with clone when the kernel knows no clone3,
		// whose arguments lie in memory where a filter does not see them.
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_CLONE3, SkipFalse: 1},
		bpf.RetConstant{Val: unknown},
	}
}
