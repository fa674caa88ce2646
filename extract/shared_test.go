package extract

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/citewell/citewell/internal/sandbox"

	"github.com/citewell/citewell/internal/score"
)

// TestMain lets the test binary be the child that reads PDFs.
func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}

// shared is the folder of measurement data; tests that need it skip without.
func shared(t testing.TB, name string) string {
	t.Helper()
	candidates := []string{os.Getenv("CITEWELL_SHARED")}
	if at, err := os.Getwd(); err == nil {
		for ; at != filepath.Dir(at); at = filepath.Dir(at) {
			candidates = append(candidates, filepath.Join(filepath.Dir(at), "shared"))
		}
	}
	for _, folder := range candidates {
		path := filepath.Join(folder, "data", name)
		if _, err := os.Stat(path); folder != "" && err == nil {
			return path
		}
	}
	t.Skipf("%s is not here: set CITEWELL_SHARED to the folder that holds data/", name)
	return ""
}

// unpack reads the files of a tar.gz.
func unpack(t *testing.T, path string) map[string][]byte {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		body, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Clean(header.Name)] = body
	}
}

// measured marks a test of quality or of bounds in time, which the race detector
// makes ten times slower and tells nothing about: make test runs it without.
func measured(t *testing.T) {
	t.Helper()
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
}
