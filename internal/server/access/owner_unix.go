//go:build unix

package access

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByAnother says whether a file is another user's, who then has chosen its mode.
func ownedByAnother(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) != os.Geteuid()
}
