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
