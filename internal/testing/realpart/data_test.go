package realpart

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that is named holds the sets or lacks them; where none is, nobody can say more than that.
func TestFindData(t *testing.T) {
	alone := filepath.Join(t.TempDir(), "house", "room")
	if err := os.MkdirAll(alone, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(alone)
	t.Setenv("CITEWELL_SHARED", "")
	if _, found, there := FindData("set"); found || there {
		t.Error("a set is found where there is none")
	}
	beside := filepath.Join(filepath.Dir(alone), "shared", "data")
	if err := os.MkdirAll(filepath.Join(beside, "set"), 0o755); err != nil {
		t.Fatal(err)
	}
	if path, found, there := FindData("set"); !found || !there || path != filepath.Join(beside, "set") {
		t.Errorf("%s, %v, %v", path, found, there)
	}
	if path, found, there := FindData("another"); found || !there || path != filepath.Join(beside, "another") {
		t.Errorf("%s, %v, %v", path, found, there)
	}
	t.Setenv("CITEWELL_SHARED", filepath.Join(alone, "gone"))
	if _, found, there := FindData("set"); found || !there {
		t.Error("a folder that is named and gone lacks nothing")
	}
}
