package extracttest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// LeavesNothing fails the test if a process or a goroutine outlives it.
func LeavesNothing(t testing.TB) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() {
		goleak.VerifyNone(t, before)
		for _, child := range children(t) {
			t.Errorf("process %s is left", child)
		}
	})
}

// children are the processes, dead ones that nobody waited for too, whose parent
// is this one.
func children(t testing.TB) (found []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		if of, err := os.ReadFile(list); err == nil { // a thread may have ended
			found = append(found, strings.Fields(string(of))...)
		}
	}
	return found
}
