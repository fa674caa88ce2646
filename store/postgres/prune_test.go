package postgres

import (
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/storesuite"
)

func TestDisk(t *testing.T) {
	storesuite.RunDisk(t, func(t *testing.T) storesuite.DiskBackend {
		url := pgtest.URL(t) // it is about all tenants
		db := openURL(t, Options{URL: url})
		return storesuite.DiskBackend{
			Tenant:    func(name string) storesuite.RunStore { return db.Tenant(name) },
			Disk:      db,
			Elsewhere: true,
			Age: func(t *testing.T, by time.Duration) {
				for _, older := range []string{`snapshot SET kept_at = kept_at - $1`,
					`source SET created_at = created_at - $1`, `brief SET created_at = created_at - $1`,
					`run SET ended_at = ended_at - $1 WHERE ended_at > 0`} {
					exec(t, db, `UPDATE `+older, by.Microseconds())
				}
			},
			Check: func(t *testing.T) []string { return problems(t, url) },
		}
	})
}
