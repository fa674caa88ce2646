package sqlite

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	measure "github.com/citewell/citewell/internal/testing/score"
)

// TestRunsPowerCut records every write of a process that executes runs, cuts the
// power at many moments of the record, and goes on with what is left: with nothing
// of what was not synced, a random part of it, and all of it, which is what kill -9
// at that write leaves. Nothing acknowledged is missing or paid again.
func TestRunsPowerCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if measure.RaceDetector {
		t.Skip("tries hundreds of stores, without the race detector")
	}
	dir, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	cmd := strace(t, child(t.Context(), "runs", dir, "1,2", 0), "-y", "-xx", "-s", "4194304", "-o", trace, "-e",
		"trace=open,openat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,fallocate,"+
			"rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir")
	all, _, errs := runLines(t, startChild(t, cmd), func(int, string) {})
	if err := cmd.Wait(); err != nil || len(errs) > 0 || len(all) < 2*(3*runSteps+5) {
		t.Fatalf("%d writes were acknowledged, errors %v, %v", len(all), errs, err)
	}
	calls := parseTrace(t, trace)
	random := rand.New(rand.NewPCG(8, 9))
	one := 40 // in so many moments is tried, and each acknowledgement in five
	if testing.Short() {
		one = 100
	}
	cuts := 0
	play(t, calls, dir, true, func(disk *disk, acks []ack, acked bool, line int) {
		if acked && random.IntN(one/4) > 0 || !acked && random.IntN(one) > 0 {
			return
		}
		cuts++
		for _, state := range []string{"synced", "random", "all"} {
			left := t.TempDir()
			disk.write(t, left, state, random)
			db, err := Open(t.Context(), left, Options{})
			if err != nil {
				t.Fatalf("the store does not open after a power cut at line %d, with %s left: %v", line, state, err)
			}
			checkRunAcks(t, db.Tenant("t"), acks)
			checkGoOn(t, db.Tenant("t"), acks)
			report, err := db.Check(t.Context())
			if err != nil || len(report.Problems) > 0 {
				t.Errorf("check says %q, %v", report.Problems, err)
			}
			db.Close()
			if t.Failed() {
				t.Fatalf("power cut at line %d of the trace, after %d acknowledgements, with %s left", line,
					len(acks), state)
			}
		}
	})
	if cuts < 5 {
		t.Errorf("%d cuts only: is the trace read wholly?", cuts)
	}
}
