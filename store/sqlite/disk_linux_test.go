package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/realpart"
)

func init() {
	childModes["full"] = childFull
	childModes["readonly"] = childReadOnly
}

// TestFullDisk writes to a small file system of the child's own until it is full.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	cmd := child(t.Context(), "full", dir, "", 0)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
	out, err := cmd.Output()
	if _, ran := errors.AsType[*exec.ExitError](err); err != nil && !ran || strings.HasPrefix(string(out), "mount") {
		realpart.Lacking(t, "no file system may be mounted here (it needs user and mount namespaces for this user, "+
			"and tmpfs), so a really full disk was not tried: %v %s", err, out)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func childFull(dir string) int {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		fmt.Println("mount", err)
		return 0
	}
	ctx := context.Background()
	db, err := Open(ctx, dir, Options{})
	if err != nil {
		fmt.Println("open", err)
		return 1
	}
	s, status := db.Tenant("t"), 0
	complain := func(format string, args ...any) {
		fmt.Printf(format+"\n", args...)
		status = 1
	}
	full := map[string]bool{}
	var acks []ack
	for n := 0; n < 20_000 && len(full) < len(kinds); n++ {
		a := ack{0, n, kinds[n%len(kinds)]}
		switch err := writeItem(s, a); {
		case err == nil:
			acks = append(acks, a)
		case citewell.CodeOf(err) != citewell.CodeStoreFailed || !strings.Contains(err.Error(), "full") &&
			!strings.Contains(err.Error(), "disk failed"):
			complain("write %v: %v", a, err)
			full[a.kind] = true
		default:
			full[a.kind] = true
		}
	}
	if len(full) < len(kinds) {
		complain("the disk never filled for all kinds: %v after %d writes", full, len(acks))
	}
	for _, a := range acks {
		if err := checkItem(s, a); err != nil {
			complain("%v is lost: %v", a, err)
		}
	}
	left, err := os.ReadDir(dir + "/snapshots/" + tmpDir)
	if err != nil || len(left) > 0 {
		complain("unfinished files stay on the full disk: %v, %v", left, err)
	}
	if err := db.Close(); err != nil && citewell.CodeOf(err) != citewell.CodeStoreFailed {
		complain("close: %v", err)
	}
	return status
}

// TestReadOnly reads a store that somebody without rights to it may only read, and writes
// nothing to it, nor to a place where none may be made.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	openTestClosed(t, dir+"/store")
	for path, mode := range map[string]os.FileMode{dir: 0o755, dir + "/..": 0o755, dir + "/store": 0o555,
		dir + "/store/state.db":  0o444,
		dir + "/store/snapshots": 0o555, dir + "/store/snapshots/tmp": 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := child(t.Context(), "readonly", dir, "", 0).Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func childReadOnly(dir string) int {
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			fmt.Println(err)
			return 1
		}
	} else if err := os.Chmod(dir, 0o555); err != nil {
		fmt.Println(err)
		return 1
	}
	status := 0
	complain := func(format string, args ...any) {
		fmt.Printf(format+"\n", args...)
		status = 1
	}
	db, err := Open(context.Background(), dir+"/new", Options{})
	if db != nil || citewell.CodeOf(err) != citewell.CodePermissionDenied ||
		strings.Contains(citewell.View(err).Message, dir) {
		complain("open a new one: %v (%s), want permission_denied without the path", err, citewell.CodeOf(err))
	}
	if db, err = Open(context.Background(), dir+"/store", Options{}); err != nil {
		complain("open: %v", err)
		return status
	}
	defer db.Close()
	if n, err := db.Tenant("t").CountDocuments(context.Background(), ""); n != 0 || err != nil {
		complain("%d documents: %v", n, err)
	}
	for n, kind := range kinds {
		err := writeItem(db.Tenant("t"), ack{0, n, kind})
		if code := citewell.CodeOf(err); code != citewell.CodeStoreFailed && code != citewell.CodePermissionDenied ||
			strings.Contains(citewell.View(err).Message, dir) {
			complain("write %v: %v (%s)", kind, err, code)
		}
	}
	_, err = OpenCache(context.Background(), dir+"/new/cache.db", CacheOptions{})
	if citewell.CodeOf(err) != citewell.CodePermissionDenied {
		fmt.Printf("open cache: %v\n", err)
		status = 1
	}
	return status
}
