package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"
)

// Main turns the process into a child if it was started as one, and never returns then; else it returns at once. Call
// it first in a main function or a TestMain.
func Main() {
	called := os.Getenv(childVariable) != ""
	if called && len(os.Args) == 2 && os.Args[1] == wallArgument {
		os.Exit(superviseMain())
	}
	if called && len(os.Args) == 3 && os.Args[1] == relayArgument {
		os.Exit(relay(os.Args[2]))
	}
	if !called || len(os.Args) != 6 || os.Args[1] != childArgument {
		ready.Store(true)
		return
	}
	os.Exit(child(os.Args[2:]))
}

// child reads its input before it gives everything up, because afterwards no new file can be opened.
func child(arguments []string) int {
	job, known := jobs[arguments[0]]
	wall, err1 := strconv.ParseInt(arguments[1], 10, 64)
	cpu, err2 := strconv.ParseUint(arguments[2], 10, 32)
	memory, err3 := strconv.ParseInt(arguments[3], 10, 64)
	if !known || err1 != nil || err2 != nil || err3 != nil || wall <= 0 || memory <= 0 {
		fmt.Fprintln(os.Stderr, "not a call that the parent makes")
		return exitMisused
	}
	os.Clearenv()
	debug.SetGCPercent(100)
	runtime.GOMAXPROCS(2)
	time.AfterFunc(time.Duration(wall)*time.Millisecond, func() { os.Exit(exitTime) })
	watchMemory(uint64(memory))
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	reached, err := confine(cpu, uint64(memory))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	first, err := json.Marshal(reached)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	if _, err := os.Stdout.Write(append(first, '\n')); err != nil {
		return exitFailed
	}
	if err := job(in, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return 0
}

// watchMemory ends the child when Go's heap outgrows the limit, before the address space does, unlike a crash.
func watchMemory(limit uint64) {
	debug.SetMemoryLimit(int64(limit) * 3 / 4)
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			metrics.Read(held)
			if held[0].Value.Uint64()+held[1].Value.Uint64() > limit {
				os.Exit(exitMemory)
			}
		}
	}()
}
