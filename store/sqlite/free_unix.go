//go:build !windows

package sqlite

import "golang.org/x/sys/unix"

// freeBytes is how much this user may still write to the disk of dir.
func freeBytes(dir string) (int64, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, err
	}
	return int64(disk.Bavail) * int64(disk.Bsize), nil
}
