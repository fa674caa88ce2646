package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	"golang.org/x/sys/unix"
)

const programVariable = "SANDBOX_TEST_PROGRAM"

func init() {
	if kind := os.Getenv(programVariable); kind != "" {
		os.Exit(program(kind, os.Args[1:]))
	}
}

func init() {
	if os.Getenv(programVariable) == "headless2" {
		runtime.LockOSThread()
	}
}

// program is what the test binary does where it is started as a program behind the wall:
// what it can, it says.
func program(kind string, args []string) int {
	try := func(err error) int {
		if err != nil {
			fmt.Println("refused:", err)
			return 1
		}
		fmt.Println("done")
		return 0
	}
	self := func(args ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], args[1:]...)
		cmd.Env = []string{programVariable + "=" + args[0]}
		cmd.Stdout = os.Stdout
		return cmd
	}
	switch kind {
	case "say":
		fmt.Print(strings.Join(args, "|"), os.Environ())
		_, err := io.Copy(os.Stdout, os.Stdin)
		fmt.Fprint(os.Stderr, "said")
		return 3 + try(err)
	case "read":
		_, err := os.ReadFile(args[0])
		return try(err)
	case "list":
		_, err := os.ReadDir(args[0])
		return try(err)
	case "write":
		return try(os.WriteFile(args[0], []byte("written"), 0o600))
	case "dial":
		conn, err := net.DialTimeout(args[0], args[1], 5*time.Second)
		if err == nil {
			conn.Close()
		}
		return try(err)
	case "loopback":
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return try(err)
		}
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			conn.Close()
		}
		return try(err)
	case "kill":
		pid, err := strconv.Atoi(args[0])
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		return try(err)
	case "die":
		return try(syscall.Kill(os.Getpid(), syscall.SIGKILL))
	case "calls":
		return calls()
	case "flood":
		line := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
		for range 1 << 14 { // a gigabyte
			if _, err := os.Stdout.Write(line); err != nil {
				return 1
			}
		}
	case "hoard": // eight children hold 64 MiB each
		for range 8 {
			if err := self("hoard2").Start(); err != nil {
				return 1
			}
		}
		time.Sleep(time.Hour)
	case "hoard2":
		all := make([]byte, 64<<20)
		for i := range all {
			all[i] = byte(i)
		}
		time.Sleep(time.Hour)
		runtime.KeepAlive(all)
	case "linger": // a child in a session of its own, whose parent goes at once
		cmd := self("linger2", args[0])
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return try(cmd.Run())
	case "linger2":
		cmd := self("linger3", args[0])
		cmd.SysProcAttr, cmd.Stdout = &syscall.SysProcAttr{Setsid: true}, nil
		return try(cmd.Start())
	case "linger3":
		for {
			if file, err := os.OpenFile(args[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				fmt.Fprintln(file, os.Getpid())
				file.Close()
			}
			time.Sleep(5 * time.Millisecond)
		}
	case "headless": // a child whose first thread ends as soon as the child writes
		child := self("headless2", args[0])
		if child.Start() != nil {
			return 1
		}
		for {
			if info, err := os.Stat(args[0]); err == nil && info.Size() > 0 {
				return 0
			}
			time.Sleep(time.Millisecond)
		}
	case "headless2": // on the first thread, as init has it
		go program("linger3", args)
		syscall.Syscall(unix.SYS_EXIT, 0, 0, 0) // of this thread
	case "lingering": // the same, and the program itself goes on too
		if self("linger", args[0]).Run() == nil {
			fmt.Println("ready")
		}
		time.Sleep(time.Hour) // not select {}: without C, Go ends a program in which nothing can go on
	}
	return 9
}

