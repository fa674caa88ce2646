package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bombs are tests that go test runs: whatever a program may do behind the wall.
const bombs = `package bomb

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

func TestFork(t *testing.T) {
	os.WriteFile("forked", nil, 0o600)
	for {
		exec.Command(os.Args[0], "-test.run=TestFork").Start()
	}
}

func TestSetsid(t *testing.T) {
	if os.Getenv("CITEWELL_BOMB_LEFT") == "" {
		for range 5 {
			cmd := exec.Command(os.Args[0], "-test.run=TestSetsid")
			cmd.Env = append(os.Environ(), "CITEWELL_BOMB_LEFT=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if os.Getenv("CITEWELL_BOMB_LEFT") == "1" {
		os.Setenv("CITEWELL_BOMB_LEFT", "2")
		exec.Command(os.Args[0], "-test.run=TestSetsid").Start()
		return
	}
	time.Sleep(time.Hour)
}

func TestFlood(t *testing.T) {
	line := bytes.Repeat([]byte("flood\n"), 1<<16)
	for range 1 << 30 / len(line) {
		os.Stdout.Write(line)
	}
}

func TestLinks(t *testing.T) {
	for range 20000 {
		os.Remove("notes.txt")
		os.Symlink("../secret.txt", "notes.txt")
		os.Remove("notes.txt")
		os.WriteFile("notes.txt", []byte("harmless\n"), 0o600)
	}
}
`

// A minefield is a server whose run_cli starts bombs, and a client of it.
type minefield struct {
	home, address string
	session       *mcp.ClientSession
}

