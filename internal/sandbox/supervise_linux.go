package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// superviseMain is the process between us and a program: it builds the wall, starts the program and ends all that is
// left.
func superviseMain() int {
	os.Clearenv()
	debug.SetGCPercent(100)
	orders, ends := os.NewFile(orderDescriptor, "orders"), os.NewFile(endDescriptor, "ends")
	unix.CloseOnExec(orderDescriptor)
	unix.CloseOnExec(endDescriptor)
	read := json.NewDecoder(orders)
	var o order
	if err := read.Decode(&o); err != nil {
		return exitMisused
	}
	var dead atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, orders) // which end when our parent wants it, or has died
		dead.Store(true)
		endAll(o)
		os.Exit(exitTime)
	}()
	e := end{}
	if err := prepare(o, &e.Walls); err != nil {
		e.ExitCode, e.Trouble = -1, err.Error()
	} else if pid, err := startWalled(o, &e.Walls); err != nil {
		e.ExitCode, e.Trouble = -1, err.Error()
	} else {
		e.ExitCode, e.Signal = await(pid, &dead)
	}
	if dead.Load() {
		select {} // the other goroutine ends this
	}
	endAll(o)
	if json.NewEncoder(ends).Encode(e) != nil {
		return exitFailed
	}
	return 0
}

// await reaps children, also those that are not its own, until the program has ended or all is to be ended.
func await(pid int, dead *atomic.Bool) (code int, signal string) {
	for !dead.Load() {
		var status unix.WaitStatus
		switch ended, err := unix.Wait4(-1, &status, 0, nil); {
		case err == unix.EINTR:
		case err != nil:
			return -1, err.Error()
		case ended == pid && status.Signaled():
			return -1, status.Signal().String()
		case ended == pid && status.Exited():
			return status.ExitStatus(), ""
		}
	}
	return -1, ""
}

// prepare does what holds for the whole process.
func prepare(o order, w *Walls) error {
	w.Missing = append(w.Missing, o.Missing...)
	if o.PIDSpace {
		w.Layers = append(w.Layers, layerPID)
	}
	if o.NetSpace {
		w.Layers = append(w.Layers, layerNet)
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	// Whose parent has gone is ours then, so that it can be found.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // a wish: the first to go where memory is short
	cpu := uint64((o.Limits.CPU + time.Second - 1) / time.Second)
	for name, value := range map[int]uint64{unix.RLIMIT_CPU: cpu, unix.RLIMIT_CORE: 0,
		unix.RLIMIT_FSIZE:  uint64(o.Limits.FileSize),
		unix.RLIMIT_NOFILE: uint64(o.Limits.Files), unix.RLIMIT_DATA: uint64(o.Limits.Memory)} {
		if err := lower(name, value); err != nil {
			return fmt.Errorf("limit %d: %w", name, err)
		}
	}
	w.Layers = append(w.Layers, "limits")
	return nil
}

// lower sets a limit, or leaves the lower one that there is.
func lower(name int, value uint64) error {
	var had unix.Rlimit
	if err := unix.Getrlimit(name, &had); err != nil {
		return err
	}
	value = min(value, had.Max)
	return unix.Setrlimit(name, &unix.Rlimit{Cur: value, Max: value})
}

// loopbackUp brings up the loopback of a network namespace that has nothing else.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}

// startWalled builds the wall on a thread that it gives up, and starts the program from it, which inherits the wall.
func startWalled(o order, w *Walls) (pid int, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with this function
		pid, err = startHere(o, w)
	}()
	<-done
	return pid, err
}

// startHere gives up one thing after the other. What is read of /proc is read before Landlock; the filter goes last.
func startHere(o order, w *Walls) (int, error) {
	// a wish; of this thread alone: who ends the program does not wait behind it
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 10)
	user, group, drop := os.Getuid(), os.Getgid(), os.Getuid() == 0 && !o.UserSpace
	if drop {
		user, group = ownerOf(string(o.Dir))
	}
	restore, err := limitProcesses(user, o.Limits.Processes)
	if err != nil {
		return 0, err
	}
	defer restore()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("no_new_privs: %w", err)
	}
	w.Layers = append(w.Layers, "no_new_privs")
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("ambient capabilities: %w", err)
	}
	files := false
	if slices.Contains(o.Without, layerLandlock) {
		w.Missing = append(w.Missing, layerLandlock+" (switched off)")
	} else if name, err := landlockHere(o); err != nil {
		w.Missing = append(w.Missing, fmt.Sprintf("%s (%v)", layerLandlock, err))
	} else {
		files = true
		w.Layers = append(w.Layers, name)
	}
	if drop {
		if err := become(user, group, files); err != nil {
			return 0, fmt.Errorf("dropping the user: %w", err)
		}
		w.Layers = append(w.Layers, layerUser)
	}
	if slices.Contains(o.Without, layerSeccomp) {
		w.Missing = append(w.Missing, layerSeccomp+" (switched off)")
	} else if err := filterProgram(o); err != nil {
		w.Missing = append(w.Missing, fmt.Sprintf("%s (%v)", layerSeccomp, err))
	} else {
		w.Layers = append(w.Layers, layerSeccomp)
	}
	pid, err := syscall.ForkExec(string(o.Path), append([]string{string(o.Path)}, words(o.Args)...),
		&syscall.ProcAttr{Dir: string(o.Dir), Env: words(o.Env), Files: []uintptr{0, 1, 2},
			Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		return 0, fmt.Errorf("the program does not start: %w", err)
	}
	return pid, nil
}

