package cli

import (
	"context"
	"runtime/debug"
	"time"
)

// settleAfter is how long a server has been there when it gives back what only its start needed.
const settleAfter = 2 * time.Second

// settle gives the memory that only the start of a server needed back to the system, once: what is free on the
// heap, and the pages of the program's file. It ends early if ctx ends.
//
// A hundred packages initialise themselves, a few hundred bytes of code each, and for each of them the kernel maps
// 64 KB of the file: three quarters of what a waiting server has mapped is never read again. The kernel keeps
// these pages in its cache for as long as it has room, and maps one again when it is needed.
func settle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(settleAfter):
		debug.FreeOSMemory()
		unmapProgram()
	}
}
