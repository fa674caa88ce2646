package sqlite

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func init() {
	childModes["wait"] = func(string) int { // until its input ends
		io.Copy(io.Discard, os.Stdin)
		return 0
	}
}

// TestProcessGone asks about real processes.
func TestProcessGone(t *testing.T) {
	here := thisMachine()
	if here.boot == "" || here.process == "" || here.up() <= 0 {
		t.Fatalf("this machine is %+v", here)
	}
	fields := strings.Fields(here.process)
	name := func(pid, start string) string { return fields[0] + " " + pid + " " + start }
	for process, gone := range map[string]bool{
		here.process:                             false,
		name(fields[1], "1"):                     true, // its number is ours by now
		name("4194305", fields[2]):               true, // above what Linux gives
		"pid:[1] " + fields[1] + " " + fields[2]: false,
		"":                                       false, "x": false, name("-1", "1"): false, name("0", "1"): false,
		name("x", "1"): false,
	} {
		if here.gone(process) != gone {
			t.Errorf("%q is gone: %v, want %v", process, !gone, gone)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childMode+"=wait")
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	start, ended, ok := processStart(cmd.Process.Pid)
	other := name(strconv.Itoa(cmd.Process.Pid), start)
	if !ok || ended || here.gone(other) {
		t.Errorf("a living child %q is taken for gone", other)
	}
	in.Close()
	cmd.Wait()
	if !here.gone(other) {
		t.Errorf("a child that ended, %q, is not gone", other)
	}
}
