package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unmapProgram lets go of the pages of the program's code and constants. Where the kernel does not
// say what is mapped, nothing happens.
func unmapProgram() {
	program, err := os.Executable()
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range unchanged(smaps, program) {
		pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), m.from)), m.to-m.from)
		_ = unix.Madvise(pages, unix.MADV_DONTNEED) // an advice: without it all stays as it was
	}
}

// A mapping is a range of addresses.
type mapping struct{ from, to uint64 }

// unchanged returns the mappings of a file that hold what the file holds: they cannot be written to, and none
// of their pages is a copy, as those are that a loader relocates or a debugger puts a breakpoint into.
func unchanged(smaps []byte, file string) (list []mapping) {
	var m mapping
	taken := false
	for line := range bytes.Lines(smaps) {
		// 00401000-0183d000 r-xp 00001000 fe:00 10027669    /usr/bin/citewell
		// Anonymous:             0 kB
		columns := strings.Fields(string(line))
		switch {
		case len(columns) > 1 && !strings.HasSuffix(columns[0], ":"):
			_, err := fmt.Sscanf(columns[0], "%x-%x", &m.from, &m.to)
			readOnly := columns[1] == "r-xp" || columns[1] == "r--p"
			taken = err == nil && readOnly && columns[len(columns)-1] == file
		case len(columns) > 1 && (columns[0] == "Anonymous:" || columns[0] == "Swap:") && columns[1] != "0":
			taken = false
		case len(columns) > 0 && columns[0] == "VmFlags:" && taken: // the last line of a mapping
			list = append(list, m)
		}
	}
	return list
}
