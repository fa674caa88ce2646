package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An order is what a supervisor is told to run. Words are bytes, since JSON would mend those
// that are no text.
type order struct {
	Path, Dir           []byte
	Args, Env           [][]byte
	ReadWrite, ReadOnly [][]byte
	Network             bool
	Limits              CommandLimits
	Without             []string
	Missing             []string // what the parent could not give
	UserSpace           bool     // it is in a namespace of users
	PIDSpace, NetSpace  bool     // it is the first of namespaces of its own
}

// A supervisor reads its order and tells the end at these descriptors.
const (
	orderDescriptor = 3 + iota
	endDescriptor
)

// grace is how long a supervisor has to end what it began.
const grace = 3 * time.Second

// Run starts the program and waits until it, and all that it started, has ended; the end of
// ctx kills them. Errors: ErrNotReady, and what kept the program from being started.
func (c Command) Run(ctx context.Context) (Ended, error) {
	if !ready.Load() {
		return Ended{}, ErrNotReady
	}
	if err := ctx.Err(); err != nil {
		return Ended{}, err
	}
	o := order{Path: []byte(c.Path), Dir: []byte(c.Dir), Args: raw(c.Args), Env: raw(c.Env), ReadWrite: raw(c.ReadWrite), ReadOnly: raw(c.ReadOnly),
		Network: c.Network, Limits: c.Limits.withDefaults(), Without: c.without}
	return c.runIn(ctx, spaces(c.without), o)
}

func raw(words []string) (all [][]byte) {
	for _, w := range words {
		all = append(all, []byte(w))
	}
	return all
}

// A space is the namespaces that a supervisor begins in.
type space struct {
	user, pid bool
	missing   []string
}

// runIn runs the order below a supervisor in its namespaces.
func (c Command) runIn(ctx context.Context, s space, o order) (Ended, error) {
	self, err := executable()
	if err != nil {
		return Ended{}, err
	}
	cmd := exec.Command(self, wallArgument)
	cmd.Env, cmd.Dir = append([]string{childVariable + "=1", "GOGC=off"}, detector...), "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	o.UserSpace, o.PIDSpace, o.NetSpace, o.Missing = s.user, s.pid, s.pid && !o.Network && !slices.Contains(o.Without, layerNet), s.missing
	cmd.SysProcAttr = s.attributes(o.NetSpace)

	ordered, orders, err := os.Pipe()
	if err != nil {
		return Ended{}, err
	}
	told, ends, err := os.Pipe()
	if err != nil {
		return Ended{}, errors.Join(err, ordered.Close(), orders.Close())
	}
	defer told.Close()
	cmd.ExtraFiles = []*os.File{ordered, ends}
	err = cmd.Start()
	ordered.Close()
	ends.Close()
	if err != nil {
		orders.Close()
		return Ended{}, fmt.Errorf("sandbox: %w", err)
	}
	// The supervisor ends all when its orders do, also where this process dies.
	ending := sync.OnceFunc(func() { orders.Close() })
	defer ending()
	defer context.AfterFunc(ctx, func() {
		ending()
		if s.pid {
			_ = cmd.Process.Kill() // and all of its namespace
			return
		}
		time.AfterFunc(grace, func() { _ = cmd.Process.Kill() })
	})()
	go func() {
		if json.NewEncoder(orders).Encode(o) != nil { // it has ended, and says why below
			ending()
		}
	}()
	said, _ := io.ReadAll(io.LimitReader(told, 64<<10)) // what is no answer is told by the end of the process
	waited := cmd.Wait()
	return readEnd(ctx, said, waited)
}

// An end is what a supervisor tells.
type end struct {
	Ended
	Trouble string // why the program was not started
}

func readEnd(ctx context.Context, said []byte, waited error) (Ended, error) {
	var e end
	switch err := json.Unmarshal(said, &e); {
	case ctx.Err() != nil:
		e.ExitCode, e.Signal = -1, "killed"
		return e.Ended, nil
	case err != nil:
		return Ended{ExitCode: -1}, fmt.Errorf("sandbox: the supervisor of a program ended without a word: %w", errors.Join(waited, err))
	case e.Trouble != "":
		return e.Ended, errors.New("sandbox: " + e.Trouble)
	}
	return e.Ended, nil
}

// attributes are how the supervisor is started: in a session of its own, in its namespaces.
func (s space) attributes(net bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !s.pid {
		return a
	}
	a.Cloneflags = unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if net {
		a.Cloneflags |= unix.CLONE_NEWNET
		a.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // to bring up the loopback of its own
	}
	if s.user {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	} else {
		a.AmbientCaps = nil // root has what it needs
	}
	return a
}

// spaces are the namespaces that can be had. A user who may make none gets them within
// one of users.
func spaces(without []string) space {
	if slices.Contains(without, layerPID) {
		return space{missing: []string{layerPID + " (switched off)"}}
	}
	return triedSpaces()
}

var triedSpaces = sync.OnceValue(func() space {
	var why error
	for _, user := range []bool{false, true} {
		if !user && os.Geteuid() != 0 {
			continue
		}
		s := space{user: user, pid: true}
		cmd := exec.Command("/proc/self/exe", wallArgument)
		cmd.Env, cmd.Dir, cmd.SysProcAttr = append([]string{childVariable + "=1"}, detector...), "/", s.attributes(true)
		if why = cmd.Start(); why != nil {
			continue
		}
		_ = cmd.Wait() // without an order it ends at once
		return s
	}
	return space{missing: []string{fmt.Sprintf("%s and %s (%v)", layerPID, layerNet, why)}}
})
