//go:build amd64 || arm64

package sandbox

import (
	"os"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// denied are calls that a program has no business with: looking into other processes,
// mounts and namespaces, keys, the kernel's own machinery, the clock, files by handle.
// What is new in the kernel after faccessat2 and its like is not in the list; what of it goes round
// files is Landlock's.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSCONFIG, unix.SYS_FSPICK,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME,
	unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_PERSONALITY,
	unix.SYS_SETRLIMIT,
}

// families are the sockets that a program may have where it has a network, its own or ours:
// not those of this machine's services, which go by files, nor of its hypervisor.
var families = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// filterProgram puts the filter of a program's system calls over this thread.
func filterProgram(o order) error { return install(programFilter(o), 0) }

// programFilter lets through all calls but those of the list, the making of namespaces and,
// without a network, of sockets; typing into a terminal; signals to us; raising its limits.
func programFilter(o order) []bpf.Instruction {
	program := head()
	deny := func(call uint32) []bpf.Instruction {
		return []bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: 1}, bpf.RetConstant{Val: refuse}}
	}
	for _, call := range denied {
		program = append(program, deny(call)...)
	}
	open := families
	if !o.NetSpace && !o.Network {
		open = nil
	}
	program = append(program, onCall(unix.SYS_SOCKET, oneOf(0, open, allow, refuse))...)
	program = append(program, onCall(unix.SYS_CLONE, []bpf.Instruction{bpf.LoadAbsolute{Off: argumentsOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: spaceBits, SkipFalse: 1}, bpf.RetConstant{Val: refuse},
		bpf.RetConstant{Val: allow}})...)
	terminal := []uint32{unix.TIOCSTI, unix.TIOCLINUX}
	program = append(program, onCall(unix.SYS_IOCTL, oneOf(1, terminal, refuse, allow))...)
	// Reading a limit gives no new one.
	program = append(program, onCall(unix.SYS_PRLIMIT64, []bpf.Instruction{
		bpf.LoadAbsolute{Off: argumentsOffset + 8*2, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: refuse},
		bpf.LoadAbsolute{Off: argumentsOffset + 8*2 + 4, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: refuse}, bpf.RetConstant{Val: allow}})...)
	if !o.PIDSpace { // where there is one they are not to be seen
		var ours []uint32
		for _, pid := range []int{os.Getpid(), os.Getppid()} {
			ours = append(ours, uint32(pid), uint32(-pid))
		}
		ours = append(ours, all) // -1 is everybody
		for _, call := range []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO,
			unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN} {
			program = append(program, onCall(call, oneOf(0, ours, refuse, allow))...)
		}
	}
	return append(program, bpf.RetConstant{Val: allow})
}

// onCall runs body, which returns, for one call.
func onCall(call uint32, body []bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: call, SkipFalse: uint8(len(body))}}, body...)
}

// oneOf returns then where the low half of an argument is one of values, and otherwise else.
func oneOf(argument uint32, values []uint32, then, otherwise uint32) []bpf.Instruction {
	body := []bpf.Instruction{bpf.LoadAbsolute{Off: argumentsOffset + 8*argument, Size: 4}}
	for _, v := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: 1}, bpf.RetConstant{Val: then})
	}
	return append(body, bpf.RetConstant{Val: otherwise})
}
