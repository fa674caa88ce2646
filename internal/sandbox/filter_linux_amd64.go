package sandbox

import "golang.org/x/sys/unix"

// auditArch is the numbering of system calls that the filter is written in. On this
// processor the kernel may know a second one under the same name, x32, whose
// numbers begin with firstForeignCall.
const (
	auditArch        = unix.AUDIT_ARCH_X86_64
	firstForeignCall = 0x40000000
)