// calls tries what no program may do and names what it could.
func calls() (done int) {
	for name, call := range map[string][4]uintptr{
		"ptrace": {unix.SYS_PTRACE, unix.PTRACE_TRACEME}, "unshare": {unix.SYS_UNSHARE, unix.CLONE_NEWUSER},
		"keyctl": {unix.SYS_KEYCTL, 0}, "bpf": {unix.SYS_BPF, 99}, "io_uring": {unix.SYS_IO_URING_SETUP, 1},
		"userfaultfd": {unix.SYS_USERFAULTFD, unix.O_CLOEXEC | 1}, "mount": {unix.SYS_MOUNT},
		"setns": {unix.SYS_SETNS, 0, 0}, "clone": {unix.SYS_CLONE, unix.CLONE_NEWUSER | uintptr(syscall.SIGCHLD)},
		"prlimit": {unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, 1 << 32}, "TIOCSTI": {unix.SYS_IOCTL, 0, unix.TIOCSTI},
		"unix":   {unix.SYS_SOCKET, unix.AF_UNIX, unix.SOCK_STREAM},
		"vsock":  {unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM},
		"packet": {unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW},
	} {
		if _, _, errno := syscall.RawSyscall(call[0], call[1], call[2], call[3]); errno != unix.EPERM {
			fmt.Println(name, "gives", errno)
			done++
		}
	}
	if _, _, errno := syscall.RawSyscall6(435, 0, 0, 0, 0, 0, 0); errno != unix.ENOSYS { // clone3
		fmt.Println("clone3 gives", errno)
		done++
	}
	return done
}

// behind is a program of this test binary in a folder of its own.
func behind(t *testing.T, kind string, args ...string) (Command, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Command{Path: self, Args: args, Dir: dir, Env: append([]string{programVariable + "=" + kind}, detector...),
		ReadWrite: []string{dir}, Stdout: &out, Stderr: &out}, &out
}

// tiers are the walls with some of them switched off.
func tiers(t *testing.T) map[string][]string {
	walls, err := CommandWalls()
	if err != nil {
		t.Fatal(err)
	}
	if !walls.Holds() {
		realpart.Lacking(t, "this kernel gives no wall: %q, without %q", walls.Layers, walls.Missing)
	}
	all := map[string][]string{"all": nil, "no namespaces": {layerPID, layerNet}, "no network namespace": {layerNet}}
	if !slices.Contains(walls.Layers, layerPID) {
		t.Logf("no namespaces here: %q", walls.Missing)
	}
	return all
}

func TestCommand(t *testing.T) {
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			c, out := behind(t, "say", "a b", "", "\xff*")
			c.without, c.Stdin = without, strings.NewReader("<in>")
			ended, err := c.Run(t.Context())
			if err != nil || ended.ExitCode != 3 || ended.Signal != "" {
				t.Fatalf("%+v %v %s", ended, err, out)
			}
			if got := out.String(); !strings.HasPrefix(got, "a b||\xff*[") || !strings.Contains(got, "<in>") ||
				strings.Contains(got, "PATH=") || !strings.Contains(got, "said") {
				t.Errorf("said %q", got)
			}
			if !ended.Holds() {
				t.Errorf("behind %+v", ended.Walls)
			}
			for _, layer := range without {
				if slices.Contains(ended.Layers, layer) {
					t.Errorf("%s was switched off: %q", layer, ended.Layers)
				}
			}
			c, _ = behind(t, "die")
			c.without = without
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != -1 || ended.Signal != "killed" {
				t.Errorf("%+v %v", ended, err)
			}
			c.Path = filepath.Join(c.Dir, "none")
			if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "does not start") {
				t.Errorf("a program that is not there: %v", err)
			}
		})
	}
}

