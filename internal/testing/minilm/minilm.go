// Package minilm gives tests a real embedding model: all-MiniLM-L6-v2, served on loopback in the form of OpenAI's
// embeddings API by scripts/embedding-server.py.
//
// Flow: scripts/test-setup.sh installs it once → Start → base URL → any client. If it is not installed, the test skips
// and names it; with CI=true that is a failure. Each test binary has one server, which ends with the binary, however
// that ends. Vectors are kept beside it from one run to the next.
// For tests only: nothing that ships imports it.
package minilm

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// What the server answers with.
const (
	Model      = "all-MiniLM-L6-v2"
	Dimensions = 384
)

var start = sync.OnceValues(serve)

// Start returns the base URL of a running server, which ends in /v1. It needs no key.
func Start(t testing.TB) (baseURL string) {
	t.Helper()
	running := realpart.Start(t, "the embedding model", start)
	return running.URL
}

func serve() (realpart.Server, error) {
	source, err := realpart.Source()
	if err != nil {
		return realpart.Server{}, err
	}
	scripts, python := filepath.Join(source, "..", "..", "..", "scripts"), filepath.Join("bin", "python")
	home, err := realpart.Home("minilm", scripts, []string{"embedding-server.txt"}, python)
	if err != nil {
		return realpart.Server{}, err
	}
	process := exec.Command(filepath.Join(home, python), filepath.Join(scripts, "embedding-server.py"),
		filepath.Join(home, "vectors.db"))
	process.Dir = home // the working folder of a test may be gone
	return realpart.Serve(process)
}
