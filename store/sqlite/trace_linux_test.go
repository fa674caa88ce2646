package sqlite

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// strace runs cmd under strace with the given options, where strace is there and may trace.
func strace(t *testing.T, cmd *exec.Cmd, options ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		realpart.Lacking(t, "strace is not installed, so what reaches the disk before an acknowledgement was not "+
			"checked: %v", err)
	}
	if out, err := exec.Command(path, "-f", "-o", os.DevNull, os.Args[0], "-test.run=^$").CombinedOutput(); err != nil {
		realpart.Lacking(t, "strace may not trace here, so what reaches the disk before an acknowledgement was not "+
			"checked: %v: %s", err, out)
	}
	cmd.Args = append(append([]string{path, "-f", "-qq"}, options...), cmd.Args...)
	cmd.Path = path
	return cmd
}

// A sysCall is one finished call of a trace. Began and ended are line numbers.
type sysCall struct {
	name, args   string
	result       string
	began, ended int
}

// parseTrace reads the output of strace -f -y -xx.
func parseTrace(t *testing.T, path string) []sysCall {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	unfinished := make(map[string]sysCall) // by process
	var calls []sysCall
	for number := 1; lines.Scan(); number++ {
		pid, rest, _ := strings.Cut(lines.Text(), " ")
		rest = strings.TrimLeft(rest, " ")
		call := sysCall{began: number, ended: number}
		if after, resumed := strings.CutPrefix(rest, "<... "); resumed {
			call = unfinished[pid]
			call.ended = number
			_, rest, _ = strings.Cut(after, " resumed>")
		} else if name, args, ok := strings.Cut(rest, "("); ok {
			call.name, rest = name, args
		} else {
			continue // a signal or an exit
		}
		if args, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			call.args += args
			unfinished[pid] = call
			continue
		}
		end := strings.LastIndex(rest, ") ")
		if end < 0 {
			continue
		}
		call.args += rest[:end]
		call.result = strings.TrimLeft(rest[end+1:], " =")
		calls = append(calls, call)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return calls
}

var (
	traceFD     = regexp.MustCompile(`(?:^|, )(?:\d+|AT_FDCWD)<((?:\\x[0-9a-f]{2})*)>`)
	traceString = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
)

func unhex(s string) string {
	b := make([]byte, 0, len(s)/4)
	for i := 0; i+4 <= len(s); i += 4 {
		value, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
		b = append(b, byte(value))
	}
	return string(b)
}

// files are the paths of the descriptors among the arguments.
func (c sysCall) files() []string {
	var list []string
	for _, match := range traceFD.FindAllStringSubmatch(c.args, -1) {
		list = append(list, unhex(match[1]))
	}
	return list
}

// texts are the strings among the arguments.
func (c sysCall) texts() []string {
	var list []string
	for _, match := range traceString.FindAllStringSubmatch(c.args, -1) {
		list = append(list, unhex(match[1]))
	}
	return list
}

// paths are the file names among the arguments, each taken from its folder.
func (c sysCall) paths() []string {
	folders, names := c.files(), c.texts()
	for i, name := range names {
		if !filepath.IsAbs(name) && i < len(folders) {
			names[i] = filepath.Join(folders[i], name)
		}
	}
	return names
}

// opened is the path of the descriptor that the call returned.
func (c sysCall) opened() string {
	_, path, _ := strings.Cut(c.result, "<")
	return unhex(strings.TrimSuffix(path, ">"))
}

func (c sysCall) lastNumber() int {
	fields := strings.Split(c.args, ", ")
	n, _ := strconv.Atoi(fields[len(fields)-1])
	return n
}

func (c sysCall) failed() bool { return strings.HasPrefix(c.result, "-1") }
