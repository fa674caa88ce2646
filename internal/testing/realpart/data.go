package realpart

import (
	"os"
	"path/filepath"
	"testing"
)

// Data is a file or folder of the measurement sets, below the folder data of the one that
// CITEWELL_SHARED names or, where it names none, of a folder shared beside one above the working folder.
// No installer can bring the sets: where one is missing the test ends as Lacking ends it.
func Data(t testing.TB, set ...string) string {
	t.Helper()
	path, found := FindData(set...)
	if !found {
		name := filepath.Join(set...)
		Lacking(t, "needs %s: set CITEWELL_SHARED to the folder that has data/%s", name, name)
	}
	return path
}

// FindData is Data without a test: where the set is, and whether it is there.
func FindData(set ...string) (path string, found bool) {
	for _, shared := range sharedFolders() {
		data := filepath.Join(shared, "data")
		if exists(data) {
			path = filepath.Join(append([]string{data}, set...)...)
			return path, exists(path)
		}
	}
	return "", false
}

// sharedFolders are where the folder of the sets may be.
func sharedFolders() (all []string) {
	if named := os.Getenv("CITEWELL_SHARED"); named != "" {
		return []string{named}
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		all = append(all, filepath.Join(filepath.Dir(dir), "shared"))
	}
	return all
}
