package sqlite

import (
	"path/filepath"
	"testing"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	childMain()
	goleak.VerifyTestMain(m)
}

func openTest(t *testing.T, dir string) *DB {
	t.Helper()
	db, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// problems opens the store in dir once more and returns what its own check finds.
func problems(t *testing.T, dir string) []string {
	t.Helper()
	db, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	report, err := db.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return report.Problems
}

func backend(db *DB, dir string) storesuite.Backend {
	return storesuite.Backend{
		Tenant: func(name string) storesuite.Store { return db.Tenant(name) },
		Reopen: func(t *testing.T) storesuite.Backend {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return backend(openTest(t, dir), dir)
		},
		Check: func(t *testing.T) []string { return problems(t, dir) },
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storesuite.Backend {
		dir := filepath.Join(t.TempDir(), "made", "by ? open #1")
		return backend(openTest(t, dir), dir)
	})
}

func TestCache(t *testing.T) {
	storetest.RunCache(t, func(t *testing.T) store.Cache {
		cache, err := OpenCache(t.Context(), filepath.Join(t.TempDir(), "cache", "cache.db"), CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := cache.Close(); err != nil {
				t.Error(err)
			}
		})
		return cache
	})
}
