// Package minilm gives tests a real embedding model: all-MiniLM-L6-v2, served on
// loopback in the shape of OpenAI's embeddings API by scripts/embedding-server.py.
//
// Flow: scripts/test-setup.sh installs it once → Start → base URL → any client.
// Where it is not installed the test is skipped by name; with CI=true that is a
// failure. There is one server for each test binary; it ends with the binary,
// however that ends. Vectors are kept from one run to the next beside it.
// For tests only: nothing that is shipped imports it.
package minilm

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
	"sync"
	"testing"
	"time"
)

// What the server answers with.
const (
	Model      = "all-MiniLM-L6-v2"
	Dimensions = 384
)

// startWithin bounds the reading of the model, which takes a second where the
// machine does nothing else.
const startWithin = 2 * time.Minute

var start = sync.OnceValues(serve)

// Start returns the base URL of a running server, which ends in /v1. It needs no key.
func Start(t testing.TB) (baseURL string) {
	t.Helper()
	running, err := start()
	switch {
	case errors.Is(err, errNotInstalled) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return running.baseURL
}

var errNotInstalled = errors.New("needs the embedding model of scripts/test-setup.sh")

// A server runs until its standard input is closed, by the system where this process
// ends first.
type server struct {
	baseURL string
	stdin   *os.File
}

func serve() (server, error) {
	scripts, err := scriptsDir()
	if err != nil {
		return server{}, err
	}
	home, err := installed(scripts)
	if err != nil {
		return server{}, err
	}
	python := filepath.Join(home, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return server{}, fmt.Errorf("%w: there is no %s", errNotInstalled, python)
	}
	input, stdin, err := os.Pipe()
	if err != nil {
		return server{}, err
	}
	defer input.Close()
	output, stdout, err := os.Pipe()
	if err != nil {
		return server{}, err
	}
	defer output.Close()
	process := exec.Command(python, filepath.Join(scripts, "embedding-server.py"), filepath.Join(home, "vectors.db"))
	process.Stdin, process.Stdout, process.Stderr = input, stdout, stdout
	err = process.Start()
	stdout.Close()
	if err != nil {
		return server{}, err
	}
	said := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(output).ReadString('\n')
		said <- strings.TrimSpace(line)
	}()
	select {
	case line := <-said:
		if !strings.HasPrefix(line, "http://") {
			stdin.Close()
			return server{}, fmt.Errorf("the embedding server of tests does not start: %s", line)
		}
		return server{line, stdin}, nil
	case <-time.After(startWithin):
		stdin.Close()
		return server{}, fmt.Errorf("the embedding server of tests said nothing within %v", startWithin)
	}
}

// installed is where scripts/test-setup.sh puts the server's Python: a folder named
// for what it installs.
func installed(scripts string) (string, error) {
	requirements, err := os.ReadFile(filepath.Join(scripts, "embedding-server.txt"))
	if err != nil {
		return "", err
	}
	cache := os.Getenv("CITEWELL_TEST_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%w: %w", errNotInstalled, err)
		}
		cache = filepath.Join(home, ".cache", "citewell-test")
	}
	sum := sha256.Sum256(requirements)
	return filepath.Join(cache, "minilm-"+hex.EncodeToString(sum[:6])), nil
}

// scriptsDir is scripts of the repository that this file belongs to.
func scriptsDir() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", fmt.Errorf("%w: the test was built with -trimpath", errNotInstalled)
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "scripts"), nil
}
