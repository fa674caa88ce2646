package access

import (
	"os"

	"golang.org/x/sys/windows"
)

// lock waits until no other process holds f.
func lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}
