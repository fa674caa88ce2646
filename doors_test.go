package citewell_test

import (
	"os/exec"
	"strings"
	"testing"
)

// mostDoors is how many lines `go doc -short` may print of all public packages but the suites
// (doc/decision/0075-small-doors.md).
const mostDoors = 350

// TestDoorsAreSmall counts what is public: a name that only Citewell uses belongs below internal/.
func TestDoorsAreSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("asks go doc of every package")
	}
	lines := 0
	for _, pkg := range packagesOf(t) {
		path, _ := ours(pkg.ImportPath)
		if strings.Contains("/"+path+"/", "/internal/") || strings.HasPrefix(path, "cmd/") ||
			strings.HasPrefix(path, "scripts/") || strings.HasSuffix(path, "test") {
			continue
		}
		out, err := exec.CommandContext(t.Context(), "go", "doc", "-short", pkg.ImportPath).Output()
		if err != nil {
			t.Fatalf("go doc %s: %v", pkg.ImportPath, err)
		}
		n := strings.Count(string(out), "\n")
		t.Logf("%3d %s", n, pkg.ImportPath)
		lines += n
	}
	if lines == 0 || lines > mostDoors {
		t.Errorf("go doc -short prints %d lines of the public packages, of %d at most", lines, mostDoors)
	}
}
