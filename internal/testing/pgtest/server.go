package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/jackc/pgx/v5"
)

// readyWithin bounds how long a server may take to start, be it after a kill.
const readyWithin = time.Minute

// Options of a server.
type Options struct {
	Durable  bool              // what is committed is on disk: fsync, and commits wait for it
	Settings map[string]string // of postgresql.conf
}

// A Server is a running PostgreSQL of one test. Its methods are not for several goroutines.
type Server struct {
	URL string // of its first database, as its superuser

	part     Part
	bin, dir string
	settings []string
	process  *exec.Cmd
	ended    chan struct{} // closed when process is gone
}

// Start starts a server that ends with the test.
func Start(t testing.TB, part Part, o Options) *Server {
	t.Helper()
	s := realpart.Start(t, part.Name, func() (*Server, error) { return start(part, o) })
	s.endsWith(t)
	return s
}

// endsWith ends the server with the test.
func (s *Server) endsWith(t testing.TB) {
	t.Cleanup(func() {
		s.signal(syscall.SIGQUIT)
		<-s.ended
		if said, err := os.ReadFile(s.log()); t.Failed() && err == nil {
			t.Logf("%s said:\n%s", s.dir, said)
		}
		os.RemoveAll(s.dir)
	})
}

// Database makes a new database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return newDatabase(t, s.URL)
}

// Kill ends the server at once, as kill -9 does, and waits until it is gone.
func (s *Server) Kill() {
	s.signal(syscall.SIGKILL)
	<-s.ended
}

// Restart starts a server again that was killed.
func (s *Server) Restart() error { return s.run() }

func (s *Server) signal(signal syscall.Signal) { s.process.Process.Signal(signal) }

func (s *Server) data() string { return filepath.Join(s.dir, "data") }
func (s *Server) log() string  { return filepath.Join(s.dir, "log") }

func start(part Part, o Options) (*Server, error) {
	s, err := place(part, o)
	if err != nil {
		return nil, err
	}
	initdb := s.command("initdb", "-N", "-A", "trust", "-U", "citewell", "-E", "UTF8", "--locale=C.UTF-8",
		"-D", s.data())
	if said, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, said)
	}
	return s, s.run()
}

// place is a server that has a folder and no data yet.
func place(part Part, o Options) (*Server, error) {
	home, bin, err := part.find()
	if err != nil {
		return nil, err
	}
	parent := os.TempDir()
	if len(parent) > 60 {
		parent = "/tmp" // the path of a socket may have about 100 bytes
	}
	dir, err := os.MkdirTemp(parent, "citewell-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{part: part, dir: dir, URL: (&url.URL{Scheme: "postgres", User: url.User("citewell"), Path: "/postgres",
		RawQuery: url.Values{"host": {dir}}.Encode()}).String()}
	if err := s.janitor(); err != nil {
		return nil, err
	}
	if err := give(dir); err != nil {
		return nil, err
	}
	if s.bin, err = reachable(home, bin, dir); err != nil {
		return nil, err
	}
	s.settings = []string{"-c", "max_connections=200", "-c", "log_min_messages=warning"}
	if !o.Durable {
		s.settings = append(s.settings, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	for name, value := range o.Settings {
		s.settings = append(s.settings, "-c", name+"="+value)
	}
	return s, nil
}

// run starts the server and waits until it answers. After a kill the children of the one
// before may still be there for a moment, and it ends at once: then it is started again.
func (s *Server) run() error {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := s.try(began)
		if err == nil || time.Since(began) > readyWithin {
			return err
		}
	}
}

func (s *Server) try(began time.Time) error {
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	s.process = s.command("postgres", append([]string{"-D", s.data(), "-k", s.dir, "-c", "listen_addresses="},
		s.settings...)...)
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.ended = ended
	go func() {
		s.process.Wait()
		close(ended)
	}()
	for {
		err := s.ping()
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			said, _ := os.ReadFile(s.log())
			return fmt.Errorf("the server ended: %s", said)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Since(began) > readyWithin {
			return err
		}
	}
}

func (s *Server) ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL)
	if err != nil {
		return err
	}
	return errors.Join(conn.Ping(ctx), conn.Close(ctx))
}

// command is a program of the server, which does not run as root.
func (s *Server) command(program string, args ...string) *exec.Cmd {
	c := exec.Command(filepath.Join(s.bin, program), args...)
	c.Dir = s.dir // the working folder of a test may be closed to others
	c.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
	c.SysProcAttr = lowered()
	return c
}

// janitor starts a shell that ends the server and removes its folder when this process is
// gone: the pipe that it reads from is then closed by the system.
func (s *Server) janitor() error {
	const sweep = `cat >/dev/null
pid=$(head -n 1 "$0/data/postmaster.pid" 2>/dev/null) && kill -QUIT "$pid"
for n in 1 2 3 4 5 6 7 8 9; do [ -e "$0/data/postmaster.pid" ] && sleep 0.$n; done
rm -rf "$0"`
	shell := exec.Command("sh", "-c", sweep, s.dir)
	shell.SysProcAttr = apart()
	shell.Dir = string(filepath.Separator)
	if _, err := shell.StdinPipe(); err != nil {
		return err
	}
	if err := shell.Start(); err != nil {
		return fmt.Errorf("sh: %w", err)
	}
	go shell.Wait()
	return nil
}

// Bin is the folder of the server's programs, pg_dump among them.
func (s *Server) Bin() string { return s.bin }
