package sqlite

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/citewell/citewell/store/internal/sqlstore"
	driver "modernc.org/sqlite"
)

// staleStore returns a data folder with what storesuite.IndexStale keeps.
func staleStore(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for key, said := range storesuite.IndexStale(t, textOf(db)) {
		if _, err := db.writes.Exec(`UPDATE text_document SET text_record = ?, terms_version = 0 WHERE key = ?`,
			fulltext.Seal(nil, []byte(said)), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func textOf(db *DB) func(name string) store.Text {
	return func(name string) store.Text { return db.Tenant(name) }
}

func init() { childModes["open"] = childOpen }

// childOpen opens a store, which brings its terms up to date. A comparison by the
// collation hold, which a trigger may use and a function of ours may not, says so and
// waits to be killed.
func childOpen(dir string) int {
	err := driver.RegisterCollationUtf8("hold", func(string, string) int {
		os.Stdout.WriteString("held\n")
		io.Copy(io.Discard, os.Stdin)
		return 0
	})
	if err != nil {
		fmt.Println("register", err)
		return 1
	}
	db, err := Open(context.Background(), dir, Options{LockWait: 30 * time.Second})
	if err != nil {
		fmt.Println("open", err)
		return 1
	}
	if err := db.Close(); err != nil {
		return 1
	}
	return 0
}

// checkRenewed says what is wrong with a store that staleStore's was opened to.
func checkRenewed(t *testing.T, db *DB) {
	t.Helper()
	storesuite.CheckRenewed(t, textOf(db))
	if n := count(t, db, `SELECT count(*) FROM text_document WHERE terms_version <> ?`, text.TermsVersion); n != 0 {
		t.Errorf("%d documents have terms of another version", n)
	}
	if report, err := db.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("the store's own check says %v (%v)", report.Problems, err)
	}
}

func count(t *testing.T, db *DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.reads.QueryRow(query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestStaleTerms has several openers at once index anew what has terms of an earlier
// version.
func TestStaleTerms(t *testing.T) {
	dir := staleStore(t)
	dbs := make([]*DB, 3)
	var group sync.WaitGroup
	for i := range dbs {
		group.Go(func() {
			var err error
			if dbs[i], err = Open(t.Context(), dir, Options{}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	for _, db := range dbs {
		checkRenewed(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStaleTermsKilled kills the process that indexes anew when a part of it is done, in
// the middle of the next.
func TestStaleTermsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	// documents written when it is killed, and those left as they were
	for done, want := range map[int]int{2: 604, 4: 600, 300: 404, 603: 4} {
		dir := staleStore(t)
		watching, err := openSQL(filepath.Join(dir, "state.db"), 10*time.Second, "deferred")
		if err != nil {
			t.Fatal(err)
		}
		exec := func(statement string) {
			t.Helper()
			if _, err := watching.Exec(statement); err != nil {
				t.Fatal(err)
			}
		}
		exec(fmt.Sprintf(`CREATE TRIGGER halfway AFTER INSERT ON text_document
			WHEN (SELECT count(*) FROM text_document WHERE terms_version <> 0) > %d BEGIN SELECT new.key = new.url COLLATE hold; END`, done))
		cmd := child(t.Context(), "open", dir, "", 0)
		if _, err := cmd.StdinPipe(); err != nil { // does not end
			t.Fatal(err)
		}
		if lines := startChild(t, cmd); !lines.Scan() || lines.Text() != "held" {
			t.Errorf("child says %q", lines.Text())
		}
		cmd.Process.Kill()
		cmd.Wait()
		exec(`DROP TRIGGER halfway`)
		var left int
		if err := watching.QueryRow(`SELECT count(*) FROM text_document WHERE terms_version = 0`).
			Scan(&left); err != nil || left != want {
			t.Errorf("killed after %d documents, %d are as they were (%v), want %d", done, left, err, want)
		}
		if err := watching.Close(); err != nil {
			t.Fatal(err)
		}
		checkRenewed(t, openTest(t, dir))
	}
}

// TestStaleTermsAreLeftWhereTheyMust has a document whose text is damaged, one whose
// terms a later program made, and one that a program without versions writes later.
func TestStaleTermsAreLeftWhereTheyMust(t *testing.T) {
	dir := staleStore(t)
	db := openTest(t, dir)
	if _, err := db.writes.Exec(
		`UPDATE text_document SET terms_version = terms_version - 1, text_record = x'00' WHERE key = 'file:///kana.txt';
		UPDATE text_document SET terms_version = terms_version + 1, terms = 99 WHERE key = 'file:///stroke.txt';
		UPDATE text_document SET terms_version = 0 WHERE key = 'file:///ligature.txt'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openTest(t, dir)
	for key, want := range map[string]int{"file:///kana.txt": text.TermsVersion - 1,
		"file:///stroke.txt":   text.TermsVersion + 1,
		"file:///ligature.txt": text.TermsVersion} {
		if got := count(t, db, `SELECT terms_version FROM text_document WHERE key = ?`, key); got != want {
			t.Errorf("%s has terms of version %d, want %d", key, got, want)
		}
	}
}

// TestStaleTermsAreReadInPieces holds the memory of indexing anew to a few texts.
func TestStaleTermsAreReadInPieces(t *testing.T) {
	db := openTest(t, t.TempDir())
	for i := range 6 {
		doc := store.TextDocument{ID: fmt.Sprint(i), Text: strings.Repeat(fmt.Sprintf("harbour%d ", i), 200_000)}
		if err := db.Tenant("").IndexDocuments(t.Context(), "large", []store.TextDocument{doc}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.writes.Exec(`UPDATE text_document SET terms_version = 0`); err != nil {
		t.Fatal(err)
	}
	seen, batches := 0, 0
	if err := sqlstore.EachStale(t.Context(), db.sharedDB, func(_ context.Context, stale []fulltext.Stale) error {
		size := 0
		for _, one := range stale {
			size += len(one.Doc.Text)
		}
		if size > 4<<20+2_200_000 {
			t.Errorf("%d bytes were read at once", size)
		}
		seen, batches = seen+len(stale), batches+1
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if seen != 6 || batches < 2 {
		t.Errorf("%d documents in %d batches, want 6 in several", seen, batches)
	}
}
