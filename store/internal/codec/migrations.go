package codec

import (
	"fmt"
	"io/fs"
)

// Migrations returns the scripts of a backend's folder migrations in order, which are numbered from 1 without a gap.
func Migrations(files fs.FS) ([]string, error) {
	names, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	scripts := make([]string, len(names))
	for i, name := range names {
		var n int
		if _, err := fmt.Sscanf(name, "migrations/%04d_", &n); err != nil || n != i+1 {
			return nil, fmt.Errorf("%s is not migration %d", name, i+1)
		}
		script, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		scripts[i] = string(script)
	}
	return scripts, nil
}
