package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An order is what a supervisor is told to run. Words are bytes, since JSON would mend those that are no text.
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

// grace is how long a supervisor has to end what it began. What it has not ended by then lives
// on where it has no namespace, so that only one that hangs comes to it: on a busy machine
// hundreds of processes take seconds to die.
const grace = 30 * time.Second

// Run starts the program and waits until it, and all that it started, has ended; the end of
// ctx kills them. Errors: ErrNotReady, and what kept the program from being started.
func (c Command) Run(ctx context.Context) (Ended, error) {
	if !ready.Load() {
		return Ended{}, ErrNotReady
	}
	if err := ctx.Err(); err != nil {
		return Ended{}, err
	}
	o := order{Path: []byte(c.Path), Dir: []byte(c.Dir), Args: raw(c.Args), Env: raw(c.Env),
		ReadWrite: raw(c.ReadWrite), ReadOnly: raw(c.ReadOnly),
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
	netSpace := s.pid && !o.Network && !slices.Contains(o.Without, layerNet)
	cmd, relayed := s.supervisor(netSpace)
	cmd.Env = append(cmd.Env, "GOGC=off")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.WaitDelay = time.Second
	o.UserSpace, o.PIDSpace, o.NetSpace, o.Missing = s.user, s.pid, netSpace, s.missing

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
	kill := func() {
		ending()
		if s.pid && !relayed {
			_ = cmd.Process.Kill() // and all of its namespace
			return
		}
		time.AfterFunc(grace, func() { _ = cmd.Process.Kill() })
	}
	defer context.AfterFunc(ctx, kill)()
	go func() {
		if json.NewEncoder(orders).Encode(o) != nil { // it has ended, and says why below
			ending()
		}
	}()
	var over atomic.Bool
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		watchTogether(cmd.Process.Pid, o.Limits.Together, ended, func() { over.Store(true); kill() })
	}()
	said, _ := io.ReadAll(io.LimitReader(told, 64<<10)) // what is no answer is told by the end of the process
	waited := cmd.Wait()
	close(ended)
	<-watched
	if over.Load() {
		if c.Stderr != nil {
			// who does not listen is not told
			_, _ = fmt.Fprintf(c.Stderr, "\ncitewell: killed, since its processes held more than %d MiB of memory "+
				"together\n", o.Limits.Together>>20)
		}
		return Ended{ExitCode: -1, Signal: "killed"}, nil
	}
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
		return Ended{ExitCode: -1}, fmt.Errorf("sandbox: the supervisor of a program ended without a word: %w",
			errors.Join(waited, err))
	case e.Trouble != "":
		return e.Ended, errors.New("sandbox: " + e.Trouble)
	}
	return e.Ended, nil
}

// supervisor is a supervisor to be started in its namespaces. Who hides its memory and is not
// root may not map the users of a new namespace; the same program, started anew, may: then
// it is relayed.
func (s space) supervisor(net bool) (cmd *exec.Cmd, relayed bool) {
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if relayed = s.user && os.Geteuid() != 0 && err == nil && dumpable != 1; relayed {
		cmd = exec.Command("/proc/self/exe", relayArgument, strconv.FormatBool(net))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd = exec.Command("/proc/self/exe", wallArgument)
		cmd.SysProcAttr = s.attributes(net)
	}
	cmd.Env, cmd.Dir = append([]string{childVariable + "=1"}, detector...), "/"
	return cmd, relayed
}

// relay starts a supervisor with its own descriptors, and ends after it.
func relay(net string) int {
	runtime.LockOSThread() // the supervisor dies with this thread
	cmd := exec.Command("/proc/self/exe", wallArgument)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Environ(), os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(orderDescriptor, "orders"), os.NewFile(endDescriptor, "ends")}
	cmd.SysProcAttr = space{user: true, pid: true}.attributes(net == "true")
	cmd.SysProcAttr.Pdeathsig = unix.SIGKILL
	err := cmd.Start()
	for _, file := range cmd.ExtraFiles {
		_ = file.Close() // where the supervisor is tried there is none
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	_ = cmd.Wait() // its end is told by what it wrote
	return 0
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

// spaces are the namespaces that can be had. A user who may make none gets them within one of users.
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
		cmd, _ := s.supervisor(true)
		trouble := &capped{room: 1 << 10, full: func() {}}
		cmd.Stderr = trouble
		if why = cmd.Start(); why != nil {
			continue
		}
		_ = cmd.Wait() // without an order it ends at once
		if cmd.ProcessState.ExitCode() == exitFailed {
			why = errors.New(strings.TrimSpace(string(trouble.bytes())))
			continue
		}
		return s
	}
	return space{missing: []string{fmt.Sprintf("%s and %s (%v)", layerPID, layerNet, why)}}
})