func words(of [][]byte) (all []string) {
	for _, w := range of {
		all = append(all, string(w))
	}
	return all
}

// nobody is the user of what runs in a folder of root's.
const nobody = 65534

// ownerOf is who a program runs as where we are root: whoever the folder belongs to.
func ownerOf(dir string) (user, group int) {
	var info unix.Stat_t
	if unix.Stat(dir, &info) != nil || info.Uid == 0 {
		return nobody, nobody
	}
	return int(info.Uid), int(info.Gid)
}

// become makes this thread another user's. If Landlock limits what is written, it keeps one capability of root's: to
// write what belongs to others, since the folders of an order may be root's.
func become(user, group int, files bool) error {
	const capability = unix.CAP_DAC_OVERRIDE
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var kept [2]unix.CapUserData
	if files {
		kept[0] = unix.CapUserData{Effective: 1 << capability, Permitted: 1 << capability, Inheritable: 1 << capability}
	}
	// Programs that ask beforehand by access(2) whether they may, as git does, would be told no without this bit: that
	// call passes over capabilities of a user who is not root.
	const noSetuidFixup = 1 << 2
	_ = unix.Prctl(unix.PR_SET_SECUREBITS, noSetuidFixup, 0, 0, 0)
	for _, step := range []func() error{
		func() error { return unix.Prctl(unix.PR_SET_KEEPCAPS, 1, 0, 0, 0) },
		func() error { return thread(unix.SYS_SETGROUPS, 0, 0, 0) },
		func() error { return thread(unix.SYS_SETRESGID, group, group, group) },
		func() error { return thread(unix.SYS_SETRESUID, user, user, user) },
		func() error { return unix.Capset(&header, &kept[0]) },
		func() error {
			if !files {
				return nil
			}
			return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, capability, 0, 0)
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// thread makes a call for this thread alone, where the libraries make it for all.
func thread(call uintptr, a, b, c int) error {
	if _, _, errno := syscall.RawSyscall(call, uintptr(a), uintptr(b), uintptr(c)); errno != 0 {
		return errno
	}
	return nil
}

// limitProcesses bounds the processes and threads of a user to the present ones and so many more. The bound is soft,
// and taken back for the supervisor; the filter keeps the program from raising its own.
func limitProcesses(user, more int) (restore func(), err error) {
	var had unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &had); err != nil {
		return nil, err
	}
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: min(uint64(threadsOf(user)+more), had.Max),
		Max: had.Max}); err != nil {
		return nil, fmt.Errorf("limit of processes: %w", err)
	}
	return func() { _ = unix.Setrlimit(unix.RLIMIT_NPROC, &had) }, nil // as it was
}

// threadsOf counts the threads of a user, as far as this process sees them.
func threadsOf(user int) (n int) {
	for pid := range processes() {
		var info unix.Stat_t
		folder := fmt.Sprintf("/proc/%d", pid)
		if unix.Stat(folder, &info) == nil && int(info.Uid) == user {
			threads, _ := os.ReadDir(folder + "/task") // none where it has ended
			n += len(threads)
		}
	}
	return n
}

// processes are those that can be seen, each with its parent, also ended ones, which lead to their children.
func processes() map[int]int {
	parents := map[int]int{}
	all, _ := os.ReadDir("/proc") // without it there is nothing to be seen
	for _, entry := range all {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue
		}
		// The name of the program, in parentheses, may hold anything.
		rest := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(rest) > 1 {
			if parents[pid], err = strconv.Atoi(rest[1]); err != nil {
				delete(parents, pid)
			}
		}
	}
	return parents
}

// unseen is how many readings of /proc that show nobody, a millisecond apart at least, are
// enough: what hides even there cannot be ended.
const unseen = 1000

// endAll kills every process below this one. The end of the first process of a namespace is that of all others;
// elsewhere they are stopped until no new one comes, then killed. It has ended all when there is no child left, for
// whose parent ends becomes ours. Nobody is reaped while new ones come, so that a chain of them ends where its bound
// is.
func endAll(o order) {
	if o.PIDSpace {
		return
	}
	stopped, nobody := map[int]bool{}, 0
	for nobody < unseen {
		all, fresh := descendants(os.Getpid()), false
		for _, pid := range all {
			if !stopped[pid] {
				fresh, stopped[pid] = true, true
				_ = unix.Kill(pid, unix.SIGSTOP) // it may have gone
			}
		}
		if fresh {
			continue
		}
		for _, pid := range all {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		reaped, err := reap()
		if err == unix.ECHILD {
			return
		}
		if nobody++; len(all) > 0 || reaped {
			nobody = 0
		}
		time.Sleep(time.Millisecond)
	}
}

// reap takes the ends of the children that have ended; ECHILD says that there are none at all.
func reap() (some bool, err error) {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if err != nil || pid <= 0 {
			return some, err
		}
		some = true
	}
}

// descendants are the processes below one.
func descendants(of int) (all []int) {
	parents := processes()
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == of {
				all = append(all, pid)
				break
			}
		}
	}
	return all
}
