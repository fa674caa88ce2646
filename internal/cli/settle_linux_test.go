package cli

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"unsafe"
)

// mapAll reads a byte of each page of some mappings.
func mapAll(list []mapping) {
	read := byte(0)
	for _, m := range list {
		pages := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), m.from)), m.to-m.from)
		for at := 0; at < len(pages); at += os.Getpagesize() {
			read += pages[at]
		}
	}
	runtime.KeepAlive(read)
}

// mapped returns how many kilobytes of the test program's unchanged mappings are in memory, and the mappings.
func mapped(t *testing.T) (kilobytes int, list []mapping) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	list = unchanged(smaps, program)
	for _, m := range list {
		_, rest, _ := strings.Cut(string(smaps), fmt.Sprintf("%08x-%08x ", m.from, m.to))
		_, rest, _ = strings.Cut(rest, "\nRss:")
		var n int
		if _, err := fmt.Sscan(rest, &n); err != nil {
			t.Fatal(err)
		}
		kilobytes += n
	}
	return kilobytes, list
}

// A server that has been there for a while has let go of what only its start needed, and goes on.
func TestSettle(t *testing.T) {
	_, list := mapped(t)
	mapAll(list)
	before, _ := mapped(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		settle(ctx) // which ends, and lets go of nothing
		if still, _ := mapped(t); still < before/2 {
			t.Errorf("a server that ended holds %d KB of its program, %d before", still, before)
		}
		settle(t.Context())
	})
	if after, _ := mapped(t); before == 0 || after > before/2 {
		t.Errorf("%d KB of the program are mapped at rest, %d before", after, before)
	}
}

// Pages that are not what the file holds are never let go: what was relocated in them would be lost.
func TestUnchangedMappings(t *testing.T) {
	const smaps = `00401000-0183d000 r-xp 00001000 fe:00 10027669    /usr/bin/citewell
Rss:               16428 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
0183d000-0343a000 r--p 0143d000 fe:00 10027669    /usr/bin/citewell
Rss:               15284 kB
Anonymous:             4 kB
Swap:                  0 kB
VmFlags: rd mr mw me
0343a000-0343b000 r--p 0143d000 fe:00 10027669    /usr/bin/citewell
Anonymous:             0 kB
Swap:                  4 kB
VmFlags: rd mr mw me
0343b000-036cf000 rw-p 0303a000 fe:00 10027669    /usr/bin/citewell
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd wr mr mw me ac
036cf000-05727000 r--p 00000000 fe:00 77          /usr/lib/libc.so.6
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me ac
7fc039bea000-7fc039c4a000 r--p 0343b000 fe:00 10027669    /usr/bin/citewell
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
`
	want := []mapping{{0x401000, 0x183d000}, {0x7fc039bea000, 0x7fc039c4a000}}
	if got := unchanged([]byte(smaps), "/usr/bin/citewell"); !reflect.DeepEqual(got, want) {
		t.Errorf("%x; want %x", got, want)
	}
	if got := unchanged([]byte("nothing of a kernel's\n\n- - -\n"), ""); got != nil {
		t.Errorf("%x of no mappings", got)
	}
}
