package postgres

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/sqlite"
)

// Vectors as package sqlite's measurement draws them.
const (
	scaleCentres = 500
	scaleNoise   = 0.7
)

// scaleDimension is CITEWELL_SCALE_DIMENSION, that of all-MiniLM-L6-v2 unless set; a multiple of four.
var scaleDimension = func() (n int) {
	if _, err := fmt.Sscan(os.Getenv("CITEWELL_SCALE_DIMENSION"), &n); err != nil {
		return 384
	}
	return n
}()

// scaleVectors draws unit vectors around seeded centres, one after the other.
func scaleVectors(seed uint64, n int) []float32 {
	centres, random := rand.New(rand.NewPCG(384, 500)), rand.New(rand.NewPCG(seed, 1))
	middle := make([]float32, scaleCentres*scaleDimension)
	for i := range middle {
		middle[i] = float32(centres.NormFloat64())
	}
	all := make([]float32, n*scaleDimension)
	for i := range n {
		v, at, square := vectorAt(all, i), random.IntN(scaleCentres)*scaleDimension, 0.0
		for j := range v {
			v[j] = middle[at+j] + float32(scaleNoise*random.NormFloat64())
			square += float64(v[j]) * float64(v[j])
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(square))
		}
	}
	return all
}

func vectorAt(all []float32, i int) []float32 {
	return all[i*scaleDimension : (i+1)*scaleDimension]
}

// nearestOf are the names of the ten vectors nearest to a query, every one compared.
func nearestOf(all, query []float32) []string {
	type scored struct {
		i     int
		score float32
	}
	var top []scored
	for i := range len(all) / scaleDimension {
		v := vectorAt(all, i)
		var a, b, c, d float32
		for j := 0; j < scaleDimension; j += 4 {
			a, b, c, d = a+v[j]*query[j], b+v[j+1]*query[j+1], c+v[j+2]*query[j+2], d+v[j+3]*query[j+3]
		}
		score := a + b + c + d
		if len(top) == 10 && score <= top[9].score {
			continue
		}
		top = append(top, scored{i, score})
		slices.SortStableFunc(top, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
		top = top[:min(10, len(top))]
	}
	names := make([]string, len(top))
	for i, one := range top {
		names[i] = vectorID(one.i)
	}
	return names
}

func vectorID(i int) string { return fmt.Sprintf("%07d", i) }

// TestScaleVectors fills a collection of each size in each store and asks both for the nearest
// vectors to the same queries, beside every vector compared.
func TestScaleVectors(t *testing.T) {
	sizes := scaleSizes(t)
	all, queries := scaleVectors(1, slices.Max(sizes)+1000), scaleVectors(2, scaleAsked)
	folder := t.TempDir()
	embedded, err := sqlite.Open(t.Context(), folder, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer embedded.Close()
	server := scaleServer(t)
	database := server.Database(t)
	exec(t, openURL(t, Options{URL: database}), `CREATE EXTENSION vector`)
	db := openURL(t, Options{URL: database})
	here, there := store.Vectors(embedded.Tenant("t")), store.Vectors(db.Tenant("t"))
	fileBefore, tableBefore := int64(0), int64(0)
	for _, n := range sizes {
		name := fmt.Sprint("of ", n)
		for _, s := range []store.Vectors{here, there} {
			if err := s.MakeCollection(t.Context(), store.VectorCollection{
				Name: name, Dimension: scaleDimension}); err != nil {
				t.Fatal(err)
			}
		}
		upsert := func(s store.Vectors, from, to int) func() error {
			return func() error {
				batch := make([]store.Vector, to-from)
				for i := range batch {
					batch[i] = store.Vector{ID: vectorID(from + i), Values: vectorAt(all, from+i),
						Metadata: map[string]string{"tenth": fmt.Sprint(i % 10)}}
				}
				return s.UpsertVectors(t.Context(), name, batch)
			}
		}
		var added, further pairTimes
		built := withoutNear(t, db, name, func() {
			for at := 0; at < n; at += store.MaxVectorBatch {
				to := min(n, at+store.MaxVectorBatch)
				added.run(t, upsert(here, at, to), upsert(there, at, to))
			}
		})
		file, table := fileBytes(t, folder),
			ask1(t, db, `SELECT pg_total_relation_size('vector_item') + pg_total_relation_size('vector_tag')`)
		t.Logf("%d vectors: added in %v and %v (%.2f ×), and their index built in %v; bytes a vector %d and %d, of "+
			"which index %d", n,
			sum(added.embedded).Round(time.Millisecond), sum(added.server).Round(time.Millisecond),
			float64(sum(added.server))/float64(sum(added.embedded)),
			built.Round(time.Millisecond), (file-fileBefore)/int64(n), (table-tableBefore)/int64(n),
			ask1(t, db, `SELECT sum(pg_relation_size(indexrelid))::bigint FROM pg_index WHERE indexrelid = to_regclass('vector_near_' || (SELECT id FROM vector_collection WHERE name = $1))`, name)/int64(n))
		fileBefore, tableBefore = file, table

		var first, took, exact pairTimes
		recall := [2]int{}
		for i := range scaleAsked {
			query, found := vectorAt(queries, i), [2][]string{}
			search := func(s store.Vectors, exact bool, into *[]string) func() error {
				return func() error {
					hits, err := s.NearestVectors(t.Context(), store.VectorQuery{
						Collection: name, Values: query, K: 10, Exact: exact})
					*into = nil
					for _, hit := range hits {
						*into = append(*into, hit.ID)
					}
					return err
				}
			}
			if i < scaleAsked/10 {
				exact.run(t, search(here, true, &found[0]), search(there, true, &found[1]))
			}
			// it brings into memory what is read
			first.run(t, search(here, false, &found[0]), search(there, false, &found[1]))
			took.run(t, search(here, false, &found[0]), search(there, false, &found[1]))
			for _, want := range nearestOf(all[:n*scaleDimension], query) {
				for k := range recall {
					if slices.Contains(found[k], want) {
						recall[k]++
					}
				}
			}
		}
		of := float64(10 * scaleAsked)
		t.Logf("%d vectors, each compared: %v", n, &exact)
		t.Logf("%d vectors: %v; asked for the first time %v; the very first %v and %v; recall@10 %.4f and %.4f", n,
			&took, &first,
			first.embedded[0].Round(time.Millisecond), first.server[0].Round(time.Millisecond), float64(recall[0])/of,
			float64(recall[1])/of)
		// an HNSW index of a million does not reach all that are near
		if float64(recall[0])/of < 0.98 || float64(recall[1])/of < 0.9 {
			t.Errorf("%d vectors: recall@10 is %v of %v, want 0.98 and 0.9", n, recall, of)
		}
		further.run(t, upsert(here, n, n+1000), upsert(there, n, n+1000))
		t.Logf("%d vectors: a thousand more in %v and %v", n, sum(further.embedded).Round(time.Millisecond),
			sum(further.server).Round(time.Millisecond))
	}
}
