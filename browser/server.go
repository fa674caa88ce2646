package browser

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Server is a citewell process with a home of its own, on a free port of 127.0.0.1.
type Server struct {
	URL string // without a slash at its end

	t       testing.TB
	program string // the binary; empty is this tree's
	home    string
	args    []string
	process *exec.Cmd // nil once it has ended
	ended   chan error
	said    *speech
}

// build makes the binary once, as it is shipped but for -trimpath, with which nothing that other
// tests have compiled could be used.
var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(workFolder, "citewell")
	cmd := exec.Command("go", "build", "-o", program, "./cmd/citewell")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build citewell: %w: %s", err, out)
	}
	return program, nil
})

// Serve starts `citewell ARGS --listen ADDRESS`, or `citewell demo ARGS --page ADDRESS`, which
// says where it listens. The test's end stops it.
func Serve(t testing.TB, args ...string) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a server")
	}
	s := &Server{t: t, home: t.TempDir(), args: args}
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("citewell %s said:\n%s", strings.Join(args, " "), s.said)
		}
	})
	s.Start()
	return s
}

// listens is how a server says where.
var listens = regexp.MustCompile(`listening on (http://[^\s/]+)`)

// Start starts a server that was stopped or killed, with the same home at the same address.
func (s *Server) Start() {
	s.t.Helper()
	program, err := s.program, error(nil)
	if program == "" {
		program, err = build()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	address := "127.0.0.1:0"
	if s.URL != "" {
		address = strings.TrimPrefix(s.URL, "http://")
	}
	said := &speech{until: listens, found: make(chan string, 1)}
	flag := "--listen"
	if s.args[0] == "demo" { // there it is the demo web that listens
		flag = "--page"
	}
	process := exec.Command(program, slices.Concat(s.args, []string{flag, address})...)
	process.Dir = s.home
	process.Env = s.environment()
	process.Stdout, process.Stderr = said, said
	if err := process.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	s.process, s.ended, s.said = process, ended, said
	select {
	case s.URL = <-said.found:
	case err := <-ended:
		s.process = nil
		s.t.Fatalf("the server ended before it listened: %v", err)
	case <-time.After(patience):
		s.t.Fatalf("the server does not listen within %v", patience)
	}
}

// environment is that of a process with the server's home.
func (s *Server) environment() []string {
	return append(os.Environ(), "HOME="+s.home, "XDG_CONFIG_HOME="+s.home+"/config", "XDG_DATA_HOME="+s.home+"/data",
		"XDG_CACHE_HOME="+s.home+"/cache")
}

// Stop ends the server as its supervisor does, and waits for its end.
func (s *Server) Stop() {
	s.t.Helper()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case err := <-s.ended:
		s.process = nil
		if err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		s.t.Fatalf("the server does not end within %v", patience)
	}
}

// Kill ends the server as the loss of power does. One that has ended is left alone.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	_ = s.process.Process.Kill() // it may have ended
	<-s.ended
	s.process = nil
}

// speech is what a process says, and the first address in it.
type speech struct {
	until *regexp.Regexp
	found chan string

	mu   sync.Mutex
	text bytes.Buffer
}

func (s *speech) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if s.until != nil {
		if m := s.until.FindSubmatch(s.text.Bytes()); m != nil {
			s.found <- string(m[1])
			s.until = nil
		}
	}
	return len(p), nil
}

func (s *speech) String() string {
	if s == nil { // of a process that was never started
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
