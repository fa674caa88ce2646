// Package sandbox runs work on hostile bytes in a child process that can be killed and can reach nothing, and runs
// other programs in a sandbox (Command).
//
// Flow: Run starts the program's own executable again → the child's Main gives up files, network, environment and most
// of its memory and time → the registered Job reads the input and writes its output → Run returns the output, however
// the child ended.
//
// A Job is registered by an init function, so that parent and child know the same ones. main calls Main before anything
// else; a test binary does so in TestMain. A program that does not call it starts no child: Run returns ErrNotReady.
//
// Limits on every platform: elapsed time, output, memory (by watching), an empty environment, and the end of the whole
// process group (Windows: of the child). On Unix also processor time, core files and file sizes. On Linux also no new
// files or sockets of any kind, an address space limit, no_new_privs, Landlock without a single allowed path or port
// and, on amd64 and arm64, a seccomp filter that allows only what Go's runtime needs to compute, as far as the kernel
// has them. Result.Layers names the limits in force, Result.Missing those that the kernel lacks; Try finds both. Why:
// doc/decision/0014-sandbox.md.
//
// Units: sizes in bytes. Zero Limits means the defaults written beside each field.
// Errors: ErrNotReady, the context's end, and failures to start a child. How a child ended is part of the Result,
// because the output until then counts.
// Concurrency: Run may be called from many goroutines; each call is one child.
package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// A Job is work that a child does: it reads its whole input as one slice and writes what it finds as it finds it, for a
// kill leaves the parent what was written. Its error becomes Result.Detail.
type Job func(in []byte, out io.Writer) error

var jobs = map[string]Job{}

// Register names a job. It is called by init functions only.
func Register(name string, job Job) {
	if _, twice := jobs[name]; twice {
		panic("sandbox: two jobs are named " + name)
	}
	jobs[name] = job
}

// Limits bounds one child.
type Limits struct {
	Wall   time.Duration // from start to end, 2 s when 0
	CPU    time.Duration // of processor time, rounded up to seconds; twice Wall when 0
	Memory int64         // 512 MiB when 0
	Output int64         // 16 MiB when 0
}

func (l Limits) withDefaults() Limits {
	l.Wall = orDefault(l.Wall, 2*time.Second)
	l.CPU = orDefault(l.CPU, 2*l.Wall)
	l.Memory = orDefault(l.Memory, 512<<20)
	l.Output = orDefault(l.Output, 16<<20)
	return l
}

// orDefault returns a limit, or its default where it is none.
func orDefault[N ~int | ~int64](limit, otherwise N) N {
	if limit <= 0 {
		return otherwise
	}
	return limit
}

// An End says how a child ended.
type End string

// The ways a child ends.
const (
	Finished  End = "finished"
	Failed    End = "failed"      // the job returned an error, which is in Detail
	OutOfTime End = "out of time" // wall clock or processor time
	OutOfRoom End = "out of memory"
	Overflow  End = "too much output"
	Crashed   End = "crashed" // a panic or a signal
)

// A Result is what a child wrote and how it ended.
type Result struct {
	Output []byte
	End    End
	Detail string // the job's error or the first lines of a crash; never for users
	Walls
}

// Walls are what confined a child, as it reported itself.
type Walls struct {
	Layers  []string `json:"layers"`
	Missing []string `json:"missing,omitempty"` // what this system has but would not give, and why
}

// ErrNotReady says that this program's main does not call Main, so that starting it again would run the whole program.
var ErrNotReady = errors.New("sandbox: this program does not call sandbox.Main at its start")

// ready is set by Main in a process that is no child.
var ready atomic.Bool

// Exit codes of a child, away from those that Go's runtime uses.
const (
	exitFailed  = 64
	exitTime    = 65
	exitMemory  = 66
	exitMisused = 67
)

const (
	childArgument = "__sandbox"
	wallArgument  = "__wall"
	relayArgument = "__relay"
	childVariable = "CITEWELL_SANDBOX_CHILD"
)

// Run does a registered job on in within limits, in a child of its own.
func Run(ctx context.Context, job string, in []byte, limits Limits) (Result, error) {
	if _, known := jobs[job]; !known {
		return Result{}, fmt.Errorf("sandbox: no job is named %q", job)
	}
	if !ready.Load() {
		return Result{}, ErrNotReady
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	l := limits.withDefaults()
	walled, cancel := context.WithTimeout(ctx, l.Wall)
	defer cancel()
	program, err := executable()
	if err != nil {
		return Result{}, fmt.Errorf("sandbox: %w", err)
	}
	seconds := (l.CPU + time.Second - 1) / time.Second
	arguments := []string{childArgument, job, strconv.FormatInt(l.Wall.Milliseconds(), 10),
		strconv.FormatInt(int64(seconds), 10), strconv.FormatInt(l.Memory, 10)}
	command := exec.CommandContext(walled, program, arguments...)
	// Starting a large program allocates much that stays. The child turns garbage collection on before it reads.
	command.Env = append([]string{childVariable + "=1", "GOGC=off"}, detector...)
	command.Dir = emptyDirectory
	command.Stdin = bytes.NewReader(in)
	out := &capped{room: l.Output, full: cancel}
	trouble := &capped{room: 4 << 10, full: func() {}}
	command.Stdout, command.Stderr = out, trouble
	command.WaitDelay = time.Second
	Group(command)

	if err := command.Start(); err != nil {
		return Result{}, fmt.Errorf("sandbox: %w", err)
	}
	waited := command.Wait()
	if err := ctx.Err(); err != nil && waited != nil {
		return Result{}, err
	}
	r := Result{Output: out.bytes(), Detail: string(trouble.bytes())}
	r.Walls, r.Output = cutWalls(r.Output)
	r.End = ended(command, r.Detail, out.overflowed(), walled.Err() != nil)
	if r.Detail == "" && r.End == Crashed {
		r.Detail = command.ProcessState.String()
	}
	return r, nil
}

// ended names a child's end. The runtime's end for want of memory has no exit code of its own, but says so.
func ended(command *exec.Cmd, trouble string, overflow, late bool) End {
	code := command.ProcessState.ExitCode()
	switch {
	case overflow:
		return Overflow
	case code == 0:
		return Finished
	case code == exitFailed:
		return Failed
	case code == exitTime || late:
		return OutOfTime
	case code == exitMemory || strings.Contains(trouble, "out of memory") || strings.Contains(trouble, "stack exceeds"):
		return OutOfRoom
	}
	return Crashed
}

// cutWalls takes the line off with which every child begins.
func cutWalls(output []byte) (reached Walls, rest []byte) {
	line, rest, found := bytes.Cut(output, []byte("\n"))
	if !found || json.Unmarshal(line, &reached) != nil {
		return Walls{}, nil
	}
	return reached, rest
}
