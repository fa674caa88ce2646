//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/citewell/citewell/internal/testing/realpart"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// verdict runs the filter, as the kernel would, on one call. The machine of package
// bpf reads words in network order, so they are written in it.
func verdict(t *testing.T, machine *bpf.VM, arch, call uint32, arguments ...uint32) uint32 {
	t.Helper()
	data := make([]byte, argumentsOffset+6*8)
	binary.BigEndian.PutUint32(data[callOffset:], call)
	binary.BigEndian.PutUint32(data[archOffset:], arch)
	for i, a := range arguments {
		binary.BigEndian.PutUint32(data[argumentsOffset+8*i:], a)
	}
	v, err := machine.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(v)
}

// TestFilterLetsThroughItsRulesAlone asks about every number a call can have.
func TestFilterLetsThroughItsRulesAlone(t *testing.T) {
	const pid = 4242
	machine, err := bpf.NewVM(filter(pid))
	if err != nil {
		t.Fatal(err)
	}
	ruled := map[uint32]bool{}
	for _, r := range rules(pid) {
		if ruled[r.call] {
			t.Errorf("call %d has two rules", r.call)
		}
		ruled[r.call] = true
		var arguments [6]uint32
		for _, c := range r.checks {
			arguments[c.argument] = c.want
		}
		if v := verdict(t, machine, auditArch, r.call, arguments[:]...); v != allow {
			t.Errorf("call %d as its rule has it: %#x", r.call, v)
		}
		for _, c := range r.checks {
			wrong := arguments
			wrong[c.argument] = ^c.want
			if v := verdict(t, machine, auditArch, r.call, wrong[:]...); v != refuse {
				t.Errorf("call %d with another argument %d: %#x", r.call, c.argument, v)
			}
		}
	}
	for call := range uint32(2000) {
		want := uint32(refuse)
		switch {
		case ruled[call]:
			continue
		case call == unix.SYS_CLONE3:
			want = unknown
		}
		if v := verdict(t, machine, auditArch, call); v != want {
			t.Errorf("call %d: %#x, want %#x", call, v, want)
		}
	}
	const i386, arm = 0x40000003, 0x40000028
	for _, foreign := range []struct{ arch, call uint32 }{
		{i386, unix.SYS_READ}, {arm, unix.SYS_READ}, {0, unix.SYS_READ},
		{auditArch, firstForeignCall | unix.SYS_READ}, {auditArch, firstForeignCall}, {auditArch, all},
	} {
		if v := verdict(t, machine, foreign.arch, foreign.call); v != kill {
			t.Errorf("call %#x of %#x: %#x, want the end of the process", foreign.call, foreign.arch, v)
		}
	}
}

// forbidden are calls with arguments that the kernel would look at, so that without
// the filter most end in another way than EPERM.
func forbidden() map[string][7]uintptr {
	path := uintptr(unsafe.Pointer(&[]byte("/etc/hostname\x00")[0]))
	var pair [2]int32
	parent := uintptr(os.Getppid())
	page := uintptr(os.Getpagesize())
	return map[string][7]uintptr{
		"socket":            {unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM},
		"socketpair":        {unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, uintptr(unsafe.Pointer(&pair))},
		"connect":           {unix.SYS_CONNECT, 1},
		"bind":              {unix.SYS_BIND, 1},
		"openat":            {unix.SYS_OPENAT, ^uintptr(99), path, unix.O_RDONLY},
		"openat to write":   {unix.SYS_OPENAT, ^uintptr(99), path, unix.O_WRONLY | unix.O_CREAT, 0o600},
		"openat2":           {unix.SYS_OPENAT2},
		"statx":             {unix.SYS_STATX, ^uintptr(99), path},
		"unlinkat":          {unix.SYS_UNLINKAT, ^uintptr(99), path},
		"renameat2":         {unix.SYS_RENAMEAT2},
		"memfd_create":      {unix.SYS_MEMFD_CREATE, path},
		"execve":            {unix.SYS_EXECVE, path},
		"execveat":          {unix.SYS_EXECVEAT},
		"clone of process":  {unix.SYS_CLONE, uintptr(unix.SIGCHLD)},
		"clone of space":    {unix.SYS_CLONE, threadBits | unix.CLONE_NEWNET},
		"unshare":           {unix.SYS_UNSHARE, unix.CLONE_FILES},
		"setns":             {unix.SYS_SETNS},
		"ptrace":            {unix.SYS_PTRACE, unix.PTRACE_TRACEME},
		"process_vm_readv":  {unix.SYS_PROCESS_VM_READV, parent},
		"process_vm_writev": {unix.SYS_PROCESS_VM_WRITEV, parent},
		"pidfd_open":        {unix.SYS_PIDFD_OPEN, parent},
		"kill":              {unix.SYS_KILL, parent, 0},
		"kill of itself":    {unix.SYS_KILL, uintptr(os.Getpid()), 0},
		"tgkill":            {unix.SYS_TGKILL, parent, parent, 0},
		"setpgid":           {unix.SYS_SETPGID},
		"setsid":            {unix.SYS_SETSID},
		"prlimit64":         {unix.SYS_PRLIMIT64},
		"prctl":             {unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1},
		"seccomp":           {unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL},
		"mount":             {unix.SYS_MOUNT},
		"umount2":           {unix.SYS_UMOUNT2},
		"chroot":            {unix.SYS_CHROOT, path},
		"setuid":            {unix.SYS_SETUID, uintptr(os.Getuid())},
		"capset":            {unix.SYS_CAPSET},
		"bpf":               {unix.SYS_BPF},
		"io_uring_setup":    {unix.SYS_IO_URING_SETUP, 1},
		"io_uring_enter":    {unix.SYS_IO_URING_ENTER, 1},
		"keyctl":            {unix.SYS_KEYCTL},
		"add_key":           {unix.SYS_ADD_KEY},
		"userfaultfd":       {unix.SYS_USERFAULTFD},
		"perf_event_open":   {unix.SYS_PERF_EVENT_OPEN},
		"ioctl":             {unix.SYS_IOCTL, 1, unix.TIOCSTI, path},
		"dup":               {unix.SYS_DUP, 1},
		"shmget":            {unix.SYS_SHMGET},
		"mmap to run": {unix.SYS_MMAP, 0, page, unix.PROT_READ | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANON,
			^uintptr(0), 0},
		"mprotect to run": {unix.SYS_MPROTECT, 0, page, unix.PROT_EXEC},
	}
}

