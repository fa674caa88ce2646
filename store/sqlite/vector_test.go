package sqlite

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
)

func vectorBackend(db *DB, dir string) storesuite.VectorBackend {
	return storesuite.VectorBackend{
		Tenant: func(name string) store.Vectors { return db.Tenant(name) },
		Reopen: func(t *testing.T) storesuite.VectorBackend {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return vectorBackend(openTest(t, dir), dir)
		},
	}
}

func TestVectors(t *testing.T) {
	storetest.RunVectors(t, func(t *testing.T) storesuite.VectorBackend {
		dir := t.TempDir()
		return vectorBackend(openTest(t, dir), dir)
	})
}
