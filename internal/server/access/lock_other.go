//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package access

import "os"

// lock does nothing here: of two changes at once the later one stays.
func lock(*os.File) error { return nil }
