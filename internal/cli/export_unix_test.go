//go:build unix

package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// A file is replaced when it is whole; a link keeps being one, and what fails leaves
// everything as it was.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "report.md"), filepath.Join(dir, "link.md")
	says := func(words string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, words); return err }
	}
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if err := writeWhole(file, says("one")); err != nil || read(file) != "one" {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(link, says("two")); err != nil || read(file) != "two" {
		t.Errorf("%v; the file has %q", err, read(file))
	}
	if there, err := os.Lstat(link); err != nil || there.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", there, err)
	}
	half := func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return io.ErrUnexpectedEOF }
	if err := writeWhole(file, half); err != io.ErrUnexpectedEOF || read(file) != "two" {
		t.Errorf("%v; the file has %q", err, read(file))
	}
	if there, err := os.Lstat("/dev/full"); err == nil && there.Mode()&os.ModeCharDevice != 0 {
		full := filepath.Join(dir, "full.md") // a link, so that a mistake costs no device
		if err := os.Symlink("/dev/full", full); err != nil {
			t.Fatal(err)
		}
		if err := writeWhole(full, says("three")); citewell.CodeOf(err) != citewell.CodePermissionDenied {
			t.Errorf("where there is no room: %v", err)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || strings.Contains(strings.Join(names, " "), ".part") {
		t.Errorf("%v, %v", names, err)
	}
}
