package sqlite

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	measure "github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

const (
	manyVectors   = 100_000
	manyDimension = 384
	manyCentres   = 500
	manyNoise     = 0.7
)

// clustered makes the vectors of the measurement: around seeded Gaussian centres,
// with noise, of length 1. Each seed draws other vectors around the same centres.
type clustered struct {
	centres [][]float32
	random  *rand.Rand
}

func newClustered(seed uint64) *clustered {
	centres := rand.New(rand.NewPCG(384, 500))
	c := &clustered{random: rand.New(rand.NewPCG(seed, 1))}
	for range manyCentres {
		centre := make([]float32, manyDimension)
		for i := range centre {
			centre[i] = float32(centres.NormFloat64())
		}
		c.centres = append(c.centres, centre)
	}
	return c
}

func (c *clustered) next() []float32 {
	v, square := make([]float32, manyDimension), 0.0
	for i, x := range c.centres[c.random.IntN(manyCentres)] {
		v[i] = x + float32(manyNoise*c.random.NormFloat64())
		square += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(square))
	}
	return v
}

// fillVectors keeps n vectors in a collection "many" and returns them.
func fillVectors(tb testing.TB, s *Store, n int) [][]float32 {
	tb.Helper()
	ctx := context.Background()
	if err := s.MakeCollection(ctx, store.VectorCollection{Name: "many", Dimension: manyDimension}); err != nil {
		tb.Fatal(err)
	}
	source := newClustered(1)
	all := make([][]float32, n)
	for i := range all {
		all[i] = source.next()
	}
	for at := 0; at < n; at += store.MaxVectorBatch {
		var batch []store.Vector
		for i := at; i < min(n, at+store.MaxVectorBatch); i++ {
			batch = append(batch, store.Vector{ID: vectorName(i), Values: all[i],
				Metadata: map[string]string{"tenth": fmt.Sprint(i % 10)}})
		}
		if err := s.UpsertVectors(ctx, "many", batch); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func vectorName(i int) string { return fmt.Sprintf("%06d", i) }

// plainScan is the truth: every vector compared, in plain Go, with nothing between.
func plainScan(all [][]float32, query []float32, k int) []int {
	type scored struct {
		i     int
		score float32
	}
	top := make([]scored, 0, k+1)
	for i, v := range all {
		var a, b, c, d float32
		for j := 0; j < len(query); j += 4 {
			a += v[j] * query[j]
			b += v[j+1] * query[j+1]
			c += v[j+2] * query[j+2]
			d += v[j+3] * query[j+3]
		}
		score := a + b + c + d
		if len(top) == k && score <= top[k-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, score, func(s scored, score float32) int {
			if s.score >= score {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, scored{i, score})[:min(k, len(top)+1)]
	}
	ids := make([]int, len(top))
	for i, one := range top {
		ids[i] = one.i
	}
	return ids
}

// TestManyVectors measures recall and times at the size the design names.
func TestManyVectors(t *testing.T) {
	if measure.RaceDetector {
		t.Skip("measured without the race detector")
	}
	if testing.Short() {
		t.Skip("keeps 100,000 vectors, which takes half a minute")
	}
	dir := t.TempDir()
	db := openTest(t, dir)
	s := db.Tenant("t")
	began := time.Now()
	all := fillVectors(t, s, manyVectors)
	t.Logf("kept %d vectors in %v", manyVectors, time.Since(began))

	began = time.Now()
	again := openTest(t, dir)
	t.Logf("opening the store again took %v", time.Since(began))
	s = again.Tenant("t")
	queries := newClustered(2)
	search := func(q store.VectorQuery) []string {
		q.Collection = "many"
		hits, err := s.NearestVectors(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(hits))
		for i, hit := range hits {
			ids[i] = hit.ID
		}
		return ids
	}
	began = time.Now()
	search(store.VectorQuery{Values: queries.next()})
	t.Logf("the first query, which loads the codes, took %v and %d bytes", time.Since(began),
		manyVectors*vectorBytes(manyDimension))

	const asked = 100
	found, filtered := 0, 0
	var times, busy []time.Duration
	for i := range asked {
		values := queries.next()
		began, used := time.Now(), measure.ProcessorTime()
		got := search(store.VectorQuery{Values: values})
		times, busy = append(times, time.Since(began)), append(busy, measure.ProcessorTime()-used)
		for _, want := range plainScan(all, values, 10) {
			if slices.Contains(got, vectorName(want)) {
				found++
			}
		}
		if i%20 == 0 { // five times ten
			filters := []store.Filter{{Key: "tenth", In: []string{"3"}}}
			want := search(store.VectorQuery{Values: values, Filters: filters, Exact: true})
			for _, id := range search(store.VectorQuery{Values: values, Filters: filters}) {
				if slices.Contains(want, id) {
					filtered++
				}
			}
		}
	}
	slices.Sort(times)
	slices.Sort(busy)
	recall, filteredRecall := float64(found)/(10*asked), float64(filtered)/(asked/2)
	t.Logf("recall@10 %.4f, with a filter %.4f", recall, filteredRecall)
	t.Logf("p50 %v on the clock and %v of processors, p95 %v and %v", times[asked/2], busy[asked/2],
		times[asked*95/100], busy[asked*95/100])
	if recall < 0.98 || filteredRecall < 0.98 {
		t.Errorf("recall@10 is %.4f and with a filter %.4f, want 0.98", recall, filteredRecall)
	}
}

// BenchmarkVectors compares a search with a plain scan of the same vectors that lie
// in memory as floats, and with reading every row of the store.
func BenchmarkVectors(b *testing.B) {
	s := benchStore(b).Tenant("t")
	all := fillVectors(b, s, manyVectors)
	queries := newClustered(2)
	search := func(b *testing.B, q store.VectorQuery) {
		q.Collection = "many"
		for b.Loop() {
			q.Values = queries.next()
			if _, err := s.NearestVectors(b.Context(), q); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("nearest", func(b *testing.B) { search(b, store.VectorQuery{}) })
	b.Run("nearest_of_a_tenth", func(b *testing.B) {
		search(b, store.VectorQuery{Filters: []store.Filter{{Key: "tenth", In: []string{"3"}}}})
	})
	b.Run("exact", func(b *testing.B) { search(b, store.VectorQuery{Exact: true}) })
	b.Run("plain_scan_of_floats_in_memory", func(b *testing.B) {
		for b.Loop() {
			plainScan(all, queries.next(), 10)
		}
	})
	b.Run("upsert", func(b *testing.B) {
		n := 0
		for b.Loop() {
			batch := make([]store.Vector, 100)
			for i := range batch {
				batch[i] = store.Vector{ID: fmt.Sprint("new", n), Values: all[n%manyVectors]}
				n++
			}
			if err := s.UpsertVectors(b.Context(), "many", batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/vector")
	})
	b.Run("bare_insert", func(b *testing.B) {
		bare := benchStore(b)
		if _, err := bare.writes.Exec(
			`CREATE TABLE bare (id INTEGER PRIMARY KEY, name TEXT UNIQUE, embedding BLOB)`); err != nil {
			b.Fatal(err)
		}
		n := 0
		for b.Loop() {
			tx, err := bare.writes.Begin()
			if err != nil {
				b.Fatal(err)
			}
			insert, err := tx.Prepare(`INSERT INTO bare (name, embedding) VALUES (?, ?)`)
			if err != nil {
				b.Fatal(err)
			}
			for range 100 {
				if _, err := insert.Exec(fmt.Sprint("new", n), vectorcodec.Marshal(all[n%manyVectors])); err != nil {
					b.Fatal(err)
				}
				n++
			}
			insert.Close()
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/vector")
	})
}
