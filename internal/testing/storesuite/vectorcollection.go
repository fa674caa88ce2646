package storesuite

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

func collectionIsMadeOnce(t *testing.T, b VectorBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	c := store.VectorCollection{Name: "pages", Dimension: 3, Model: "m1"}
	for range 2 {
		must(t, s.MakeCollection(ctx, c))
	}
	must(t, s.MakeCollection(ctx, store.VectorCollection{Name: "notes", Dimension: 2, Metric: store.MetricL2}))
	must(t, s.UpsertVectors(ctx, "pages", []store.Vector{{ID: "x", Values: []float32{1, 0, 0}}}))
	for _, change := range []func(*store.VectorCollection){
		func(c *store.VectorCollection) { c.Dimension = 4 },
		func(c *store.VectorCollection) { c.Metric = store.MetricDot },
		func(c *store.VectorCollection) { c.Model = "m2" },
		func(c *store.VectorCollection) { c.Name = "" },
		func(c *store.VectorCollection) { c.Name, c.Dimension = "x", 0 },
		func(c *store.VectorCollection) { c.Name, c.Dimension = "x", store.MaxDimension+1 },
		func(c *store.VectorCollection) { c.Name, c.Metric = "x", "hamming" },
	} {
		other := c
		change(&other)
		wantCode(t, s.MakeCollection(ctx, other), citewell.CodeInvalidArgument)
	}
	got, err := s.Collections(ctx)
	must(t, err)
	want := []store.VectorCollection{{Name: "notes", Dimension: 2, Metric: store.MetricL2},
		{Name: "pages", Dimension: 3, Metric: store.MetricCosine, Model: "m1", Vectors: 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("collections (-want +got):\n%s", diff)
	}
}

func collectionNotFound(t *testing.T, b VectorBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	_, err := s.GetVectors(ctx, "c", []string{"x"})
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.RemoveVectors(ctx, "c", []string{"x"})
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.RemoveVectorsWhere(ctx, "c", []store.Filter{{Key: "k", In: []string{"v"}}})
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.CountVectors(ctx, "c", nil)
	wantCode(t, err, citewell.CodeNotFound)
	_, err = s.NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: []float32{1}})
	wantCode(t, err, citewell.CodeNotFound)
	wantCode(t, s.UpsertVectors(ctx, "c", []store.Vector{{ID: "x", Values: []float32{1}}}), citewell.CodeNotFound)
	if dropped, err := s.DropCollection(ctx, "c"); dropped || err != nil {
		t.Errorf("dropping nothing gives %v, %v", dropped, err)
	}
}

// What a collection is may change as long as nothing is in it.
func vectorEmptied(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	upsert(t, s, store.Vector{ID: "x", Values: []float32{1, 0}, Metadata: map[string]string{"k": "v"}})
	other := store.VectorCollection{Name: "c", Dimension: 3, Metric: store.MetricL2, Model: "m2"}
	wantCode(t, s.MakeCollection(ctx, other), citewell.CodeInvalidArgument)
	_, err := s.RemoveVectors(ctx, "c", []string{"x"})
	must(t, err)
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}})
	must(t, s.MakeCollection(ctx, other))
	must(t, s.MakeCollection(ctx, other))
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0, 0}})
	upsert(t, s, store.Vector{ID: "y", Values: []float32{0, 0, 1}, Metadata: map[string]string{"k": "v"}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0, 0},
		Filters: []store.Filter{{Key: "k", In: []string{"v"}}}}, "y")
	wantCode(t, s.MakeCollection(ctx, store.VectorCollection{Name: "c", Dimension: 2}), citewell.CodeInvalidArgument)
}

func vectorDrop(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	upsert(t, s, store.Vector{ID: "x", Values: []float32{1, 0}, Metadata: map[string]string{"k": "v"}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}}, "x")
	if dropped, err := s.DropCollection(ctx, "c"); !dropped || err != nil {
		t.Fatalf("dropped is %v, %v", dropped, err)
	}
	_, err := s.CountVectors(ctx, "c", nil)
	wantCode(t, err, citewell.CodeNotFound)
	must(t, s.MakeCollection(ctx, store.VectorCollection{Name: "c", Dimension: 3}))
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0, 0}})
	upsert(t, s, store.Vector{ID: "y", Values: []float32{1, 0, 0}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0, 0}}, "y")
}
