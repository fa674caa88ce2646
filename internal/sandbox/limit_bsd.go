//go:build freebsd || dragonfly

package sandbox

import "golang.org/x/sys/unix"

func setLimit(name int, soft, hard uint64) error {
	return unix.Setrlimit(name, &unix.Rlimit{Cur: int64(soft), Max: int64(hard)})
}
