package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/upkeep"
	"golang.org/x/sync/errgroup"
)

const month = 30 * 24 * time.Hour

// age makes everything that is kept in a store older.
func age(t *testing.T, db *DB, by time.Duration) {
	t.Helper()
	err := db.writer.Do(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		for _, column := range []string{"snapshot SET kept_at = kept_at", "source SET created_at = created_at",
			"brief SET created_at = created_at",
			"blob_gone SET gone_at = gone_at", "run SET ended_at = ended_at"} {
			if _, err := tx.ExecContext(ctx, `UPDATE `+column+` - ?`, by.Microseconds()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestDisk(t *testing.T) {
	storesuite.RunDisk(t, func(t *testing.T) storesuite.DiskBackend {
		dir := t.TempDir()
		db := openTest(t, dir)
		return storesuite.DiskBackend{
			Tenant: func(name string) storesuite.RunStore { return db.Tenant(name) },
			Disk:   db,
			Age:    func(t *testing.T, by time.Duration) { age(t, db, by) },
			Check:  func(t *testing.T) []string { return problems(t, dir) },
		}
	})
}

// putOld keeps snapshots that are older than a month, each with a record of some size;
// the first half is cited by briefs. The others stand together: were every second one let
// go, pages of the database would stay half full, and whether any is freed at all would
// hang on the order in which they were written.
func putOld(t *testing.T, db *DB, snapshots int) {
	t.Helper()
	s := db.Tenant("t")
	var group errgroup.Group
	group.SetLimit(filesAtOnce)
	for n := range snapshots {
		group.Go(func() error {
			a := ack{0, n, "snapshot"}
			if err := writeItem(s, a); err != nil || !cited(n, snapshots) {
				return err
			}
			return s.AddSource(t.Context(), fmt.Sprint("b", n), citewell.Source{
				N: 1, URL: itemURL(a), TextSHA256: citewell.SHA256([]byte(itemText(a)))}, nil)
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for n := range snapshots / 2 {
		if err := s.PutBrief(t.Context(), citewell.Brief{ID: fmt.Sprint("b", n), CreatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	age(t, db, month+time.Hour)
}

func cited(n, snapshots int) bool { return n < snapshots/2 }

// checkOld looks for the snapshots of putOld that are cited, and counts the others.
func checkOld(t *testing.T, db *DB, snapshots int) (others int) {
	t.Helper()
	for n := range snapshots {
		err := checkItem(db.Tenant("t"), ack{0, n, "snapshot"})
		switch {
		case err == nil && !cited(n, snapshots):
			others++
		case err != nil && cited(n, snapshots):
			t.Errorf("cited snapshot %d is lost: %v", n, err)
		case err != nil && citewell.CodeOf(err) != citewell.CodeNotFound:
			t.Errorf("snapshot %d is neither there nor gone: %v", n, err)
		}
	}
	return others
}

// TestPruneShrinks has the files and the database smaller afterwards, by what is said.
func TestPruneShrinks(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of snapshots")
	}
	dir := t.TempDir()
	db := openTest(t, dir)
	const snapshots = 600
	putOld(t, db, snapshots)
	pageBytes := func() int64 {
		size, n, err := pageCounts(t.Context(), conn{db.reads})
		if err != nil {
			t.Fatal(err)
		}
		return size * n.all
	}
	had, hadFiles := pageBytes(), folderBytes(t, filepath.Join(dir, "snapshots"))
	did, err := db.Prune(t.Context(), upkeep.PruneQuery{OlderThan: month})
	const written = 4 * 4096 // bytes that the pruning itself may write before it compacts
	shrank := had - pageBytes()
	if err != nil || did.Snapshots != snapshots/2 || shrank <= 0 ||
		did.DatabaseBytes < shrank || did.DatabaseBytes > shrank+written {
		t.Errorf("the database went from %d to %d bytes: %+v, %v", had, pageBytes(), did, err)
	}
	if _, n, err := pageCounts(t.Context(), conn{db.reads}); err != nil || n.free > 0 {
		t.Errorf("%d pages are free and not given back, %v", n.free, err)
	}
	age(t, db, 2*goneFor)
	if err := db.sweepContents(t.Context()); err != nil {
		t.Fatal(err)
	}
	if has := folderBytes(t, filepath.Join(dir, "snapshots")); hadFiles-has != did.ContentBytes ||
		did.Contents != snapshots {
		t.Errorf("the files went from %d to %d bytes: %+v", hadFiles, has, did)
	}
	if others := checkOld(t, db, snapshots); others > 0 {
		t.Errorf("%d snapshots that nobody cites are there", others)
	}
}

// TestPruneDamaged lets nothing go where it cannot be read what is named.
func TestPruneDamaged(t *testing.T) {
	db := openTest(t, t.TempDir())
	putOld(t, db, 10)
	if _, err := db.writes.ExecContext(t.Context(), `UPDATE source SET record = x'00' WHERE brief = 'b4'`); err != nil {
		t.Fatal(err)
	}
	for _, dry := range []bool{true, false} {
		did, err := db.Prune(t.Context(), upkeep.PruneQuery{OlderThan: month, DryRun: dry})
		if citewell.CodeOf(err) != citewell.CodeStoreFailed || did.Snapshots > 0 {
			t.Errorf("it let go of %+v, %v", did, err)
		}
	}
	if others := checkOld(t, db, 10); others != 5 {
		t.Errorf("%d snapshots that nobody cites are there, want 5", others)
	}
}

// TestUsageIsTrue holds what is measured against the files themselves.
func TestUsageIsTrue(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, dir)
	putOld(t, db, 40)
	for n := range 20 {
		if err := writeItem(db.Tenant("t"), ack{1, n, "document"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Prune(t.Context(), upkeep.PruneQuery{OlderThan: month}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "snapshots", tmpDir, "left"), make([]byte, 1234), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.writes.ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	usage, err := db.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums, parts := map[string]int64{}, map[string]upkeep.UsagePart{}
	for _, p := range usage.Parts {
		sums[p.In] += p.Bytes
		parts[p.Part] = p
	}
	if files := folderBytes(t, filepath.Join(dir, "snapshots")); sums["files"] != files {
		t.Errorf("the files are %d bytes and their parts %d", files, sums["files"])
	}
	if all := folderBytes(t, dir); usage.Bytes != all {
		t.Errorf("the store is %d bytes and its parts %d", all, usage.Bytes)
	}
	for part, count := range map[string]int{"pages": 20, "texts": 20, "let go, removed an hour later": 40,
		"without an entry": 1} {
		if parts[part].Count != count || parts[part].Bytes == 0 {
			t.Errorf("%s: %+v, want %d files", part, parts[part], count)
		}
	}
	if parts["without an entry"].Bytes != 1234 || parts["text index"].Bytes == 0 ||
		parts["briefs and ledgers"].Bytes == 0 {
		t.Errorf("parts: %+v", usage.Parts)
	}
}

// folderBytes is the length of all files below a folder.
func folderBytes(t *testing.T, dir string) (all int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCachePrune has the cache give back what its expired entries took.
func TestCachePrune(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.db")
	cache, err := OpenCache(t.Context(), path, CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	for n := range 50 {
		ttl := time.Hour
		if n%5 > 0 {
			ttl = time.Microsecond
		}
		if err := cache.CachePut(t.Context(), fmt.Sprint(n), []byte(itemText(ack{n, n, ""})), ttl); err != nil {
			t.Fatal(err)
		}
	}
	for _, dry := range []bool{true, false} {
		if entries, bytes, err := cache.Prune(t.Context(), dry); entries != 40 || bytes < 40*cacheRowBytes ||
			err != nil {
			t.Errorf("dry %v: %d entries of %d bytes, %v", dry, entries, bytes, err)
		}
	}
	if _, n, err := pageCounts(t.Context(), conn{cache.file.db}); err != nil || n.free > 0 {
		t.Errorf("%d pages are free and not given back, %v", n.free, err)
	}
	parts, err := cache.Usage(t.Context())
	if err != nil || parts[0].Count != 10 || parts[0].Bytes < 10*cacheRowBytes || parts[1].Count != 0 {
		t.Errorf("the cache has %+v, %v", parts, err)
	}
}
