package postgres

import (
	"testing"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
)

// backend is the store of a test: its tenants are nobody else's.
func backend(t *testing.T, db *DB) storetest.Backend {
	return storetest.Backend{
		Tenant: func(name string) storetest.Store { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storetest.Backend { return backend(t, reopen(t, db)) },
		Check:  func(t *testing.T) []string { return problems(t, db.pool.Config().ConnString()) },
	}
}

// problems are what the store's own check says.
func problems(t *testing.T, url string) []string {
	t.Helper()
	report, err := openURL(t, Options{URL: url}).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Problems
}

// reopen closes the store and opens it again.
func reopen(t *testing.T, db *DB) *DB {
	t.Helper()
	url := db.pool.Config().ConnString()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return openURL(t, Options{URL: url})
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Backend { return backend(t, openTest(t)) })
}

func runBackend(t *testing.T, db *DB) storetest.RunBackend {
	return storetest.RunBackend{
		Tenant: func(name string) storetest.RunStore { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storetest.RunBackend { return runBackend(t, reopen(t, db)) },
		// The clock is the server's and runs: the leases of the test's tenants end earlier.
		Pass: func(d time.Duration) {
			exec(t, db, `UPDATE run SET expires_at = expires_at - $1 WHERE starts_with(tenant, $2)`, d.Microseconds(), t.Name()+" ")
		},
	}
}

func exec(t *testing.T, db *DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.pool.Exec(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestRuns(t *testing.T) {
	storetest.RunRuns(t, func(t *testing.T) storetest.RunBackend { return runBackend(t, openTest(t)) })
}

func graphBackend(t *testing.T, db *DB) storetest.GraphBackend {
	return storetest.GraphBackend{
		Tenant: func(name string) store.Graph { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storetest.GraphBackend { return graphBackend(t, reopen(t, db)) },
	}
}

func TestGraph(t *testing.T) {
	storetest.RunGraph(t, func(t *testing.T) storetest.GraphBackend { return graphBackend(t, openTest(t)) })
}

func TestCache(t *testing.T) {
	storetest.RunCache(t, func(t *testing.T) store.Cache { return openTest(t).Cache(0).Tenant(tenantOf(t, "a")) })
}
