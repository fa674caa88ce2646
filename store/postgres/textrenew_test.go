package postgres

import (
	"sync"
	"testing"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/fulltext"
	"github.com/jackc/pgx/v5"
)

// staleURL is a database with what storesuite.IndexStale keeps.
func staleURL(t *testing.T) string {
	t.Helper()
	url := pgtest.URL(t)
	db := openURL(t, Options{URL: url})
	for key, said := range storesuite.IndexStale(t, textOf(db)) {
		exec(t, db, `UPDATE text_document SET text_record = $1, terms_version = 0 WHERE key = $2`,
			fulltext.Seal(nil, []byte(said)), key)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return url
}

func textOf(db *DB) func(name string) store.Text {
	return func(name string) store.Text { return db.Tenant(name) }
}

func checkRenewed(t *testing.T, db *DB) {
	t.Helper()
	storesuite.CheckRenewed(t, textOf(db))
	if n := count(t, db, `SELECT count(*) FROM text_document WHERE terms_version <> $1`, text.TermsVersion); n != 0 {
		t.Errorf("%d documents have terms of another version", n)
	}
	if n := count(t, db, `SELECT count(*) FROM text_document`); n != storesuite.StaleDocuments {
		t.Errorf("%d documents are left", n)
	}
}

func count(t *testing.T, db *DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Several openers at once index anew what has terms of an earlier version.
func TestStaleTerms(t *testing.T) {
	url := staleURL(t)
	dbs := make([]*DB, 3)
	var group sync.WaitGroup
	for i := range dbs {
		group.Go(func() {
			var err error
			if dbs[i], err = Open(t.Context(), Options{URL: url}); err != nil {
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

// An opening that ends when a part is done leaves the rest to the next.
func TestStaleTermsEnded(t *testing.T) {
	url := staleURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `CREATE FUNCTION halfway() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF (SELECT count(*) FROM text_document WHERE terms_version <> 0) > 250 THEN RAISE 'halfway'; END IF; RETURN NEW; END $$;
		CREATE TRIGGER halfway AFTER INSERT ON text_document FOR EACH ROW EXECUTE FUNCTION halfway()`); err != nil {
		t.Fatal(err)
	}
	if db, err := Open(t.Context(), Options{URL: url}); err == nil {
		db.Close()
		t.Fatal("the store was opened though a document cannot be indexed anew")
	}
	var done int
	if _, err := conn.Exec(t.Context(), `DROP TRIGGER halfway ON text_document`); err != nil {
		t.Fatal(err)
	}
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM text_document WHERE terms_version <> 0`).
		Scan(&done); err != nil || done == 0 || done > 250 {
		t.Errorf("%d documents were done when it ended (%v)", done, err)
	}
	checkRenewed(t, openURL(t, Options{URL: url}))
}

// A document whose text is damaged stays as it is, and one whose terms a later program made.
func TestStaleTermsAreLeftWhereTheyMust(t *testing.T) {
	url := staleURL(t)
	db := openURL(t, Options{URL: url})
	exec(t, db, `UPDATE text_document SET terms_version = terms_version - 1, text_record = '\x00' WHERE key = 'file:///kana.txt'`)
	exec(t, db, `UPDATE text_document SET terms_version = terms_version + 1, terms = 99 WHERE key = 'file:///stroke.txt'`)
	exec(t, db, `UPDATE text_document SET terms_version = 0 WHERE key = 'file:///ligature.txt'`)
	db = reopen(t, db)
	for key, want := range map[string]int{"file:///kana.txt": text.TermsVersion - 1,
		"file:///stroke.txt":   text.TermsVersion + 1,
		"file:///ligature.txt": text.TermsVersion} {
		if got := count(t, db, `SELECT terms_version FROM text_document WHERE key = $1`, key); got != want {
			t.Errorf("%s has terms of version %d, want %d", key, got, want)
		}
	}
}
