package postgres

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/testing/pgtest"
)

// A kept store is one that a backup is made of: a run under way with its lease, and a page.
type keptStore struct {
	s     *Store
	lease runstore.Lease
	page  citewell.Page
	steps int
}

func keepSome(t *testing.T, db *DB) *keptStore {
	t.Helper()
	k := &keptStore{s: db.Tenant("t"), page: citewell.Page{URL: "https://a.example/", FinalURL: "https://a.example/",
		Body: []byte(strings.Repeat("the tide turns ", 20_000))}}
	run, err := k.s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)})
	if err != nil {
		t.Fatal(err)
	}
	if k.lease, err = k.s.AcquireRun(t.Context(), run.ID, "w", time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := k.s.PutSnapshot(t.Context(), k.page, citewell.Document{Text: "the tide turns"}); err != nil {
		t.Fatal(err)
	}
	// For the figures of doc/scaling.md: so many mebibytes that do not pack.
	megabytes, _ := strconv.Atoi(os.Getenv("CITEWELL_BACKUP_MB"))
	random := rand.NewChaCha8([32]byte{})
	for i := range megabytes {
		page := citewell.Page{URL: fmt.Sprintf("https://a.example/%d", i), Body: make([]byte, 1<<20)}
		random.Read(page.Body)
		if err := k.s.PutSnapshot(t.Context(), page, citewell.Document{Text: "t"}); err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// step appends to the run.
func (k *keptStore) step(t *testing.T) {
	t.Helper()
	if _, err := k.s.AppendEvents(t.Context(), k.lease, []runstore.RunEvent{
		{Type: "step", Data: json.RawMessage(fmt.Sprint(k.steps))}}); err != nil {
		t.Fatal(err)
	}
	k.steps++
}

// restored holds what another database has against what was kept, and goes on with it.
func (k *keptStore) restored(t *testing.T, url string, steps int) {
	t.Helper()
	db := openURL(t, Options{URL: url})
	if found := problems(t, url); len(found) > 0 {
		t.Errorf("the check says %q", found)
	}
	s := db.Tenant("t")
	events, err := s.Events(t.Context(), k.lease.Run, 0, 0)
	if err != nil || len(events) != steps+2 {
		t.Errorf("%d steps are restored (%v), want %d", len(events)-2, err, steps)
	}
	if page, _, err := s.Snapshot(t.Context(), k.page.FinalURL); err != nil ||
		string(page.Body) != string(k.page.Body) {
		t.Errorf("the page has %d bytes (%v)", len(page.Body), err)
	}
	// Who executed the run at the time of the backup has no say here, once another has taken it up.
	exec(t, db, `UPDATE run SET expires_at = 0`)
	lease, ok, err := s.AcquireNext(t.Context(), "other", time.Hour)
	if err != nil || !ok || lease.Run != k.lease.Run {
		t.Fatalf("the run is not gone on with: %v %+v", err, lease)
	}
	if _, err := s.AppendEvents(t.Context(), k.lease, []runstore.RunEvent{
		{Type: "late"}}); citewell.CodeOf(err) != citewell.CodeLeaseLost {
		t.Errorf("who executed it before is told %v", err)
	}
	if _, err := s.CreateRun(t.Context(), runstore.NewRun{Agent: "a", Request: json.RawMessage(`1`)}); err != nil {
		t.Errorf("a new run: %v", err)
	}
}

// TestDump is the backup of doc/scaling.md by pg_dump and pg_restore: it has what was committed
// when it began.
func TestDump(t *testing.T) {
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{})
	from := server.Database(t)
	k := keepSome(t, openURL(t, Options{URL: from}))
	k.step(t)
	folder := open(t)
	dump := filepath.Join(folder, "citewell.dump")
	began := time.Now()
	server.Run(t, "pg_dump", "--format=custom", "--compress=0", "--file", dump, nameOf(t, from))
	dumped := time.Since(began)
	k.step(t) // after the dump: it is not in it
	to := server.Database(t)
	began = time.Now()
	server.Run(t, "pg_restore", "--exit-on-error", "--no-owner", "--jobs=2", "--dbname", nameOf(t, to), dump)
	t.Logf("dumped in %v, restored in %v", dumped, time.Since(began))
	k.restored(t, to, 1)
}

// TestPointInTime is the other one: a base backup and the log of writes since then, up to a moment
// before somebody deleted what was there.
func TestPointInTime(t *testing.T) {
	archive := open(t)
	server := pgtest.Start(t, pgtest.Debian, pgtest.Options{Durable: true, Settings: map[string]string{
		"archive_mode": "on", "archive_command": "test ! -f " + archive + "/%f && cp %p " + archive + "/%f",
		"archive_timeout": "60"}})
	from := server.Database(t)
	db := openURL(t, Options{URL: from})
	k := keepSome(t, db)
	base := filepath.Join(open(t), "base")
	began := time.Now()
	server.Run(t, "pg_basebackup", "--pgdata", base, "--checkpoint", "fast", "--no-sync")
	copied := time.Since(began)
	k.step(t)
	k.step(t)
	exec(t, db, `SELECT pg_create_restore_point('before')`)
	exec(t, db, `DELETE FROM run`) // somebody's mistake
	var last string
	if err := db.pool.QueryRow(t.Context(), `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	for asked := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(archive, last)); err == nil {
			break
		}
		if time.Since(asked) > time.Minute {
			t.Fatalf("%s is not archived", last)
		}
	}
	server.Kill() // the machine is gone
	began = time.Now()
	other := server.Beside(t, pgtest.Options{Durable: true, Settings: map[string]string{
		"restore_command": "cp " + archive + "/%f %p", "recovery_target_name": "before",
		"recovery_target_action": "promote"}},
		func(data string) {
			if err := os.Rename(base, data); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(data, "recovery.signal"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	other.Writable(t)
	t.Logf("copied in %v, restored to the moment in %v", copied, time.Since(began))
	u, err := url.Parse(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + nameOf(t, from)
	k.restored(t, u.String(), 2)
}

// open is a folder that a server may write into, whoever it runs as.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "citewell-backup-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func nameOf(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(u.Path, "/")
}
