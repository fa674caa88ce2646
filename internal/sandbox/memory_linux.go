package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// lookEvery is how often it is looked at how much memory a command holds: what it can take in
// between the machine must have.
const lookEvery = 250 * time.Millisecond

// watchTogether calls over when the processes below one hold more than most bytes, and returns then or at ended.
func watchTogether(of int, most int64, ended <-chan struct{}, over func()) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ended:
			return
		case <-look.C:
		}
		if below := descendants(of); held(below, ownOf) > most && held(below, shareOf) > most {
			over()
			return
		}
	}
}

func held(all []int, of func(pid int) int64) (sum int64) {
	for _, pid := range all {
		sum += of(pid)
	}
	return sum
}

// ownOf is what a process holds without files, counting shared pages again; 0 for one that has ended.
func ownOf(pid int) int64 {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(all)
	if err != nil || len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64) // of the kernel's making
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}

// shareOf is what a process holds with its share of what others hold too; ownOf where the kernel does not tell.
func shareOf(pid int) int64 {
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return ownOf(pid)
	}
	for line := range bytes.Lines(all) {
		if fields := bytes.Fields(line); len(fields) > 1 && string(fields[0]) == "Pss_Anon:" {
			kilobytes, _ := strconv.ParseInt(string(fields[1]), 10, 64) // as above
			return kilobytes << 10
		}
	}
	return ownOf(pid)
}
