package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// thisMachine reads who we are from /proc. Of a process of another pid namespace or with other clocks we know nothing.
func thisMachine() machine {
	m := machine{now: time.Now, up: sinceBoot, gone: func(string) bool { return false }}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return m
	}
	clocks, _ := os.Readlink("/proc/self/ns/time") // kernels before 5.6 have one for all
	m.boot = strings.TrimSpace(string(boot)) + " " + clocks
	pids, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return m
	}
	pid := os.Getpid()
	start, _, ok := processStart(pid)
	if !ok {
		return m
	}
	m.process = fmt.Sprintf("%s %d %s", pids, pid, start)
	m.gone = func(process string) bool { return processGone(pids, process) }
	return m
}

// sinceBoot is the time since the machine started, sleep left out.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // every kernel has this clock
	}
	return time.Duration(t.Nano())
}

// processGone reports whether a process of our own pid namespace has ended. Its number may be another's by now, which
// its start tells. /proc may hide other users' processes; a signal that may not be sent shows that they are there.
func processGone(pids, process string) bool {
	var namespace, start string
	var pid int
	if n, _ := fmt.Sscanf(process, "%s %d %s", &namespace, &pid, &start); n != 3 || namespace != pids || pid <= 0 {
		return false
	}
	if err := unix.Kill(pid, 0); errors.Is(err, unix.ESRCH) {
		return true
	}
	found, ended, ok := processStart(pid)
	return ok && (ended || found != start)
}

// processStart reads when a process started, in ticks since boot, and whether it is a zombie (proc_pid_stat(5)).
func processStart(pid int) (start string, ended, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // the name before it may hold anything
	const state, startTime = 0, 22 - 3                                        // counted from the third field
	if len(fields) <= startTime {
		return "", false, false
	}
	return fields[startTime], fields[state] == "Z" || fields[state] == "X", true
}
