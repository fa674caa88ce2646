// Package realpart finds the real programs that tests use, as scripts/test-setup.sh installs them, and starts servers
// of them as separate processes. If a part is missing, the test skips and names it; under CI=true it fails.
package realpart

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// ErrAbsent is a part that is not installed.
var ErrAbsent = errors.New("it is not installed")

// Lacking ends a test for want of a real part: it skips, and fails under CI=true.
func Lacking(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Need goes on where err is nil, ends the test as Lacking does where a part is absent,
// and fails it otherwise. what names the part, as in "the MCP clients". Parts that are
// installed are processes of seconds each: -short skips the test, there or not.
func Need(t testing.TB, what string, err error) {
	t.Helper()
	if testing.Short() {
		t.Skipf("make test tries %s", what)
	}
	switch {
	case errors.Is(err, ErrAbsent):
		Lacking(t, "needs %s of scripts/test-setup.sh: %v", what, err)
	case err != nil:
		t.Fatal(err)
	}
}

// Start gives what start makes of a part, and ends the test as Need does: with -short nothing is
// started that nobody will ask.
func Start[T any](t testing.TB, what string, start func() (T, error)) T {
	t.Helper()
	Need(t, what, nil)
	part, err := start()
	Need(t, what, err)
	return part
}

// Source is the folder of the source file that calls it.
func Source() (string, error) {
	_, file, _, ok := runtime.Caller(1)
	if !ok || !filepath.IsAbs(file) {
		return "", fmt.Errorf("%w: the test was built with -trimpath", ErrAbsent)
	}
	return filepath.Dir(file), nil
}

// Home is the folder of an installed part: it is named for the lists of what it holds,
// files of the folder source, so that a change of them makes a new one. Each of inside,
// a path below it, is there.
func Home(name, source string, lists []string, inside ...string) (string, error) {
	sum := sha256.New()
	for _, list := range lists {
		data, err := os.ReadFile(filepath.Join(source, list))
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	cache, err := cacheFolder()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAbsent, err)
	}
	home := filepath.Join(cache, name+"-"+hex.EncodeToString(sum.Sum(nil))[:12])
	for _, path := range append([]string{"."}, inside...) {
		if path = filepath.Join(home, path); !exists(path) {
			return "", fmt.Errorf("%w: there is no %s", ErrAbsent, path)
		}
	}
	return home, nil
}

// cacheFolder is where scripts/test-setup.sh installs, and what tests keep for the next run.
func cacheFolder() (string, error) {
	if given := os.Getenv("CITEWELL_TEST_CACHE"); given != "" {
		return given, nil
	}
	user, err := os.UserHomeDir()
	return filepath.Join(user, ".cache", "citewell-test"), err
}

// ShareGoCache makes folder, which is not there yet, the build cache of a go command that a test
// starts in a home of its own: one that all tests share, so that the standard library is built
// once and not by each.
func ShareGoCache(folder string) error {
	cache, err := cacheFolder()
	if err != nil {
		return err
	}
	shared := filepath.Join(cache, "go-build")
	return errors.Join(os.MkdirAll(shared, 0o700), os.MkdirAll(filepath.Dir(folder), 0o700), os.Symlink(shared, folder))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// startWithin bounds how long a server may read its model, which takes a second where
// the machine does nothing else.
const startWithin = 2 * time.Minute

// A Server runs until its standard input is closed, by the system where this process
// ends first.
type Server struct {
	URL   string
	stdin *os.File
}

// Serve starts a server and reads the line in which it says where it listens.
func Serve(process *exec.Cmd) (Server, error) {
	input, stdin, err := os.Pipe()
	if err != nil {
		return Server{}, err
	}
	defer input.Close()
	output, stdout, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return Server{}, err
	}
	defer output.Close()
	process.Stdin, process.Stdout, process.Stderr = input, stdout, stdout
	err = process.Start()
	stdout.Close()
	if err != nil {
		stdin.Close()
		return Server{}, err
	}
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(output).ReadString('\n') // what it said before its end
		said <- strings.TrimSpace(line)
	}()
	select {
	case line := <-said:
		if !strings.HasPrefix(line, "http://") {
			stdin.Close()
			return Server{}, fmt.Errorf("%s does not start: %s", filepath.Base(process.Path), line)
		}
		return Server{line, stdin}, nil
	case <-time.After(startWithin):
		stdin.Close()
		return Server{}, fmt.Errorf("%s said nothing within %v", filepath.Base(process.Path), startWithin)
	}
}
