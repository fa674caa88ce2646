//go:build !linux

package cli

import "github.com/rogpeppe/go-internal/testscript"

// tty is used by scripts for Linux only.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("there is no pseudo-terminal here")
}
