package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is the heap, as a percentage of the runtime's smallest one of 4 MiB, at which the first garbage
// collection begins: most commands end before, and spare themselves a tenth of their processor time or more.
const firstCollection = 800

// collectLate puts the first garbage collection off. From that one on the collector works as it does by default.
// It does nothing if the user has set GOGC.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection)
	collected := new([16]byte) // a block of its own: the runtime packs smaller objects together
	runtime.SetFinalizer(collected, func(*[16]byte) { debug.SetGCPercent(usual) })
}
