package sqlite

import (
	"testing"

	"github.com/citewell/citewell/internal/testing/storesuite"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/storetest"
)

func graphBackend(db *DB, dir string) storesuite.GraphBackend {
	return storesuite.GraphBackend{
		Tenant: func(name string) store.Graph { return db.Tenant(name) },
		Reopen: func(t *testing.T) storesuite.GraphBackend {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			return graphBackend(openTest(t, dir), dir)
		},
	}
}

func TestGraph(t *testing.T) {
	storetest.RunGraph(t, func(t *testing.T) storesuite.GraphBackend {
		dir := t.TempDir()
		return graphBackend(openTest(t, dir), dir)
	})
}
