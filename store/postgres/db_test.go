package postgres

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// testDatabase is one database for all tests of the package that do not need one of their own:
// each has a tenant that nobody else has.
var testDatabase = sync.OnceValues(func() (url func(testing.TB) string, lock *sync.Mutex) {
	var made string
	lock = new(sync.Mutex)
	return func(t testing.TB) string {
		lock.Lock()
		defer lock.Unlock()
		if made == "" {
			url := pgtest.URL(t)
			openURL(t, Options{URL: url}).Close()
			expand(t, url)
			made = url
		}
		return made
	}, lock
})

// sharedURL is the database that the suites share. A later version has been there: what the
// suites show is so while two versions work on one database.
func sharedURL(t testing.TB) string {
	t.Helper()
	url, _ := testDatabase()
	return url(t)
}

// openURL opens a store that is closed when t ends.
func openURL(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openTest opens the database that tests share.
func openTest(t testing.TB) *DB {
	t.Helper()
	return openURL(t, Options{URL: sharedURL(t)})
}

// tenantOf names a tenant of this test alone.
func tenantOf(t testing.TB, name string) string { return t.Name() + " " + name }

// Programs that open a new database at once make one schema.
func TestOpenAtOnce(t *testing.T) {
	url := pgtest.URL(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			db, err := Open(t.Context(), Options{URL: url})
			if err != nil {
				t.Error(err)
				return
			}
			db.Close()
		})
	}
	group.Wait()
	db := openURL(t, Options{URL: url})
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	versions, err := sqlstore.ReadColumn[int](t.Context(), conn{db.pool}, `SELECT version FROM citewell_schema`)
	if err != nil || len(versions) != 1 || versions[0] != unreleased+len(scripts) {
		t.Errorf("schema %v (%v), want %d", versions, err, unreleased+len(scripts))
	}
}

func TestOpenRefuses(t *testing.T) {
	newer := pgtest.URL(t)
	db := openURL(t, Options{URL: newer})
	if _, err := db.pool.Exec(t.Context(), `UPDATE citewell_schema SET version = 999, oldest = 998`); err != nil {
		t.Fatal(err)
	}
	noRights := pgtest.URL(t)
	owner := openURL(t, Options{URL: pgtest.URL(t)})
	role := fmt.Sprintf("reader_%s", citewell.NewID()[:8])
	if _, err := owner.pool.Exec(t.Context(), `CREATE ROLE "`+role+`" LOGIN`); err != nil {
		t.Fatal(err)
	}
	noRights = strings.Replace(noRights, "citewell@", role+"@", 1)
	for name, test := range map[string]struct {
		o    Options
		code citewell.Code
		says string
	}{
		"a newer schema": {Options{URL: newer}, citewell.CodeStoreFailed, "schema 999"},
		"no rights":      {Options{URL: noRights}, citewell.CodePermissionDenied, "rights to create"},
		"no database": {Options{URL: strings.Replace(newer, "/t", "/none", 1)}, citewell.CodeStoreFailed,
			"createdb"},
		"no server": {Options{URL: "postgres://a:hidden@127.0.0.1:1/x"}, citewell.CodeStoreFailed,
			"look whether PostgreSQL runs"},
		"no address":        {Options{URL: "postgres://a:hid den@:x/"}, citewell.CodeStoreFailed, "store.url is"},
		"no listen address": {Options{URL: newer, ListenURL: "://"}, citewell.CodeStoreFailed, "store.listen_url"},
	} {
		_, err := Open(t.Context(), test.o)
		e := citewell.View(err)
		if e.Code != test.code || !strings.Contains(e.Message+" "+e.Hint, test.says) ||
			strings.Contains(fmt.Sprint(err), "hid") {
			t.Errorf("%s: got %+v (%v), want %s with %q", name, e, err, test.code, test.says)
		}
	}
}

func TestWarnings(t *testing.T) {
	db := openTest(t)
	if got := strings.Join(db.Warnings(), "; "); !strings.Contains(got, "fsync is off") ||
		!strings.Contains(got, "synchronous_commit is off") {
		t.Errorf("of a server that may forget it says %q", got)
	}
}
