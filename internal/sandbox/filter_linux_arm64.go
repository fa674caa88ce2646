package sandbox

import "golang.org/x/sys/unix"

// auditArch is the numbering of system calls that the filter is written in. No call
// of it has a number as high as firstForeignCall.
const (
	auditArch        = unix.AUDIT_ARCH_AARCH64
	firstForeignCall = 0x40000000
)
