package bench

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

// maxPage bounds one unpacked file of a data set, and maxLine a line of one.
const (
	maxPage = 64 << 20
	maxLine = 4 << 20
)

// lacks is the error for a folder that is not the data set it should be.
func lacks(dir, file, expected string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "bench",
		Message: fmt.Sprintf("%s has no %s", dir, file), Hint: "expected are: " + expected}
}

// malformed is the error for a file that is not what its name says.
func malformed(path string, err error) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench", Message: path + " cannot be read: " + err.Error(), Err: err}
}

// require checks that dir holds the files of a set.
func require(dir, expected string, files ...string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "bench", Message: dir + " does not exist", Hint: "expected is a folder with: " + expected}
	case err != nil:
		return malformed(dir, err)
	case !info.IsDir():
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench", Message: dir + " is no folder", Hint: "expected is a folder with: " + expected}
	}
	for _, file := range files {
		if !exists(filepath.Join(dir, file)) && !exists(filepath.Join(dir, file+".gz")) {
			return lacks(dir, file, expected)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readFile reads path, or path.gz unpacked.
func readFile(path string) ([]byte, error) {
	if raw, err := os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
		return raw, err
	}
	file, err := os.Open(path + ".gz")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, malformed(path+".gz", err)
	}
	raw, err := io.ReadAll(io.LimitReader(zipped, maxPage+1))
	if err == nil && len(raw) > maxPage {
		err = errors.New("it unpacks to more than 64 MiB")
	}
	if err != nil {
		return nil, malformed(path+".gz", err)
	}
	return raw, nil
}

// eachLine decodes every line of path, or path.gz, as one JSON object.
func eachLine[T any](path string, each func(T)) error {
	raw, err := readFile(path)
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
			return malformed(fmt.Sprintf("line %d of %s", n, path), err)
		}
		each(one)
	}
	if err := lines.Err(); err != nil {
		return malformed(path, err)
	}
	return nil
}
