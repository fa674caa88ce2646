package postgres

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
	"github.com/jackc/pgx/v5"
)

// backend is the store of a test: its tenants are nobody else's.
func backend(t *testing.T, db *DB) storesuite.Backend {
	return storesuite.Backend{
		Tenant: func(name string) storesuite.Store { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storesuite.Backend { return backend(t, reopen(t, db)) },
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
	storetest.Run(t, func(t *testing.T) storesuite.Backend { return backend(t, openTest(t)) })
}

func runBackend(t *testing.T, db *DB) storesuite.RunBackend {
	return storesuite.RunBackend{
		Tenant: func(name string) storesuite.RunStore { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storesuite.RunBackend { return runBackend(t, reopen(t, db)) },
		// The clock is the server's and runs: the leases of the test's tenants end earlier.
		Pass: func(d time.Duration) {
			exec(t, db, `UPDATE run SET expires_at = expires_at - $1 WHERE starts_with(tenant, $2)`, d.Microseconds(),
				t.Name()+" ")
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
	storesuite.RunRuns(t, func(t *testing.T) storesuite.RunBackend { return runBackend(t, openTest(t)) })
}

func graphBackend(t *testing.T, db *DB) storesuite.GraphBackend {
	return storesuite.GraphBackend{
		Tenant: func(name string) store.Graph { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storesuite.GraphBackend { return graphBackend(t, reopen(t, db)) },
	}
}

func TestGraph(t *testing.T) {
	storetest.RunGraph(t, func(t *testing.T) storesuite.GraphBackend { return graphBackend(t, openTest(t)) })
}

func TestCache(t *testing.T) {
	storetest.RunCache(t, func(t *testing.T) store.Cache { return openTest(t).Cache(0).Tenant(tenantOf(t, "a")) })
}

func vectorBackend(t *testing.T, db *DB) storesuite.VectorBackend {
	return storesuite.VectorBackend{
		Tenant: func(name string) store.Vectors { return db.Tenant(tenantOf(t, name)) },
		Reopen: func(t *testing.T) storesuite.VectorBackend { return vectorBackend(t, reopen(t, db)) },
	}
}

func TestVectors(t *testing.T) {
	t.Run("with_extension", func(t *testing.T) {
		url := pgtest.VectorURL(t)
		openURL(t, Options{URL: url}).Close()
		expand(t, url)
		storetest.RunVectors(t, func(t *testing.T) storesuite.VectorBackend {
			db := openURL(t, Options{URL: url})
			if !db.near {
				t.Fatal("the extension is not used")
			}
			return vectorBackend(t, db)
		})
	})
	t.Run("without", func(t *testing.T) {
		storetest.RunVectors(t, func(t *testing.T) storesuite.VectorBackend { return vectorBackend(t, openTest(t)) })
	})
}

// An extension that is made later is used from the next opening on, for vectors that were kept
// before as well.
func TestExtensionComesLater(t *testing.T) {
	url := pgtest.VectorURL(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `DROP EXTENSION vector`); err != nil {
		t.Fatal(err)
	}
	db := openURL(t, Options{URL: url})
	if said := strings.Join(db.Warnings(), " "); db.near || !strings.Contains(said, "CREATE EXTENSION vector") {
		t.Errorf("near is %v and the warnings are %q", db.near, said)
	}
	s := db.Tenant("a")
	if err := s.MakeCollection(t.Context(), store.VectorCollection{Name: "c", Dimension: 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.UpsertVectors(t.Context(), "c", []store.Vector{
		{ID: "x", Values: []float32{1, 0}}, {ID: "y", Values: []float32{0, 1}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `CREATE EXTENSION vector`); err != nil {
		t.Fatal(err)
	}
	db = reopen(t, db)
	hits, err := db.Tenant("a").NearestVectors(t.Context(),
		store.VectorQuery{Collection: "c", Values: []float32{0.1, 1}, K: 1})
	if err != nil || !db.near || len(hits) != 1 || hits[0].ID != "y" {
		t.Errorf("near is %v, found %+v (%v)", db.near, hits, err)
	}
}
