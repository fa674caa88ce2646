//go:build !linux

package pgtest

import (
	"path/filepath"
	"syscall"
)

// Elsewhere tests are not root's.

func lowered() *syscall.SysProcAttr { return nil }

func give(string) error { return nil }

func reachable(home, bin, _ string) (string, error) { return filepath.Join(home, bin), nil }

func apart() *syscall.SysProcAttr { return nil }
