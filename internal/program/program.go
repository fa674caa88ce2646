// Package program runs programs of a short list on the files of one folder, for tools.
//
// Flow: New finds the programs once → Judge decides whether a command line is allowed → Run starts it in the sandbox
// that Options.Start gives, in an environment of its own, and keeps the first and last parts of its output.
// A command line is a list of arguments; there is no shell, and no argument is rewritten. The table grammars has each
// program's allowed arguments. It refuses options that start programs, write elsewhere or load configuration, in every
// form, and everything that it does not know. The table gives good errors early; the sandbox is what holds.
// Units: sizes in bytes.
// Errors: command_not_allowed, argument_not_allowed, path_outside_workdir, arguments_too_large, invalid_argument. A
// program that fails or takes too long is a Result.
// Concurrency: Programs may be used from many goroutines; MaxAtOnce run at once, others wait.
// Why: doc/decision/0047-run-cli.md
package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	pathname "path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/workdir"
)

// MaxAtOnce is how many programs run at once.
const MaxAtOnce = 8

// TimedOutCode is the exit code that is told of a program whose time was over.
const TimedOutCode = 124

// A Start is a program that is to be run: Path is absolute, Env whole. Beside what every program needs it may touch
// ReadWrite and ReadOnly, and the network if Network says so.
type Start struct {
	Path                string
	Args                []string // without its name
	Dir                 string
	Env                 []string
	Stdin               io.Reader
	Stdout, Stderr      io.Writer
	ReadWrite, ReadOnly []string
	Network             bool
}

// Ended is how a program ended.
type Ended struct {
	ExitCode int    // -1 where a signal ended it
	Signal   string // as in "killed"; empty where it ended by itself
}

// A Starter runs a program and waits for it and all that it started. They are killed when the context ends.
type Starter func(context.Context, Start) (Ended, error)

// Options say what may be run and where.
type Options struct {
	Workdir    workdir.Dir
	Allow      []string // programs by name, in place of the table's
	Block      []string // programs that are not run, whatever Allow says
	Path       string   // where programs are looked for, as in the variable PATH
	Scratch    string   // a folder for homes and temporary files, and for what go builds
	GoModules  string   // modules that go may read; empty for none
	Network    bool
	MaxOutput  int64         // of each of standard output and error that is kept: its first and its last half
	Timeout    time.Duration // where a call does not say
	MaxTimeout time.Duration // that a call may say
	Start      Starter
}

// Programs are those that may be run.
type Programs struct {
	o     Options
	found map[string]string // absolute paths by name
	room  chan struct{}
}

// A Call is one program to be run.
type Call struct {
	Command string
	Args    []string
	Folder  string // of the working folder, where it runs; empty for the working folder itself
	Stdin   string
	Timeout time.Duration // 0 takes Options.Timeout
}

// A Result is what a program said and how it ended.
type Result struct {
	Ended
	Stdout, Stderr string
	Duration       time.Duration
	Truncated      bool // something was left out in the middle of Stdout or Stderr
	TimedOut       bool
}

// New finds the programs. What is not installed is left out.
func New(o Options) *Programs {
	p := &Programs{o: o, found: map[string]string{}, room: make(chan struct{}, MaxAtOnce)}
	allowed := o.Allow
	if len(allowed) == 0 {
		allowed = slices.Collect(maps.Keys(grammars))
	}
	for _, name := range allowed {
		if path := p.findProgram(name); path != "" && !slices.Contains(o.Block, name) {
			p.found[name] = path
		}
	}
	return p
}

