//go:build !linux

package cli

// hideProcess does nothing here: this system shows a process's environment to the user's other programs, or to none.
func hideProcess() {}
