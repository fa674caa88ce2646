//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package access

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock waits until no other process holds f.
func lock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}