// What a program may not touch it does not, behind each kind of wall.
func TestCommandReachesNothingElse(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	service, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	path, address := service.Addr().String(), server.Addr().String()
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/root"
	}
	sleeper := exec.Command("sleep", "600")
	if err := sleeper.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() }()
	tries := [][]string{{"read", secret}, {"list", filepath.Dir(secret)}, {"list", home}, {"list", "/"},
		{"list", "/proc"}, {"read", "/etc/shadow"}, {"read", fmt.Sprintf("/proc/%d/environ", os.Getpid())},
		{"read", "/proc/1/environ"}, {"read", "/proc/self/environ"}, {"write", secret},
		{"write", "/tmp/of-the-sandbox-test"}, {"write", "/usr/of-the-sandbox-test"},
		{"dial", "tcp", address}, {"dial", "unix", path}, {"kill", strconv.Itoa(sleeper.Process.Pid)},
		{"kill", strconv.Itoa(os.Getpid())}, {"calls"}}
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			for _, try := range tries {
				c, out := behind(t, try[0], try[1:]...)
				c.without = without
				ended, err := c.Run(t.Context())
				if wanted := 1; try[0] == "calls" {
					if err != nil || ended.ExitCode != 0 {
						t.Errorf("calls: %+v %v %s", ended, err, out)
					}
				} else if err != nil || ended.ExitCode != wanted || !strings.Contains(out.String(), "refused") {
					t.Errorf("%q: %+v %v %s", try, ended, err, out)
				}
			}
			// What it may, it can.
			c, out := behind(t, "write", "new")
			c.without = without
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 0 {
				t.Errorf("its own folder: %+v %v %s", ended, err, out)
			}
			c, out = behind(t, "read", secret)
			c.without, c.ReadOnly = without, []string{filepath.Dir(secret)}
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 0 {
				t.Errorf("a folder to read: %+v %v %s", ended, err, out)
			}
			c.Env[0], c.Args = programVariable+"=write", []string{secret}
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 1 {
				t.Errorf("a folder to read was written: %+v %v %s", ended, err, out)
			}
			c, out = behind(t, "dial", "tcp", address)
			c.without, c.Network = without, true
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 0 {
				t.Errorf("the network where it is meant: %+v %v %s", ended, err, out)
			}
			c, out = behind(t, "loopback")
			c.without = without
			if ended, err := c.Run(t.Context()); err != nil || (ended.ExitCode == 0) != slices.Contains(ended.Layers,
				layerNet) {
				t.Errorf("its own loopback: %+v %v %s", ended, err, out)
			}
		})
	}
	if err := sleeper.Process.Signal(syscall.Signal(0)); err != nil {
		t.Error("a process outside was killed:", err)
	}
}

// Nothing of a program is left when it has ended or its time is over, whatever it did to hide.
func TestCommandLeavesNothing(t *testing.T) {
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			// A background process ends with the program that left it.
			c, out := behind(t, "linger", "log")
			c.without = without
			if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 0 {
				t.Fatalf("%+v %v %s", ended, err, out)
			}
			silent(t, filepath.Join(c.Dir, "log"))

			// And with the time that it has, here as soon as the process in hiding writes.
			c, out = behind(t, "lingering", "log")
			c.without = without
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for ctx.Err() == nil {
					if info, err := os.Stat(filepath.Join(c.Dir, "log")); err == nil && info.Size() > 0 {
						cancel()
					}
					time.Sleep(time.Millisecond)
				}
			}()
			if ended, err := c.Run(ctx); err != nil || ended.ExitCode != -1 || ended.Signal != "killed" {
				t.Fatalf("%+v %v %s", ended, err, out)
			}
			silent(t, filepath.Join(c.Dir, "log"))
		})
	}
}

// silent says whether nobody writes to a file any more.
func silent(t *testing.T, file string) {
	t.Helper()
	before, _ := os.ReadFile(file) // which need not have been begun
	time.Sleep(50 * time.Millisecond)
	if after, _ := os.ReadFile(file); len(after) != len(before) {
		t.Error("a process goes on after its program")
	}
}

// A program that only makes more of itself is bounded in number, and gone when its time is over.
// The program is a copy, so that bombs of other tests are not counted, and where root may choose
// it has a user of its own: their threads leave no room, and take none.
func TestCommandForkBomb(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		realpart.Lacking(t, "needs perl: %v", err)
	}
	program, err := os.ReadFile(perl)
	if err != nil {
		t.Fatal(err)
	}
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			c, _ := behind(t, "")
			c.Path, c.Args = filepath.Join(c.Dir, "bomb"), []string{"-e", "fork while 1"}
			if err := os.WriteFile(c.Path, program, 0o755); err != nil {
				t.Fatal(err)
			}
			c.without, c.Stdout, c.Stderr, c.Limits.Processes = without, nil, nil, 60
			user := os.Getuid()
			if user == 0 {
				user = 1<<20 + os.Getpid()
				if err := os.Chown(c.Dir, user, user); err != nil {
					t.Fatal(err)
				}
			}
			// The bound counts the threads of its user that there are, the supervisor's own too: what
			// of them ends later leaves room for as many more.
			const supervisor = 20
			bound := threadsOf(user) + 60 + supervisor
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			most := make(chan int)
			go func() { // it is given its time to grow, and some more to outgrow its bound
				n := 0
				for range 10 {
					for n < 40 && ctx.Err() == nil {
						n = max(n, len(mine(c.Path)))
						time.Sleep(time.Millisecond)
					}
					n = max(n, len(mine(c.Path)))
					time.Sleep(10 * time.Millisecond)
				}
				cancel()
				most <- n
			}()
			if ended, err := c.Run(ctx); err != nil || ended.Signal != "killed" {
				t.Errorf("%+v %v", ended, err)
			}
			cancel()
			if n := <-most; n < 40 || n > bound {
				t.Errorf("there were %d processes", n)
			}
			if left := mine(c.Path); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