// findProgram looks for a program as a shell does, but never in the working folder or relative to any.
func (p *Programs) findProgram(name string) string {
	if name == "" || strings.ContainsAny(name, `/\`) {
		return ""
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(p.o.Path) {
		file := filepath.Join(dir, name)
		if !filepath.IsAbs(dir) || p.o.Workdir.Holds(dir) || p.o.Workdir.Holds(file) {
			continue
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() &&
			(info.Mode()&0o111 != 0 || runtime.GOOS == "windows") {
			return file
		}
	}
	return ""
}

// Names are those of the programs that may be run.
func (p *Programs) Names() []string { return slices.Sorted(maps.Keys(p.found)) }

// Timeouts are the time of a call that names none, and the most that one may name.
func (p *Programs) Timeouts() (usual, most time.Duration) { return p.o.Timeout, p.o.MaxTimeout }

// Network says whether programs reach it.
func (p *Programs) Network() bool { return p.o.Network }

// shellMarks are what a line of a shell has, and no program's name.
const shellMarks = " \t\r\n|&;<>()$`\"'*?#~={}[]!\x00"

// Judge says what of a call is not let through; nil lets it through.
func (p *Programs) Judge(c Call) error {
	there := "there are " + strings.Join(p.Names(), ", ")
	switch {
	case strings.ContainsAny(c.Command, shellMarks):
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "run_cli",
			Message: "command is the name of one program, not a line for a shell: " + shown(c.Command),
			Hint:    `give the arguments as a list, as in {"command": "git", "args": ["status"]}; there are no pipes`}
	case strings.ContainsAny(c.Command, `/\`):
		return &citewell.Error{Code: citewell.CodeCommandNotAllowed, Op: "run_cli",
			Message: "command is a path, " + shown(c.Command) + "; programs are run by their names", Hint: there}
	case p.found[c.Command] == "":
		return &citewell.Error{Code: citewell.CodeCommandNotAllowed, Op: "run_cli",
			Message: shown(c.Command) + " is not among the programs that may be run here", Hint: there}
	}
	if err := p.o.Workdir.Folder(cmp.Or(c.Folder, ".")); err != nil {
		return err
	}
	l := line{program: c.Command, args: c.Args, inside: func(name string) error {
		if name == "" {
			return nil
		}
		if pathname.IsAbs(filepath.ToSlash(name)) || c.Folder == "" {
			return p.o.Workdir.Inside(name)
		}
		return p.o.Workdir.Inside(c.Folder + "/" + name)
	}}
	return l.judge()
}

// Run judges a call and runs it.
func (p *Programs) Run(ctx context.Context, c Call) (Result, error) {
	if err := p.Judge(c); err != nil {
		return Result{}, err
	}
	select {
	case p.room <- struct{}{}:
		defer func() { <-p.room }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	own, err := p.privateFolders()
	if err != nil {
		return Result{}, &citewell.Error{Code: citewell.CodeToolFailed, Op: "run_cli",
			Message: "no folder can be made for the program's home", Err: err}
	}
	defer removeAll(own.of)
	timeout := p.o.Timeout
	if c.Timeout > 0 {
		timeout = min(c.Timeout, p.o.MaxTimeout)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s := Start{Path: p.found[c.Command], Args: c.Args, Dir: filepath.Join(p.o.Workdir.Path(),
		filepath.FromSlash(c.Folder)), Env: p.environment(own, p.searched(), gitSettings), Network: p.o.Network,
		ReadWrite: []string{p.o.Workdir.Path(), own.of, own.goCache}, ReadOnly: p.readable()}
	began := time.Now()
	if c.Command == "git" {
		if r, done, err := p.quietGit(limited, &s, own); done || err != nil {
			return p.told(ctx, limited, r, time.Since(began), err)
		}
	}
	s.Stdin = strings.NewReader(c.Stdin)
	r, err := p.run(limited, s)
	return p.told(ctx, limited, r, time.Since(began), err)
}

// run starts one program and keeps what it says.
func (p *Programs) run(ctx context.Context, s Start) (Result, error) {
	out, complaints := newEnds(p.o.MaxOutput), newEnds(p.o.MaxOutput)
	s.Stdout, s.Stderr = out, complaints
	ended, err := p.o.Start(ctx, s)
	r := Result{Ended: ended, Truncated: out.cut() || complaints.cut()}
	r.Stdout, r.Stderr = out.String(), complaints.String()
	return r, err
}

// told is how a call ended. The end of the caller's own time is an error, that of the program's a result.
func (p *Programs) told(asked, limited context.Context, r Result, took time.Duration, err error) (Result, error) {
	r.Duration = took
	switch {
	case asked.Err() != nil:
		return Result{}, asked.Err()
	case limited.Err() != nil && (err == nil || errors.Is(err, context.DeadlineExceeded)):
		r.TimedOut, r.ExitCode, r.Signal = true, TimedOutCode, ""
		return r, nil
	case err != nil:
		if _, ours := errors.AsType[*citewell.Error](err); ours {
			return Result{}, err
		}
		return Result{}, &citewell.Error{Code: citewell.CodeToolFailed, Op: "run_cli",
			Message: "the program could not be started: " + err.Error(), Err: err}
	}
	return r, nil
}

// folders are a call's own.
type folders struct {
	of, home, tmp string // removed after the call
	goCache       string // kept for the next one
}

func (p *Programs) privateFolders() (folders, error) {
	f := folders{goCache: filepath.Join(p.o.Scratch, "go-build")}
	if err := os.MkdirAll(f.goCache, 0o700); err != nil {
		return f, err
	}
	var err error
	if f.of, err = os.MkdirTemp(p.o.Scratch, "call-"); err != nil {
		return f, err
	}
	f.home, f.tmp = filepath.Join(f.of, "home"), filepath.Join(f.of, "tmp")
	telemetry := filepath.Join(f.home, ".config", "go", "telemetry")
	if err := errors.Join(os.MkdirAll(telemetry, 0o700), os.Mkdir(f.tmp, 0o700)); err != nil {
		return f, err
	}
	// No variable says this. In a home that is new to it, go would leave a process behind that gathers what it counted.
	return f, os.WriteFile(filepath.Join(telemetry, "mode"), []byte("off"), 0o600)
}

// readable are the files of the programs themselves outside of the system's folders: each by itself, and Go's tree.
func (p *Programs) readable() []string {
	var all []string
	for name, path := range p.found {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		all = append(all, real)
		if name == "go" {
			all = append(all, filepath.Dir(filepath.Dir(real)))
		}
	}
	if info, err := os.Stat(p.o.GoModules); err == nil && info.IsDir() {
		all = append(all, p.o.GoModules)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// removeAll removes a folder of which a program may have taken its own rights.
func removeAll(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir) // what is left then belongs to nobody, and its name is never used again
}

// ends keep the first and the last half of what is written, and count the rest.
type ends struct {
	half       int
	head, tail []byte
	total      int64
}

func newEnds(most int64) *ends { return &ends{half: int(most / 2)} }

// Write implements io.Writer; it never fails.
func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	e.total += int64(n)
	fits := min(len(p), e.half-len(e.head))
	e.head, p = append(e.head, p[:fits]...), p[fits:]
	if len(p) > e.half {
		p = p[len(p)-e.half:]
	}
	e.tail = append(e.tail, p...)
	if len(e.tail) > 2*e.half { // moved seldom
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-e.half:]...)
	}
	return n, nil
}

// cut says whether something was left out.
func (e *ends) cut() bool { return e.total > int64(2*e.half) }

// String is what was kept as UTF-8, with a line on what was left out.
func (e *ends) String() string {
	tail := e.tail[max(0, len(e.tail)-e.half):]
	if !e.cut() {
		return strings.ToValidUTF8(string(e.head)+string(tail), "\uFFFD")
	}
	head, tail := wholeAtEnd(e.head), wholeAtStart(tail)
	left := e.total - int64(len(head)+len(tail))
	return strings.ToValidUTF8(string(head), "\uFFFD") + fmt.Sprintf("\n[... %d bytes left out ...]\n", left) +
		strings.ToValidUTF8(string(tail), "\uFFFD")
}