func newMinefield(t testing.TB, serve func(home string) (address string)) minefield {
	if walls, err := sandbox.CommandWalls(); err != nil || !walls.Holds() {
		realpart.Lacking(t, "needs the wall: %v, %q", err, walls.Missing)
	}
	for _, name := range []string{"go", "cat"} {
		if _, err := exec.LookPath(name); err != nil {
			realpart.Lacking(t, "%s is not installed", name)
		}
	}
	f := minefield{home: t.TempDir()}
	work := filepath.Join(f.home, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"citewell.yaml": "workdir: work\nconfirm: {run_cli: allow}\nfetch: " +
		"{allow_networks: [127.0.0.0/8]}\n", "secret.txt": "never-to-be-seen\n",
		"work/go.mod": "module example.org/bomb\n\ngo 1.22\n", "work/bomb_test.go": bombs,
		"work/notes.txt": "harmless\n"} {
		if err := os.WriteFile(filepath.Join(f.home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() == 0 { // the bound of processes is a user's: no other test has this one
		for _, name := range []string{"", "go.mod", "bomb_test.go", "notes.txt"} {
			if err := os.Chown(filepath.Join(work, name), 54321, 54321); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := shareGoCache(filepath.Join(f.home, "cache")); err != nil {
		t.Fatal(err)
	}
	f.address = serve(f.home)
	var err error
	if f.session, err = mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(context.Background(),
		&mcp.StreamableClientTransport{Endpoint: f.address + "/mcp/manifold"}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.session.Close() })
	if r := f.run(t, 280, "go", "test", "-vet=off", "-run", "^$", "."); r.ExitCode != 0 {
		t.Fatalf("the bombs are not built: %+v", r)
	}
	return f
}

type ranCLI struct {
	OK             bool
	ExitCode       int  `json:"exit_code"`
	TimedOut       bool `json:"timed_out"`
	Truncated      bool
	Stdout, Stderr string
}

func (f minefield) run(t testing.TB, seconds int, command string, args ...string) (ran ranCLI) {
	arguments, err := json.Marshal(map[string]any{"command": command, "args": args, "timeout_seconds": seconds})
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.session.CallTool(context.Background(), &mcp.CallToolParams{
		Name: "run_cli", Arguments: json.RawMessage(arguments)})
	if err != nil || len(r.Content) == 0 {
		t.Fatalf("%s %v: %+v, %v", command, args, r, err)
	}
	text := r.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &ran); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return ran
}

// left are the command lines of processes that a bomb left.
func left() (all []string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range found {
		if line, err := os.ReadFile(file); err == nil && strings.Contains(string(line), "bomb.test") {
			all = append(all, string(line))
		}
	}
	return all
}

// Bombs that a call of run_cli sets off end with it: nothing of them is left, other calls are
// answered meanwhile, and what lies beside the working folder is not seen.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a part of the standard library")
	}
	f := newMinefield(t, func(home string) string {
		_, address := serve(t, home, "--config", filepath.Join(home, "citewell.yaml"))
		return address
	})
	for name, whole := range map[string]func(ranCLI) bool{
		// it comes to the bound of processes, or to the end of its time
		"TestFork":   func(r ranCLI) bool { return !r.OK },
		"TestSetsid": func(r ranCLI) bool { return r.OK || r.TimedOut }, // go waits for whoever holds its output
		"TestFlood":  func(r ranCLI) bool { return r.Truncated && len(r.Stdout) < 300<<10 },
		"TestLinks":  func(r ranCLI) bool { return !strings.Contains(r.Stdout, "never-to-be-seen") },
	} {
		began := time.Now()
		ended := make(chan ranCLI)
		seconds := 60
		if name == "TestFork" { // it burns them all
			seconds = 25
		}
		go func() { ended <- f.run(t, seconds, "go", "test", "-vet=off", "-count=1", "-run", "^"+name+"$") }()
		beside := 0
		for done := false; !done; {
			select {
			case r := <-ended:
				if done = true; !whole(r) {
					t.Errorf("%s: %.600s", name, fmt.Sprintf("%+v", r))
				}
			default:
				r := f.run(t, 60, "cat", "notes.txt")
				if strings.Contains(r.Stdout, "never-to-be-seen") || name != "TestLinks" && r.Stdout != "harmless\n" {
					t.Errorf("beside %s: %+v", name, r)
				}
				beside++
			}
		}
		if beside == 0 {
			t.Errorf("no call was answered beside %s", name)
		}
		forked := filepath.Join(f.home, "work", "forked")
		if _, err := os.Stat(forked); name == "TestFork" && err != nil { // a slow machine was not done with building it
			f.run(t, 120, "go", "test", "-vet=off", "-count=1", "-run", "^TestFork$")
			if _, err := os.Stat(forked); err != nil {
				t.Errorf("the fork bomb did not go off: %v", err)
			}
		}
		t.Logf("%s took %v, with %d calls beside it", name, time.Since(began), beside)
		if l := left(); len(l) > 0 {
			t.Errorf("%s leaves %q", name, l)
		}
	}
}

// BenchmarkBombs is a cheap call alone, and while one bomb after the other of a kind is set
// off: the median of each.
func BenchmarkBombs(b *testing.B) {
	program := shipped(b)
	f := newMinefield(b, func(home string) string {
		port := freePort(b)
		return start(b, home, fmt.Sprint("http://127.0.0.1:", port), program, "serve", "--listen",
			fmt.Sprint("127.0.0.1:", port), "--config", filepath.Join(home, "citewell.yaml")).url
	})
	calls := func() float64 {
		var times []time.Duration
		for began := time.Now(); time.Since(began) < 5*time.Second; {
			at := time.Now()
			if _, err := f.session.CallTool(context.Background(), &mcp.CallToolParams{
				Name: "graph_get_node", Arguments: json.RawMessage(`{"id": "absent"}`)}); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(at))
		}
		slices.Sort(times)
		return at(times, 0.5)
	}
	for _, name := range []string{"TestFork", "TestFlood", "TestLinks"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				alone := calls()
				stop, stopped := make(chan struct{}), make(chan struct{})
				go func() {
					defer close(stopped)
					for {
						select {
						case <-stop:
							return
						default:
							f.run(b, 10, "go", "test", "-vet=off", "-count=1", "-run", "^"+name+"$")
						}
					}
				}()
				beside := calls()
				close(stop)
				<-stopped
				b.ReportMetric(alone, "ms-alone")
				b.ReportMetric(beside, "ms-beside")
				b.ReportMetric(beside/alone, "times-as-long")
			}
		})
	}
}
