package postgres

import (
	osexec "os/exec"
	"path/filepath"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/google/go-cmp/cmp"
)

// What store backup says is done: pg_dump, pg_restore into an empty database, and the store
// there tells the same and goes on.
func TestDumpAndRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{})
	from, to := server.Database(t), server.Database(t)
	db := openURL(t, Options{URL: from})
	storesuite.Fill(t, db.Tenant(""), 2)
	dump := filepath.Join(t.TempDir(), "citewell.dump")
	for _, args := range [][]string{
		{"pg_dump", "--format=custom", "--file=" + dump, from},
		{"pg_restore", "--exit-on-error", "--no-owner", "--dbname=" + to, dump},
	} {
		if said, err := osexec.CommandContext(t.Context(), filepath.Join(server.Bin(), args[0]),
			args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, said)
		}
	}
	restored := openURL(t, Options{URL: to})
	if diff := cmp.Diff(storesuite.Told(t, db.Tenant(""), 2), storesuite.Told(t, restored.Tenant(""), 2)); diff != "" {
		t.Errorf("the restored store tells something else (-before +after):\n%s", diff)
	}
	if report, err := restored.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("its check says %v (%v)", report.Problems, err)
	}
	storesuite.GoOn(t, restored.Tenant(""))
}
