//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// mayWrite says whether this process may write what is at path. It is asked without opening
// it: closing it would drop the locks that SQLite holds on it elsewhere in this process.
func mayWrite(path string) bool {
	err := unix.Access(path, unix.W_OK)
	return err != unix.EROFS && err != unix.EACCES && err != unix.EPERM
}
