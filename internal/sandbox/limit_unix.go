//go:build unix && !freebsd && !dragonfly

package sandbox

import "golang.org/x/sys/unix"

func setLimit(name int, soft, hard uint64) error {
	return unix.Setrlimit(name, &unix.Rlimit{Cur: soft, Max: hard})
}
