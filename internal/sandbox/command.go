package sandbox

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Command is a program that runs behind the wall: what it may touch is what is named
// here and what every program needs of the system (its libraries and programs to read and
// run, a few files of /etc, no process but its own, no socket of this machine's services).
// Only Linux has the wall; Why: doc/decision/0046-wall.md.
type Command struct {
	Path           string   // absolute
	Args           []string // without the name
	Dir            string
	Env            []string // whole; nothing is inherited
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	ReadWrite, ReadOnly []string // folders and files, absolute; those that are not there count for nothing
	Network             bool     // else there is none but a loopback of its own
	Limits              CommandLimits

	without []string // layers that tests switch off
}

// CommandLimits bound each process of a command; Processes and Together bound all of them.
type CommandLimits struct {
	CPU       time.Duration // of processor time, rounded up to seconds; 10 min when 0
	Memory    int64         // bytes of data; 4 GiB when 0
	FileSize  int64         // bytes of one file; 1 GiB when 0
	Files     int           // open ones; 1,024 when 0
	Processes int           // with their threads; 512 when 0
	Together  int64         // bytes that all processes hold in memory, files apart; 4 GiB when 0
}

func (l CommandLimits) withDefaults() CommandLimits {
	l.CPU = orDefault(l.CPU, 10*time.Minute)
	l.Memory = orDefault(l.Memory, 4<<30)
	l.FileSize = orDefault(l.FileSize, 1<<30)
	l.Files = orDefault(l.Files, 1024)
	l.Processes = orDefault(l.Processes, 512)
	l.Together = orDefault(l.Together, 4<<30)
	return l
}

// Ended is how a program ended, and behind which walls.
type Ended struct {
	ExitCode int    // -1 where a signal ended it
	Signal   string // "killed" where the context's end did, or CommandLimits.Together, which standard error tells
	Walls
}

// ErrNoWall says that this system has no wall for programs, or only a part of one.
var ErrNoWall = errors.New("sandbox: there is no wall for programs here")

// Layers of the wall by name, as Walls tells of them.
const (
	layerLandlock = "landlock"
	layerSeccomp  = "seccomp"
	layerPID      = "pid namespace"
	layerNet      = "network namespace"
	layerUser     = "user dropped"
)

// Holds says whether these walls are enough for a program that nobody has looked at: files
// and system calls. Namespaces and a user of its own are more.
func (w Walls) Holds() bool {
	return slices.ContainsFunc(w.Layers, func(l string) bool { return strings.HasPrefix(l, layerLandlock) }) &&
		slices.Contains(w.Layers, layerSeccomp)
}

// CommandWalls is what this system has of the wall, found by trying once.
func CommandWalls() (Walls, error) { return triedWalls() }

var triedWalls = sync.OnceValues(func() (Walls, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	program, err := executable()
	if err != nil {
		return Walls{}, err
	}
	// A call that Main takes for a child's mistake ends at once.
	ended, err := Command{Path: program, Args: []string{childArgument, "no job", "0", "0", "0"},
		Env: append([]string{childVariable + "=1"}, detector...), Dir: "/", ReadOnly: []string{program}}.Run(ctx)
	return ended.Walls, err
})
