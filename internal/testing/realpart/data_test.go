package realpart

import (
	"os"
	"path/filepath"
	"testing"
)

// The sets are looked for in the folder that is named, and else beside each one above.
func TestFindData(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "house", "room")
	if err := os.MkdirAll(alone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(alone)
	t.Setenv("CITEWELL_SHARED", "")
	if _, found := FindData("set"); found {
		t.Error("a set is found where there is none")
	}
	beside := filepath.Join(filepath.Dir(alone), "shared", "data")
	if err := os.MkdirAll(filepath.Join(beside, "set"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, found := FindData("set"); !found || path != filepath.Join(beside, "set") {
		t.Errorf("%s, %v", path, found)
	}
	if path, found := FindData("another"); found {
		t.Errorf("%s is found", path)
	}
	t.Setenv("CITEWELL_SHARED", filepath.Join(alone, "gone"))
	if path, found := FindData("set"); found {
		t.Errorf("%s is found in a folder that is named and gone", path)
	}
}
