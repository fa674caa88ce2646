//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

// filterCalls says that the filter is not written for this processor's numbering of system calls.
func filterCalls() error { return errors.New("no filter for " + runtime.GOARCH) }
