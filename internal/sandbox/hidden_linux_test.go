package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// hidesItself is set for a copy of this test's program that hides its memory.
const hidesItself = "CITEWELL_TEST_HIDES_ITSELF"

// A process of an ordinary user whose memory is hidden, as the command citewell's is, gives
// its programs the same wall as one that does not hide, and ends them with all they started.
func TestCommandOfWhoHides(t *testing.T) {
	if os.Getenv(hidesItself) != "" {
		seen := space{user: true, pid: true}
		cmd, relayed := seen.supervisor(true)
		if err := cmd.Start(); relayed || err != nil {
			realpart.Lacking(t, "no namespace of users for this user: %v", err)
		}
		_ = cmd.Wait()
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		walls, err := CommandWalls()
		if err != nil || !slices.Contains(walls.Layers, layerPID) || !slices.Contains(walls.Layers, layerNet) {
			t.Fatalf("%v, %+v", err, walls)
		}
		t.Run("reaches nothing", TestCommandReachesNothingElse)
		t.Run("leaves nothing", TestCommandLeavesNothing)
		return
	}
	tiers(t)
	program := filepath.Join(t.TempDir(), "program") // where an ordinary user finds it
	whole, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(program, whole, 0o755)
	}
	for dir := filepath.Dir(program); err == nil && dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	again := exec.Command(program, "-test.run=^TestCommandOfWhoHides$", "-test.v")
	again.Dir, again.Env = "/", append([]string{"PATH=" + os.Getenv("PATH"), "CI=" + os.Getenv("CI"),
		hidesItself + "=1"}, detector...)
	if os.Getuid() == 0 {
		again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 60123, Gid: 60123}}
	}
	switch out, err := again.CombinedOutput(); {
	case err != nil:
		t.Errorf("%v: %s", err, out)
	case strings.Contains(string(out), "no namespace of users"):
		realpart.Lacking(t, "%s", out)
	}
}
