package custom

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// maxComplaint is how much of standard error is kept, in bytes: its end.
const maxComplaint = 4 << 10

// inherited are the variables that a command gets of ours.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SystemRoot", "TEMP"}

// runCommand starts the command, gives it the arguments and reads its answer.
func runCommand(ctx context.Context, s Spec, dir string, arguments json.RawMessage) (tool.Result, error) {
	asked := ctx
	ctx, cancel := context.WithTimeout(asked, s.Timeout)
	defer cancel()
	var out, complaint window
	out.head, complaint.tail = maxAnswer+1, maxComplaint
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(arguments), &out, &complaint
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	start := runFreely
	if s.Walled {
		start = s.runWalled
	}
	started, err := start(ctx, cmd)
	said := text.OneLine(strings.ToValidUTF8(hidden(string(complaint.kept), s.Env), "\uFFFD"))
	switch {
	case asked.Err() != nil:
		return tool.Result{}, asked.Err() // the caller's own time is over, or it gave up
	case ctx.Err() != nil:
		return tool.Result{}, &citewell.Error{Code: citewell.CodeTimeout, Op: s.Name,
			Message: fmt.Sprintf("%s did not answer within %v", s.Name, s.Timeout),
			Hint:    "tools." + s.Name + ".timeout in the configuration sets how long it may take", Err: err}
	case len(out.kept) > maxAnswer:
		return tool.Result{}, &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: s.Name,
			Message: fmt.Sprintf("%s answered with more than %d bytes", s.Name, maxAnswer)}
	case citewell.CodeOf(err) == citewell.CodeToolNotConfigured:
		return tool.Result{}, err
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // that: it answered, and somebody it started holds its pipes
		message := fmt.Sprintf("%s ended with %v", s.Name, err)
		if !started {
			message = fmt.Sprintf("%s could not be started: %v", s.Name, err)
		}
		return tool.Result{}, failed(s.Name, message, said, err)
	}
	return answered(hidden(string(out.kept), s.Env)), nil
}

// runFreely runs the command with the rights of this process, and ends its group with it.
func runFreely(_ context.Context, cmd *exec.Cmd) (started bool, err error) {
	sandbox.Group(cmd)
	cmd.WaitDelay = time.Second // for who holds the pipes after the group is gone
	err = cmd.Run()
	sandbox.KillGroup(cmd) // what it started and left behind
	return cmd.Process != nil, err
}

// runWalled runs the command behind the wall, opened by what the section names alone.
func (s Spec) runWalled(ctx context.Context, cmd *exec.Cmd) (started bool, err error) {
	if cmd.Err != nil {
		return false, cmd.Err
	}
	if walls, err := sandbox.CommandWalls(); err != nil || !walls.Holds() {
		return false, &citewell.Error{Code: citewell.CodeToolNotConfigured, Op: s.Name,
			Message: s.Name + " is not run: this system has no wall around programs",
			Hint: "citewell doctor names what is missing; without read, write and network in tools." + s.Name +
				" it runs with the rights of Citewell", Err: err}
	}
	dir, err := filepath.Abs(cmd.Dir)
	if err != nil {
		return false, err
	}
	path := cmd.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	ended, err := sandbox.Command{Path: path, Args: cmd.Args[1:], Dir: dir, Env: cmd.Env, Stdin: cmd.Stdin,
		Stdout: cmd.Stdout, Stderr: cmd.Stderr, ReadOnly: s.Read, ReadWrite: s.Write, Network: s.Network}.Run(ctx)
	switch {
	case err != nil:
		return false, err
	case ended.Signal != "":
		return true, errors.New("signal: " + ended.Signal)
	case ended.ExitCode != 0:
		return true, fmt.Errorf("exit status %d", ended.ExitCode)
	}
	return true, nil
}

// A window keeps the head or the tail of what is written and drops the rest.
type window struct {
	head, tail int // bytes; one of them is 0
	kept       []byte
}

func (w *window) Write(p []byte) (int, error) {
	if w.head > 0 {
		w.kept = append(w.kept, p[:min(len(p), w.head-len(w.kept))]...)
		return len(p), nil
	}
	w.kept = append(w.kept, p...)
	if over := len(w.kept) - w.tail; over > 0 {
		w.kept = append(w.kept[:0], w.kept[over:]...)
	}
	return len(p), nil
}
