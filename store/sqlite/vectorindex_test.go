package sqlite

import (
	"fmt"
	"slices"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// fillItems keeps count small vectors, numbered from first, in collection name.
func fillItems(t *testing.T, s *Store, name string, first, count int) {
	t.Helper()
	if err := s.MakeCollection(t.Context(), store.VectorCollection{Name: name, Dimension: itemDimension}); err != nil {
		t.Fatal(err)
	}
	var batch []store.Vector
	for n := first; n < first+count; n++ {
		batch = append(batch, store.Vector{ID: fmt.Sprint(n), Values: itemValues(ack{n: n}),
			Metadata: map[string]string{"thousand": fmt.Sprint(n / 1000)}})
	}
	for part := range slices.Chunk(batch, store.MaxVectorBatch) {
		if err := s.UpsertVectors(t.Context(), name, part); err != nil {
			t.Fatal(err)
		}
	}
}

// wantItem wants the search for item n to find it, or not.
func wantItem(t *testing.T, s *Store, name string, n int, want bool) {
	t.Helper()
	ids := nearestNames(t, s, store.VectorQuery{Collection: name, Values: itemValues(ack{n: n}), K: 1})
	if found := len(ids) == 1 && ids[0] == fmt.Sprint(n); found != want {
		t.Errorf("%s: item %d is found: %v, want %v", name, n, found, want)
	}
}

// onlyIndex returns the one index that db holds.
func onlyIndex(t *testing.T, db *DB) *vectorIndex {
	t.Helper()
	for _, index := range db.vectors.open {
		if len(db.vectors.open) == 1 {
			return index
		}
	}
	t.Fatalf("%d indexes are open, want 1", len(db.vectors.open))
	return nil
}

// TestVectorIndexFollows has one open store change and another follow: by what is
// new, with the room of dead slots given back, and from the start where it missed
// more than is remembered.
func TestVectorIndexFollows(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	writing, reading := openTest(t, dir), openTest(t, dir)
	w, r := writing.Tenant("t"), reading.Tenant("t")
	fillItems(t, w, "c", 0, 9000)
	if len(reading.vectors.open) > 0 {
		t.Error("an index is loaded before anybody searched")
	}
	wantItem(t, r, "c", 8999, true)
	index := onlyIndex(t, reading)
	const mark = 42 // in a slot that only loading anew would overwrite
	index.lengths[0] = mark
	steps := func(wantMark bool, slots, dead int) {
		t.Helper()
		if marked := index.lengths[0] == mark; marked != wantMark || len(index.ids) != slots ||
			len(index.dead) != dead {
			t.Errorf("old slots kept %v, %d slots, %d dead; want %v, %d, %d", marked, len(index.ids), len(index.dead),
				wantMark, slots, dead)
		}
	}

	fillItems(t, w, "c", 9000, 10)
	wantItem(t, r, "c", 9005, true)
	steps(true, 9010, 0)

	remove := func(from, count int) {
		t.Helper()
		var ids []string
		for n := from; n < from+count; n++ {
			ids = append(ids, fmt.Sprint(n))
		}
		if n, err := w.RemoveVectors(t.Context(), "c", ids); n != count || err != nil {
			t.Fatalf("%d removed, %v", n, err)
		}
	}
	remove(100, 600)
	wantItem(t, r, "c", 150, false)
	wantItem(t, r, "c", 50, true)
	steps(true, 9010, 600)
	remove(700, 600)
	wantItem(t, r, "c", 800, false)
	steps(true, 7810, 0)

	for thousand := 2; thousand < 8; thousand++ {
		if _, err := w.RemoveVectorsWhere(t.Context(), "c", []store.Filter{
			{Key: "thousand", In: []string{fmt.Sprint(thousand)}}}); err != nil {
			t.Fatal(err)
		}
	}
	wantItem(t, r, "c", 7000, false)
	wantItem(t, r, "c", 8000, true)
	steps(true, 1810, 0)
	fillItems(t, w, "c", 10_000, 6000)
	for at := 10_000; at < 16_000; at += 1000 {
		remove(at, 1000)
	}
	wantItem(t, r, "c", 12_000, false)
	wantItem(t, r, "c", 8000, true)
	steps(false, 1810, 0) // of 13,200 that went, fewer are remembered than it missed
	checkVectorTables(t, writing)
}

// TestVectorMemory keeps what is loaded below the limit, and answers all the same.
func TestVectorMemory(t *testing.T) {
	db := openTest(t, t.TempDir())
	s := db.Tenant("t")
	fillItems(t, s, "small", 0, 300)
	fillItems(t, s, "other", 0, 300)
	fillItems(t, s, "large", 0, 900)
	db.vectors.limit = 400 * vectorBytes(itemDimension)
	for range 2 {
		for _, name := range []string{"small", "other"} {
			wantItem(t, s, name, 7, true)
			if index := onlyIndex(t, db); len(index.ids) != 300 {
				t.Errorf("%d slots are held, want those of %s alone", len(index.ids), name)
			}
		}
	}
	wantItem(t, s, "large", 899, true)
	wantItem(t, s, "large", 900, false)
	if index := onlyIndex(t, db); len(index.ids) != 300 {
		t.Errorf("%d slots are held, want none of what is too large", len(index.ids))
	}
}

// TestVectorDamage changes bytes behind the store's back.
func TestVectorDamage(t *testing.T) {
	for name, change := range map[string]string{
		"a bit of an embedding":  `UPDATE vector SET embedding = CAST(substr(embedding, 1, 20) || X'01' || substr(embedding, 22) AS BLOB) WHERE name = '7'`,
		"half an embedding":      `UPDATE vector SET embedding = substr(embedding, 1, 30) WHERE name = '7'`,
		"no embedding":           `UPDATE vector SET embedding = X'' WHERE name = '7'`,
		"a record":               `UPDATE vector SET record = X'0102' WHERE name = '7'`,
		"a code's length":        `UPDATE vector_code SET code = X'0102' WHERE vector = 8`,
		"a count":                `UPDATE vector_collection SET vectors = -5`,
		"a code that is missing": `DELETE FROM vector_code WHERE vector = 8`,
	} {
		t.Run(name, func(t *testing.T) {
			db := openTest(t, t.TempDir())
			s := db.Tenant("t")
			fillItems(t, s, "c", 0, 20)
			if _, err := db.writes.Exec(change); err != nil {
				t.Fatal(err)
			}
			for range 2 { // what failed is not half loaded
				_, err := s.NearestVectors(t.Context(), store.VectorQuery{
					Collection: "c", Values: itemValues(ack{n: 7}), K: 20})
				wantFailed(t, err, citewell.CodeStoreFailed, "of the store")
			}
		})
	}
}

// FuzzVectorRows gives what a damaged file may hold in place of a row's bytes: an
// error or floats of the right number, never a panic.
func FuzzVectorRows(f *testing.F) {
	f.Add(vectorcodec.Marshal([]float32{1, 2}), 2)
	f.Add([]byte{}, 0)
	f.Add([]byte{1, 2, 3}, 1)
	f.Fuzz(func(t *testing.T, data []byte, dimension int) {
		if dimension < 0 || dimension > store.MaxDimension {
			return
		}
		floats, err := vectorcodec.Check("fuzz", data, dimension)
		if err == nil && len(vectorcodec.Values(floats)) != dimension {
			t.Errorf("%d floats, want %d", len(vectorcodec.Values(floats)), dimension)
		}
		if _, err := codec.ReadGraph(data); err == nil && len(data) == 0 {
			t.Error("nothing is read as a record")
		}
	})
}
