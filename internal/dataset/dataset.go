// Package dataset reads the data set files of a measurement: whole, unpacked from gzip, or line by line as JSON.
//
// Limits: a file unpacks to at most MaxFile bytes, a line has at most 4 MiB.
// Errors: not_found (the folder lacks a file of its set; the message names it), invalid_argument (a file of the wrong
// form).
package dataset

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citewell/citewell"
)

// MaxFile bounds one unpacked file of a data set, in bytes.
const MaxFile = 64 << 20

// maxLine bounds a line of one.
const maxLine = 4 << 20

// Lacks is the error for a folder that is not the data set it should be.
func Lacks(dir, file, expected string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "bench",
		Message: fmt.Sprintf("%s has no %s", dir, file), Hint: "expected are: " + expected}
}

// Malformed is the error for a file that is not what its name says.
func Malformed(path string, err error) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
		Message: path + " cannot be read: " + err.Error(), Err: err}
}

// Require checks that dir holds the files of a set.
func Require(dir, expected string, files ...string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "bench", Message: dir + " does not exist",
			Hint: "expected is a folder with: " + expected}
	case err != nil:
		return Malformed(dir, err)
	case !info.IsDir():
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench", Message: dir + " is no folder",
			Hint: "expected is a folder with: " + expected}
	}
	for _, file := range files {
		if !Exists(filepath.Join(dir, file)) && !Exists(filepath.Join(dir, file+".gz")) {
			return Lacks(dir, file, expected)
		}
	}
	return nil
}

// Exists says whether there is a file or folder at path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Read reads path, or path.gz unpacked; a path that ends in .gz itself unpacked as well.
func Read(path string) ([]byte, error) {
	path, packed := strings.CutSuffix(path, ".gz")
	if !packed {
		if raw, err := os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
			return raw, err
		}
	}
	file, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, Malformed(path+".gz", err)
	}
	raw, err := io.ReadAll(io.LimitReader(zipped, MaxFile+1))
	if err == nil && len(raw) > MaxFile {
		err = errors.New("it unpacks to more than 64 MiB")
	}
	if err != nil {
		return nil, Malformed(path+".gz", err)
	}
	return raw, nil
}

// EachLine decodes every line of path, or path.gz, as one JSON object.
func EachLine[T any](path string, each func(T)) error {
	raw, err := Read(path)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(strings.NewReader(string(raw)))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return Malformed(fmt.Sprintf("line %d of %s", n, path), err)
		}
		each(one)
	}
	if err := lines.Err(); err != nil {
		return Malformed(path, err)
	}
	return nil
}
