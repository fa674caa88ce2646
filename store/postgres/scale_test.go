package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// scaleAsked is how many queries are timed at each size.
const scaleAsked = 120

// scaleSizes are those of CITEWELL_SCALE, rising; without it the test is not wanted.
func scaleSizes(t *testing.T) (sizes []int) {
	t.Helper()
	given := os.Getenv("CITEWELL_SCALE")
	if given == "" {
		t.Skip("make bench-scale measures it")
	}
	for _, one := range strings.Fields(given) {
		var n int
		if _, err := fmt.Sscan(one, &n); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}

// scaleServer has the memory that a server of a million vectors wants, and syncs what it commits.
func scaleServer(t *testing.T) *pgtest.Server {
	t.Helper()
	return pgtest.Start(t, pgtest.Vectors, pgtest.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "2GB", "maintenance_work_mem": "4GB", "max_wal_size": "8GB",
		"max_parallel_maintenance_workers": "2",
	}})
}

// ask1 is one number that a database says.
func ask1(t *testing.T, db *DB, query string, args ...any) (n int64) {
	t.Helper()
	if err := db.pool.QueryRow(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// fileBytes is how large the file of an embedded store is.
func fileBytes(t *testing.T, dir string) (size int64) {
	t.Helper()
	for _, name := range []string{"state.db", "state.db-wal"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			size += info.Size()
		}
	}
	return size
}

// pairTimes are what the two stores took for the same calls, one after the other in turns.
type pairTimes struct{ embedded, server []time.Duration }

func (b *pairTimes) run(t *testing.T, embedded, server func() error) {
	t.Helper()
	for _, one := range []struct {
		do   func() error
		took *[]time.Duration
	}{{embedded, &b.embedded}, {server, &b.server}} {
		began := time.Now()
		if err := one.do(); err != nil {
			t.Fatal(err)
		}
		*one.took = append(*one.took, time.Since(began))
	}
}

// percentile is the time that a share of all stay below.
func percentile(took []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[int(share*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

func sum(took []time.Duration) (all time.Duration) {
	for _, one := range took {
		all += one
	}
	return all
}

func (b *pairTimes) String() string {
	return fmt.Sprintf("p50 %v and %v (%.2f ×), p95 %v and %v (%.2f ×)",
		percentile(b.embedded, 0.5), percentile(b.server, 0.5),
		float64(percentile(b.server, 0.5))/float64(percentile(b.embedded, 0.5)),
		percentile(b.embedded, 0.95), percentile(b.server, 0.95),
		float64(percentile(b.server, 0.95))/float64(percentile(b.embedded, 0.95)))
}
