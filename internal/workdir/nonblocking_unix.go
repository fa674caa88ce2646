//go:build unix

package workdir

import "syscall"

const nonblocking = syscall.O_NONBLOCK
