package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
)

// withoutNear fills a collection before its index is made, and returns how long that takes then:
// as if the collection had been copied from elsewhere.
func withoutNear(t *testing.T, db *DB, collection string, fill func()) time.Duration {
	t.Helper()
	c, err := sqlstore.FindCollection(t.Context(), conn{db.pool}, "test", "t", collection, ``)
	if err != nil {
		t.Fatal(err)
	}
	held, err := db.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if _, err := held.Exec(t.Context(), `SELECT pg_advisory_lock($1, $2)`, nearLock, int32(c.ID)); err != nil {
		t.Fatal(err)
	}
	fill()
	if _, err := held.Exec(t.Context(), `SELECT pg_advisory_unlock($1, $2)`, nearLock, int32(c.ID)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for !c.Indexed { // what an addition began may hold the lock for a moment
		if err := db.makeNear(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if c, err = sqlstore.FindCollection(t.Context(), conn{db.pool}, "test", "t", collection, ``); err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(began)
}

// An index is asked as soon as it is there, and reads what it is asked for once. (No autovacuum
// has told the server of the vectors.)
func TestFreshVectorsArePlanned(t *testing.T) {
	db := openURL(t, Options{URL: pgtest.VectorURL(t)})
	exec(t, db, `ALTER TABLE vector_item SET (autovacuum_enabled = false)`)
	s := db.Tenant("t")
	if err := s.MakeCollection(t.Context(), store.VectorCollection{Name: "c", Dimension: 2}); err != nil {
		t.Fatal(err)
	}
	withoutNear(t, db, "c", func() {
		for at := 0; at < nearFrom; at += store.MaxVectorBatch {
			batch := make([]store.Vector, store.MaxVectorBatch)
			for i := range batch {
				batch[i] = store.Vector{ID: fmt.Sprint(at + i), Values: []float32{1, float32(at + i)}}
			}
			if err := s.UpsertVectors(t.Context(), "c", batch); err != nil {
				t.Fatal(err)
			}
		}
	})
	c, err := sqlstore.FindCollection(t.Context(), conn{db.pool}, "test", "t", "c", ``)
	if err != nil {
		t.Fatal(err)
	}
	search := vectorSearch{sqlstore.VectorSearch{Collection: c, Need: 10}}
	where, args := meeting("t", c.ID, nil, store.MetadataPrefix{})
	query := search.indexQuery(where, args.Place("[1,2]"))
	lines, err := sqlstore.ReadColumn[string](t.Context(), conn{db.pool}, `EXPLAIN `+query, args...)
	plan := strings.Join(lines, "\n")
	if err != nil || !strings.Contains(plan, "Index Scan using vector_near_") || !strings.Contains(plan, "InitPlan") {
		t.Errorf("the plan is\n%s\n%v", plan, err)
	}
}

// An index looks further for more results, and in more vectors.
func TestLooks(t *testing.T) {
	for _, test := range []struct{ vectors, need, want int }{
		{10_000, 10, 100}, {250_000, 10, 100}, {1_000_000, 10, 400}, {10_000, 100, 500}, {1_000_000, 200, 1000},
		{10_000_000, 10, 1000},
	} {
		s := vectorSearch{sqlstore.VectorSearch{Need: test.need}}
		if s.Collection.Vectors = test.vectors; s.looks() != test.want {
			t.Errorf("%+v: %d", test, s.looks())
		}
	}
}
