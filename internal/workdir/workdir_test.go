package workdir

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func made(t testing.TB) Dir {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	for _, name := range []string{"work/sub", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"work/a.txt": "0123456789", "out/secret": "secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"escape": "../out", "absolute": filepath.Join(dir, "out", "secret"),
		"dangling": "/nowhere/at/all", "inner": "sub", "back": "sub/../a.txt", "round": "round"} {
		if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := New(work)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestInside(t *testing.T) {
	d := made(t)
	for name, in := range map[string]bool{"a.txt": true, "sub": true, "sub/": true, "new/file": true, "a.txt/x": true,
		"inner/../a.txt": true, "back": true, "": true, ".": true, "...": true, "HEAD~1:a..b": true,
		strings.Repeat("x", 5000): true,
		"..":                      false, "../work/a.txt": false, "/etc/passwd": false, "escape": false,
		"escape/":    false,
		"escape/new": false, "absolute": false, "dangling": false, "sub/../../out": false, "round": false,
		"inner/../../out/secret": false, "gone/../../out/secret": false} {
		err := d.Inside(name)
		if (err == nil) != in || err != nil && citewell.CodeOf(err) != citewell.CodePathOutsideWorkdir {
			t.Errorf("%.60q: %v", name, err)
		}
	}
	if v := citewell.View(d.Inside("escape/secret")); strings.Contains(v.Message+v.Hint, d.Path()) {
		t.Errorf("tells where the folder is: %+v", v)
	}
}

func TestRead(t *testing.T) {
	d := made(t)
	if data, err := d.Read("a.txt", 4); err != nil || string(data) != "0123" {
		t.Errorf("%q, %v", data, err)
	}
	for name, code := range map[string]citewell.Code{"gone/../../out/secret": citewell.CodePathOutsideWorkdir,
		"../out/secret": citewell.CodePathOutsideWorkdir, "escape/secret": citewell.CodePathOutsideWorkdir,
		"absolute": citewell.CodePathOutsideWorkdir, "/etc/passwd": citewell.CodePathOutsideWorkdir,
		"gone.png": citewell.CodeFileNotFound, "sub": citewell.CodeFileNotFound, "a.txt/b": citewell.CodeFileNotFound,
		"dangling": citewell.CodePathOutsideWorkdir} {
		if data, err := d.Read(name, 10); citewell.CodeOf(err) != code || data != nil {
			t.Errorf("%s: %q, %v; want %s", name, data, err, code)
		}
	}
}

func TestFolder(t *testing.T) {
	d := made(t)
	for name, code := range map[string]citewell.Code{"sub": "", ".": "", "inner": "",
		"a.txt": citewell.CodeFileNotFound, "gone": citewell.CodeFileNotFound, "..": citewell.CodePathOutsideWorkdir,
		"escape": citewell.CodePathOutsideWorkdir} {
		if err := d.Folder(name); citewell.CodeOf(err) != code {
			t.Errorf("%s: %v, want %q", name, err, code)
		}
	}
}

// A folder that is not there is said to be that, and one behind a link is the one that it
// leads to.
func TestNew(t *testing.T) {
	d := made(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(d.Path(), link); err != nil {
		t.Fatal(err)
	}
	if linked, err := New(link); err != nil || linked.Path() != d.Path() {
		t.Errorf("%s, %v", linked.Path(), err)
	}
	t.Chdir(d.Path())
	if here, err := New("."); err != nil || here.Path() != d.Path() {
		t.Errorf("%s, %v", here.Path(), err)
	}
	gone, err := New(filepath.Join(d.Path(), "gone"))
	if err != nil {
		t.Fatal(err)
	}
	_, read := gone.Read("a.txt", 10)
	for _, err := range []error{gone.Inside("a.txt"), gone.Folder("."), read} {
		if v := citewell.View(err); v.Code != citewell.CodeNotFound || v.Hint == "" ||
			strings.Contains(v.Message, d.Path()) {
			t.Errorf("%+v", v)
		}
	}
}

func TestHolds(t *testing.T) {
	d := made(t)
	for path, holds := range map[string]bool{d.Path(): true, filepath.Join(d.Path(), "sub"): true,
		filepath.Join(d.Path(), "escape"): false, filepath.Dir(d.Path()): false, d.Path() + "x": false, "/": false} {
		if d.Holds(path) != holds {
			t.Errorf("%s: %v", path, !holds)
		}
	}
}

// FuzzInside holds the judge against what os.Root opens: what it calls inside never is a
// file outside.
func FuzzInside(f *testing.F) {
	d := made(f)
	for _, name := range []string{"a.txt", "../out/secret", "inner/../../out/secret", "escape/secret", "./sub/../a.txt",
		"absolute", "//etc/passwd", "sub/./..//a.txt"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsRune(name, 0) || d.Inside(name) != nil {
			return
		}
		data, err := os.ReadFile(d.Path() + "/" + name) // as a program would
		if err == nil && string(data) != "0123456789" {
			t.Errorf("%q reads %.60q", name, data)
		}
	})
}