// What a program leaves is gone when it has ended, also a chain of processes each of which ends as
// soon as it has begun the next, and one whose first thread has ended.
func TestCommandLeavesNobodyInDisguise(t *testing.T) {
	perl, err := exec.LookPath("perl")
	if err != nil {
		realpart.Lacking(t, "needs perl: %v", err)
	}
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			hops, _ := behind(t, "")
			hops.Path, hops.Args = perl, []string{
				"-e", `while (1) { exit 0 if fork; open my $log, ">>", "log"; print $log "x"; close $log }`}
			headless, _ := behind(t, "headless", "log")
			for _, c := range []Command{hops, headless} {
				c.without, c.Limits.Processes = without, 60
				if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 0 {
					t.Fatalf("%+v %v", ended, err)
				}
				silent(t, filepath.Join(c.Dir, "log"))
			}
		})
	}
}

// mine are the processes of a program, this one apart.
func mine(path string) (all []int) {
	for pid := range processes() {
		if link, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && link == path &&
			pid != os.Getpid() {
			all = append(all, pid)
		}
	}
	return all
}

// Without the wall of files, or that of calls, the walls do not hold; they say so.
func TestCommandWallsThatAreMissing(t *testing.T) {
	tiers(t)
	for _, layer := range []string{layerLandlock, layerSeccomp} {
		c, out := behind(t, "say")
		c.without = []string{layer}
		ended, err := c.Run(t.Context()) // without Landlock root's own folders are shut to the dropped user
		if err != nil && !strings.Contains(err.Error(), "permission denied") || ended.Holds() ||
			!slices.ContainsFunc(ended.Missing, func(m string) bool { return strings.HasPrefix(m, layer) }) {
			t.Errorf("without %s: %+v %v %s", layer, ended, err, out)
		}
	}
}

// A gigabyte goes where the caller puts it, and none of it is kept here.
func TestCommandFloods(t *testing.T) {
	tiers(t)
	c, _ := behind(t, "flood")
	var n counted
	c.Stdout = &n
	if ended, err := c.Run(t.Context()); err != nil || ended.ExitCode != 9 || n != 1<<30 {
		t.Errorf("%+v %v after %d bytes", ended, err, n)
	}
}

// Processes that hold too much memory together are killed, each of which holds little; a
// command says so, and nothing of it is left.
func TestCommandHoards(t *testing.T) {
	for name, without := range tiers(t) {
		t.Run(name, func(t *testing.T) {
			c, out := behind(t, "hoard")
			c.without, c.Limits.Together = without, 256<<20
			if ended, err := c.Run(t.Context()); err != nil || ended.Signal != "killed" ||
				!strings.Contains(out.String(), "held more than 256 MiB of memory together") {
				t.Errorf("%+v %v: %s", ended, err, out)
			}
			if left := mine(c.Path); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

type counted int

func (c *counted) Write(p []byte) (int, error) { *c += counted(len(p)); return len(p), nil }

// BenchmarkCommand is what the wall costs: /bin/true behind it, and bare.
func BenchmarkCommand(b *testing.B) {
	b.Run("wall", func(b *testing.B) {
		for b.Loop() {
			if ended, err := (Command{Path: "/bin/true", Dir: "/"}).Run(b.Context()); err != nil ||
				ended.ExitCode != 0 {
				b.Fatal(ended, err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
