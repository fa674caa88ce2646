// Package workdir limits the files that tools may touch to one folder.
//
// Flow: New → Dir → Inside or Read. A name is relative to the folder, with slashes; it may not be absolute, nor lead
// out by ".." or through a symbolic link (os.Root checks this).
// Errors: path_outside_workdir, file_not_found, not_found (the folder itself), permission_denied; they name what the
// caller gave, never where the folder lies.
// Concurrency: a Dir may be used from many goroutines.
package workdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/citewell/citewell"
)

// A Dir is the folder.
type Dir struct {
	path string
}

// New returns the folder at a path. It need not be there yet.
func New(path string) (Dir, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "workdir",
			Message: fmt.Sprintf("workdir %.200q has no absolute path", path), Err: err}
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	return Dir{absolute}, nil
}

// Path is absolute and, where the folder is there, without symbolic links.
func (d Dir) Path() string { return d.path }

// Holds says whether a path of the machine is the folder or lies in it, symbolic links
// followed.
func (d Dir) Holds(path string) bool {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = real
	}
	relative, err := filepath.Rel(d.path, absolute)
	return err == nil && filepath.IsLocal(relative)
}

// Inside says whether a name stays in the folder; there need not be such a file.
func (d Dir) Inside(name string) error {
	if name == "" {
		return nil
	}
	local := filepath.Clean(filepath.FromSlash(name))
	if !filepath.IsLocal(local) {
		return outside(name)
	}
	root, err := d.open()
	if err != nil {
		return err
	}
	defer root.Close()
	// The name as it is given, not as it is cleaned: a/.. is the folder above what a leads to.
	_, err = root.Stat(filepath.FromSlash(strings.TrimRight(name, "/")))
	if err == nil || harmless(err) {
		return nil
	}
	return outside(name)
}

// harmless are the ways in which a name does not lead to a file that do not mean that it
// leads out.
func harmless(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOTDIR, syscall.ENAMETOOLONG},
		func(is error) bool { return errors.Is(err, is) })
}

// Folder says whether a name is that of a folder in it.
func (d Dir) Folder(name string) error {
	if err := d.Inside(name); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(d.path, filepath.FromSlash(name)))
	if err != nil || !info.IsDir() {
		return &citewell.Error{Code: citewell.CodeFileNotFound, Op: "workdir",
			Message: fmt.Sprintf("there is no folder %.200q in the working folder", name), Err: err}
	}
	return nil
}

// Read reads the first bytes of a regular file, at most most of them. It waits for nobody:
// what is no regular file, a pipe for one, is not read.
func (d Dir) Read(name string, most int64) ([]byte, error) {
	if !filepath.IsLocal(filepath.Clean(filepath.FromSlash(name))) {
		return nil, outside(name)
	}
	root, err := d.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|nonblocking, 0)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, &citewell.Error{Code: citewell.CodePermissionDenied, Op: "workdir",
			Message: fmt.Sprintf("%.200q may not be read", name), Err: err}
	case err != nil && harmless(err):
		return nil, &citewell.Error{Code: citewell.CodeFileNotFound, Op: "workdir",
			Message: fmt.Sprintf("there is no file %.200q in the working folder", name), Err: err}
	case errors.Is(err, syscall.ENXIO): // a socket
		return nil, irregular(name)
	case err != nil:
		return nil, outside(name)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return nil, irregular(name)
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(file, most))
	}
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodePermissionDenied, Op: "workdir",
			Message: fmt.Sprintf("%.200q cannot be read", name), Err: err}
	}
	return data, nil
}

func (d Dir) open() (*os.Root, error) {
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: "workdir",
			Message: "the working folder is not there, or cannot be opened",
			Hint:    "workdir in the configuration names it", Err: err}
	}
	return root, nil
}

func irregular(name string) error {
	return &citewell.Error{Code: citewell.CodeFileNotFound, Op: "workdir",
		Message: fmt.Sprintf("%.200q is no regular file", name)}
}

func outside(name string) error {
	return &citewell.Error{Code: citewell.CodePathOutsideWorkdir, Op: "workdir",
		Message: fmt.Sprintf("the path %.200q leads out of the working folder", name),
		Hint:    "give a path below it, without a leading slash; a symbolic link may not lead out either"}
}
