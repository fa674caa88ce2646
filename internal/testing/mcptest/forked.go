package mcptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A forker is a Python that has read what its clients need, which takes more than a second of a
// processor, and forks for each plan. When the process of the tests has ended, and its end of the
// standard input is gone, it ends behind the plan that it carries out.
type forker struct {
	in  io.Writer
	out *bufio.Reader
}

// idle are forkers that carry nothing out.
var idle struct {
	sync.Mutex
	forkers []*forker
}

// fork carries a plan out in a process that a forker has made for it.
func (tools *Tools) fork(t testing.TB, p Plan) (stdout, stderr []byte, err error) {
	f, err := tools.forker()
	if err != nil {
		return nil, nil, err
	}
	dir, _ := p.write(t)
	if _, err := fmt.Fprintf(f.in, "%d %s\n", int(lifetime.Seconds()), dir); err != nil {
		return nil, nil, err
	}
	code, err := f.out.ReadString('\n')
	if err != nil {
		return nil, nil, fmt.Errorf("a Python that forks: %w", err)
	}
	idle.Lock()
	idle.forkers = append(idle.forkers, f)
	idle.Unlock()
	stdout, err = os.ReadFile(filepath.Join(dir, "stdout"))
	stderr, unread := os.ReadFile(filepath.Join(dir, "stderr"))
	if code = strings.TrimSpace(code); code != "0" {
		return stdout, stderr, fmt.Errorf("exit code %s", code)
	}
	return stdout, stderr, errors.Join(err, unread)
}

func (tools *Tools) forker() (*forker, error) {
	idle.Lock()
	defer idle.Unlock()
	if last := len(idle.forkers) - 1; last >= 0 {
		f := idle.forkers[last]
		idle.forkers = idle.forkers[:last]
		return f, nil
	}
	command := within(tools.source, exec.Command(tools.python(), filepath.Join(tools.source, "client.py")))
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	command.Stderr = os.Stderr // of clients it goes to a file
	return &forker{in, bufio.NewReader(out)}, command.Start()
}
