package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/upkeep"
)

func init() { childModes["prune"] = childPrune }

func childPrune(dir string) int {
	ctx := context.Background()
	db, err := Open(ctx, dir, Options{})
	if err == nil {
		_, err = db.Prune(ctx, upkeep.PruneQuery{OlderThan: month})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	db.Close()
	return 0
}

// TestPruneKill kills a prune with signal 9 at one system call that changes the disk
// after another: the store it leaves is whole, has all that is cited, and is pruned by
// the next.
func TestPruneKill(t *testing.T) {
	if measure.RaceDetector || testing.Short() {
		t.Skip("tries many stores, without the race detector")
	}
	const snapshots = 240
	made := filepath.Join(t.TempDir(), "made")
	db, err := Open(t.Context(), made, Options{})
	if err != nil {
		t.Fatal(err)
	}
	putOld(t, db, snapshots)
	for n := snapshots; n < snapshots+20; n++ { // whose files are due
		if err := writeItem(db.Tenant("t"), ack{0, n, "snapshot"}); err != nil {
			t.Fatal(err)
		}
	}
	forget(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	kills := 0
	for calls, step := range map[string]int{"fsync,fdatasync": 0, "pwrite64,ftruncate,unlinkat": 1} {
		for n, ended := 1, false; !ended; n += 1 + step*n/2 { // strace counts in each thread
			if ended = pruneKilled(t, made, calls, n, snapshots); !ended {
				kills++
			}
		}
	}
	if kills < 4 {
		t.Errorf("only %d prunes were killed", kills)
	}
}

// pruneKilled kills the prune of a copy of a store at the n-th of some system calls, and
// says whether it ended before.
func pruneKilled(t *testing.T, made, calls string, n, snapshots int) (ended bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(dir, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
	cmd := strace(t, child(t.Context(), "prune", dir, "", 0), "-o", os.DevNull, "-e", "trace="+calls,
		"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", calls, n))
	out, err := cmd.Output()
	if ended = err == nil; len(out) > 0 {
		t.Fatalf("%s %d: the child says %s", calls, n, out)
	}
	left, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatalf("%s %d: the store does not open: %v", calls, n, err)
	}
	if others := checkOld(t, left, snapshots); ended && others > 0 {
		t.Errorf("a prune that ended leaves %d snapshots that nobody cites", others)
	}
	if _, err := left.Prune(t.Context(), upkeep.PruneQuery{OlderThan: month}); err != nil {
		t.Errorf("%s %d: the next prune: %v", calls, n, err)
	}
	if others := checkOld(t, left, snapshots); others > 0 {
		t.Errorf("%s %d: after the next prune there are %d snapshots that nobody cites", calls, n, others)
	}
	if err := left.Close(); err != nil {
		t.Error(err)
	}
	for _, problem := range problems(t, dir) {
		t.Errorf("%s %d: the store's own check says: %s", calls, n, problem)
	}
	return ended
}

// forget lets go of the last 20 snapshots, so long ago that their files are due.
func forget(t *testing.T, db *DB) {
	t.Helper()
	if _, err := db.writes.ExecContext(t.Context(),
		`UPDATE snapshot SET kept_at = 0 WHERE id > (SELECT max(id) FROM snapshot) - 20`); err != nil {
		t.Fatal(err)
	}
	did, err := db.Prune(t.Context(), upkeep.PruneQuery{OlderThan: 31 * month})
	if err != nil || did.Snapshots != 20 {
		t.Fatalf("let go of %+v, %v", did, err)
	}
	if _, err := db.writes.ExecContext(t.Context(), `UPDATE blob_gone SET gone_at = 0`); err != nil {
		t.Fatal(err)
	}
}