func init() {
	Register("forbidden", func(_ []byte, out io.Writer) error {
		said := map[string]string{}
		for name, c := range forbidden() {
			_, _, errno := syscall.RawSyscall6(c[0], c[1], c[2], c[3], c[4], c[5], c[6])
			said[name] = errno.Error()
			if name == "clone of process" && errno == 0 {
				os.Exit(0) // this is parent or child of what must not be
			}
		}
		return json.NewEncoder(out).Encode(said)
	})
	Register("on_threads", func(_ []byte, out io.Writer) error {
		const threads = 8
		said := make(chan syscall.Errno, threads)
		begun := make(chan bool)
		for range threads {
			go func() {
				runtime.LockOSThread()
				begun <- true
				_, _, errno := syscall.RawSyscall(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, 0)
				said <- errno
			}()
		}
		for range threads {
			<-begun
		}
		for range threads {
			if errno := <-said; errno != unix.EPERM {
				return fmt.Errorf("a thread's socket: %w", errno)
			}
		}
		return nil
	})
	Register("other_numbering", func(_ []byte, out io.Writer) error {
		syscall.RawSyscall(firstForeignCall|unix.SYS_GETPID, 0, 0, 0)
		return errors.New("it lives")
	})
	// busy does what a reader of documents does to the runtime: threads, timers,
	// collections, growing stacks.
	Register("busy", func(_ []byte, out io.Writer) error {
		done := make(chan []byte)
		for n := range 16 {
			go func() {
				var held [][]byte
				for i := range 200 {
					held = append(held, make([]byte, 1<<12))
					if i%50 == n {
						time.Sleep(time.Millisecond)
						runtime.GC()
					}
				}
				done <- held[0]
			}()
		}
		for range 16 {
			<-done
		}
		_, err := fmt.Fprint(out, "done ", time.Now().Year() > 2000)
		return err
	})
}

// needFilter skips where the kernel does not give the filter.
func needFilter(t *testing.T) {
	t.Helper()
	r, err := Run(context.Background(), "echo", nil, Limits{Wall: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(r.Layers, "seccomp") {
		realpart.Lacking(t, "this kernel gives no filter: %q", r.Missing)
	}
}

func TestFilteredCalls(t *testing.T) {
	needFilter(t)
	r, err := Run(context.Background(), "forbidden", nil, Limits{Wall: time.Minute})
	if err != nil || r.End != Finished {
		t.Fatalf("%v, %s: %s", err, r.End, r.Detail)
	}
	var said map[string]string
	if err := json.Unmarshal(r.Output, &said); err != nil {
		t.Fatal(err)
	}
	for name := range forbidden() {
		if said[name] != unix.EPERM.Error() {
			t.Errorf("%s: %s", name, said[name])
		}
	}
}

func TestFilterIsOnEveryThread(t *testing.T) {
	needFilter(t)
	r, err := Run(context.Background(), "on_threads", nil, Limits{Wall: time.Minute})
	if err != nil || r.End != Finished {
		t.Errorf("%v, %s: %s", err, r.End, r.Detail)
	}
}

func TestOtherNumberingKills(t *testing.T) {
	needFilter(t)
	r, err := Run(context.Background(), "other_numbering", nil, Limits{Wall: time.Minute})
	if err != nil || r.End != Crashed || !strings.Contains(r.Detail, "bad system call") {
		t.Errorf("%v, %s: %s", err, r.End, r.Detail)
	}
}

func TestWorkGoesOnUnderTheFilter(t *testing.T) {
	r, err := Run(context.Background(), "busy", nil, Limits{Wall: time.Minute})
	if err != nil || r.End != Finished || string(r.Output) != "done true" {
		t.Errorf("%v, %s: %s; %s", err, r.End, r.Detail, r.Output)
	}
}

// refusing is set for a copy of this test's program to which the kernel refuses
// filters, as in a container that forbids them.
const refusing = "CITEWELL_TEST_WITHOUT_FILTERS"

func TestRefusedFilterIsSaid(t *testing.T) {
	if os.Getenv(refusing) != "" {
		if err := install([]bpf.Instruction{
			bpf.LoadAbsolute{Off: callOffset, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SECCOMP, SkipFalse: 1},
			bpf.RetConstant{Val: refuse},
			bpf.RetConstant{Val: allow},
		}, unix.SECCOMP_FILTER_FLAG_TSYNC); err != nil {
			t.Fatal(err)
		}
		trial, err := Try(context.Background())
		if err != nil || len(trial.Holes) > 0 || slices.Contains(trial.Layers, "seccomp") ||
			!slices.Contains(trial.Missing, "seccomp (operation not permitted)") {
			t.Errorf("%v, %+v", err, trial)
		}
		return
	}
	needFilter(t)
	again := exec.Command("/proc/self/exe", "-test.run=^TestRefusedFilterIsSaid$")
	again.Env = append(os.Environ(), refusing+"=1")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
