// Package extracttest has what the tests of extract and of its readers share: packed sets of pages, pages made to break
// a parser, PDFs written by hand, and the checks that all passages must pass.
package extracttest

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/citewell/citewell/internal/testing/score"
)

// Gunzip reads one file that was packed alone.
func Gunzip(t testing.TB, path string) []byte {
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
	body, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// Unpack reads the files of a tar.gz.
func Unpack(t testing.TB, path string) map[string][]byte {
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

// Measured marks a test of quality, of a corpus or of bounds, which the race detector
// makes ten times slower and tells nothing about: make test runs it without. It reads hundreds of
// pages or waits for a deadline, so that -short leaves it out.
func Measured(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("measured by make test: a corpus, or a bound in time")
	}
	if score.RaceDetector {
		t.Skip("measured without the race detector")
	}
}
