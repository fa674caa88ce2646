package storesuite

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

// A VectorBackend is one open store of embeddings.
type VectorBackend struct {
	// Tenant returns the store bound to a tenant.
	Tenant func(name string) store.Vectors
	// Reopen closes the store and opens it again; the VectorBackend is not used after.
	Reopen func(t *testing.T) VectorBackend
}

// RunVectors tries every promise of Vectors. Open gives an empty store and sees to
// it that the store is closed when t ends.
func RunVectors(t *testing.T, open func(t *testing.T) VectorBackend) {
	tests := []struct {
		name string
		run  func(t *testing.T, b VectorBackend)
	}{
		{"collection_is_made_once", collectionIsMadeOnce},
		{"collection_not_found", collectionNotFound},
		{"vector_round_trip", vectorRoundTrip},
		{"vector_replace", vectorReplace},
		{"vector_all_or_none", vectorAllOrNone},
		{"vector_bad_arguments", vectorBadArguments},
		{"vector_metrics", vectorMetrics},
		{"vector_ties_and_pages", vectorTiesAndPages},
		{"vector_filters_first", vectorFiltersFirst},
		{"vector_filter_kinds", vectorFilterKinds},
		{"vector_remove", vectorRemove},
		{"vector_drop", vectorDrop},
		{"vector_emptied", vectorEmptied},
		{"vector_tenants", vectorTenants},
		{"vector_survives_reopening", vectorSurvivesReopening},
		{"vector_many_goroutines", vectorManyGoroutines},
		{"vector_recall", vectorRecall},
		{"vector_canceled", vectorCanceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// newVectors gives a store with one empty collection "c".
func newVectors(t *testing.T, b VectorBackend, dimension int, metric store.Metric) store.Vectors {
	t.Helper()
	s := b.Tenant("a")
	must(t, s.MakeCollection(t.Context(), store.VectorCollection{Name: "c", Dimension: dimension, Metric: metric,
		Model: "m1"}))
	return s
}

func upsert(t *testing.T, s store.Vectors, vectors ...store.Vector) {
	t.Helper()
	must(t, s.UpsertVectors(t.Context(), "c", vectors))
}

func nearestIDs(t *testing.T, s store.Vectors, q store.VectorQuery) []string {
	t.Helper()
	q.Collection = "c"
	hits, err := s.NearestVectors(t.Context(), q)
	must(t, err)
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.ID
	}
	return ids
}

func wantNearest(t *testing.T, s store.Vectors, q store.VectorQuery, want ...string) {
	t.Helper()
	for _, exact := range []bool{false, true} {
		q.Exact = exact
		if got := nearestIDs(t, s, q); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("exact %v: nearest are %v, want %v", exact, got, want)
		}
	}
}

func vectorRoundTrip(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 3, store.MetricCosine), t.Context()
	v := store.Vector{ID: "näher 1", Values: []float32{1, -0.5, 3e-7}, Text: "潮汐 at noon",
		Metadata: map[string]string{"language": "zh", "empty": "", "quote": `"',`}}
	bare := store.Vector{ID: "bare", Values: []float32{0, 1, 0}}
	for range 2 { // again is no change
		upsert(t, s, v, bare)
	}
	got, err := s.GetVectors(ctx, "c", []string{"bare", "absent", "näher 1"})
	must(t, err)
	if diff := cmp.Diff([]store.Vector{bare, v}, got); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}
	hits, err := s.NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: v.Values, K: 1, WithText: true,
		WithValues: true})
	must(t, err)
	if diff := cmp.Diff([]store.VectorHit{{Vector: v, Score: 1}}, hits); diff != "" {
		t.Errorf("hit with all (-want +got):\n%s", diff)
	}
	hits, err = s.NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: v.Values, K: 1})
	must(t, err)
	if len(hits) != 1 || hits[0].Text != "" || hits[0].Values != nil || hits[0].Metadata["language"] != "zh" {
		t.Errorf("hit has what the query did not ask for, or no metadata: %+v", hits)
	}
	if n, err := s.CountVectors(ctx, "c", nil); n != 2 || err != nil {
		t.Errorf("count is %d (%v), want 2", n, err)
	}
}

func vectorReplace(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	upsert(t, s, store.Vector{ID: "x", Values: []float32{1, 0}, Text: "old",
		Metadata: map[string]string{"v": "1", "old": "yes"}},
		store.Vector{ID: "y", Values: []float32{0.6, 0.8}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0.1}}, "x", "y")
	upsert(t, s, store.Vector{ID: "x", Values: []float32{-1, 0}, Text: "new", Metadata: map[string]string{"v": "2"}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0.1}}, "y", "x")
	for value, want := range map[string]int{"1": 0, "2": 1} {
		if n, err := s.CountVectors(ctx, "c", []store.Filter{{Key: "v", In: []string{value}}}); n != want ||
			err != nil {
			t.Errorf("%d have v=%s (%v), want %d", n, value, err, want)
		}
	}
	if n, err := s.CountVectors(ctx, "c", nil); n != 2 || err != nil {
		t.Errorf("count is %d (%v), want 2", n, err)
	}
	got, err := s.GetVectors(ctx, "c", []string{"x"})
	must(t, err)
	if len(got) != 1 || got[0].Text != "new" || got[0].Values[0] != -1 || len(got[0].Metadata) != 1 {
		t.Errorf("got %+v, want the new text, values and metadata", got)
	}
}

func vectorAllOrNone(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	err := s.UpsertVectors(ctx, "c", []store.Vector{{ID: "x", Values: []float32{1, 0}},
		{ID: "y", Values: []float32{1}}})
	wantCode(t, err, citewell.CodeInvalidArgument)
	if n, err := s.CountVectors(ctx, "c", nil); n != 0 || err != nil {
		t.Errorf("count is %d (%v), want 0: one of the batch was wrong", n, err)
	}
}

func vectorBadArguments(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, v := range map[string]store.Vector{
		"no id":     {Values: []float32{1, 0}},
		"long id":   {ID: strings.Repeat("x", store.MaxVectorName+1), Values: []float32{1, 0}},
		"bad id":    {ID: "\xff", Values: []float32{1, 0}},
		"no values": {ID: "x"},
		"too many":  {ID: "x", Values: []float32{1, 2, 3}},
		"nan":       {ID: "x", Values: []float32{1, nan}},
		"infinite":  {ID: "x", Values: []float32{inf, 1}},
		"zero":      {ID: "x", Values: []float32{0, 0}},
		"long text": {ID: "x", Values: []float32{1, 0}, Text: strings.Repeat("x", store.MaxVectorText+1)},
		"empty key": {ID: "x", Values: []float32{1, 0}, Metadata: map[string]string{"": "v"}},
		"long metadata": {ID: "x", Values: []float32{1, 0}, Metadata: map[string]string{
			"k": strings.Repeat("x", store.MaxMetadataValue+1)}},
	} {
		if err := s.UpsertVectors(ctx, "c", []store.Vector{v}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", name, err)
		}
	}
	err := s.UpsertVectors(ctx, "c", []store.Vector{{ID: "x", Values: []float32{1, 2, 3}}})
	if message := citewell.View(err).Message; !strings.Contains(message, "expects 2 dimensions and 3 are given") {
		t.Errorf("message is %q, want both dimensions in it", message)
	}
	twice := store.Vector{ID: "x", Values: []float32{1, 0}}
	wantCode(t, s.UpsertVectors(ctx, "c", []store.Vector{twice, twice}), citewell.CodeInvalidArgument)
	wantCode(t, s.UpsertVectors(ctx, "c", make([]store.Vector, store.MaxVectorBatch+1)), citewell.CodeInvalidArgument)
	must(t, s.UpsertVectors(ctx, "c", nil))
	for _, q := range []store.VectorQuery{
		{Values: []float32{1}}, {Values: []float32{nan, 0}}, {Values: []float32{0, 0}},
		{Values: []float32{1, 0}, K: -1},
		{Values: []float32{1, 0}, K: store.MaxNearest + 1}, {Values: []float32{1, 0}, Offset: -1},
		{Values: []float32{1, 0}, Filters: []store.Filter{{Key: "k"}}},
	} {
		q.Collection = "c"
		_, err := s.NearestVectors(ctx, q)
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	_, err = s.RemoveVectorsWhere(ctx, "c", nil)
	wantCode(t, err, citewell.CodeInvalidArgument)
}

func vectorRemove(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricCosine), t.Context()
	for i := range 20 {
		upsert(t, s, store.Vector{ID: fmt.Sprintf("%02d", i), Values: []float32{20, float32(i)},
			Metadata: map[string]string{"odd": fmt.Sprint(i % 2)}})
	}
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}, K: 3}, "00", "01", "02")
	for _, want := range []int{2, 0} {
		n, err := s.RemoveVectors(ctx, "c", []string{"00", "absent", "02", "00"})
		must(t, err)
		if n != want {
			t.Errorf("%d were removed, want %d", n, want)
		}
	}
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}, K: 3}, "01", "03", "04")
	n, err := s.RemoveVectorsWhere(ctx, "c", []store.Filter{{Key: "odd", In: []string{"1"}}})
	must(t, err)
	count, err := s.CountVectors(ctx, "c", nil)
	must(t, err)
	if n != 10 || count != 8 {
		t.Errorf("%d were removed and %d are left, want 10 and 8", n, count)
	}
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}, K: 3}, "04", "06", "08")
	upsert(t, s, store.Vector{ID: "00", Values: []float32{1, 0}})
	wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}, K: 2}, "00", "04")
}

func vectorTenants(t *testing.T, b VectorBackend) {
	ctx := t.Context()
	mine := newVectors(t, b, 2, store.MetricCosine)
	upsert(t, mine, store.Vector{ID: "x", Values: []float32{1, 0}, Text: "mine", Metadata: map[string]string{"k": "v"}})
	for _, name := range []string{"b", "A", "a ", "", "%", "a' OR '1'='1"} {
		_, err := b.Tenant(name).NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: []float32{1, 0}})
		wantCode(t, err, citewell.CodeNotFound)
	}
	theirs := b.Tenant("b")
	must(t, theirs.MakeCollection(ctx, store.VectorCollection{Name: "c", Dimension: 2}))
	wantNearest(t, theirs, store.VectorQuery{Values: []float32{1, 0}})
	upsert(t, theirs, store.Vector{ID: "x", Values: []float32{0, 1}, Text: "theirs"})
	upsert(t, theirs, store.Vector{ID: "y", Values: []float32{1, 1}, Text: "theirs"})
	wantNearest(t, theirs, store.VectorQuery{Values: []float32{1, 0}}, "y", "x")
	wantNearest(t, theirs, store.VectorQuery{Values: []float32{1, 0},
		Filters: []store.Filter{{Key: "k", In: []string{"v"}}}})
	if n, err := theirs.RemoveVectors(ctx, "c", []string{"x"}); n != 1 || err != nil {
		t.Errorf("%d were removed (%v), want 1", n, err)
	}
	if _, err := theirs.DropCollection(ctx, "c"); err != nil {
		t.Error(err)
	}
	wantNearest(t, mine, store.VectorQuery{Values: []float32{1, 0}}, "x")
	got, err := mine.GetVectors(ctx, "c", []string{"x"})
	must(t, err)
	if len(got) != 1 || got[0].Text != "mine" {
		t.Errorf("another tenant's write is seen: %+v", got)
	}
}

func vectorSurvivesReopening(t *testing.T, b VectorBackend) {
	s := newVectors(t, b, 2, store.MetricL2)
	upsert(t, s, store.Vector{ID: "x", Values: []float32{1, 0}}, store.Vector{ID: "y", Values: []float32{5, 0}})
	s = b.Reopen(t).Tenant("a")
	wantNearest(t, s, store.VectorQuery{Values: []float32{4, 0}}, "y", "x")
	collections, err := s.Collections(t.Context())
	must(t, err)
	want := []store.VectorCollection{{Name: "c", Dimension: 2, Metric: store.MetricL2, Model: "m1", Vectors: 2}}
	if diff := cmp.Diff(want, collections); diff != "" {
		t.Errorf("collections (-want +got):\n%s", diff)
	}
}

func vectorManyGoroutines(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 4, store.MetricCosine), t.Context()
	const writers, each = 6, 25
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				v := store.Vector{ID: fmt.Sprint(w, "-", i), Values: []float32{float32(w + 1), float32(i), 1, 0}}
				if err := s.UpsertVectors(ctx, "c", []store.Vector{v}); err != nil {
					t.Error(err)
				}
				hits, err := s.NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: v.Values, K: 3})
				if err != nil || len(hits) == 0 || math.Abs(hits[0].Score-1) > 1e-6 {
					t.Errorf("own write is not found: %+v, %v", hits, err)
				}
				if i%5 == 4 {
					if n, err := s.RemoveVectors(ctx, "c", []string{v.ID}); n != 1 || err != nil {
						t.Errorf("removed %d, %v", n, err)
					}
				}
			}
		})
	}
	group.Wait()
	if n, err := s.CountVectors(ctx, "c", nil); n != writers*each*4/5 || err != nil {
		t.Errorf("%d vectors (%v), want %d", n, err, writers*each*4/5)
	}
	if got := len(nearestIDs(t, s, store.VectorQuery{Values: []float32{1, 0, 0, 0}, K: 1000})); got !=
		writers*each*4/5 {
		t.Errorf("%d vectors are found, want %d", got, writers*each*4/5)
	}
}

func vectorCanceled(t *testing.T, b VectorBackend) {
	s := newVectors(t, b, 2, store.MetricCosine)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantCode(t, s.UpsertVectors(ctx, "c", []store.Vector{{ID: "x", Values: []float32{1, 0}}}), citewell.CodeCanceled)
	_, err := s.NearestVectors(ctx, store.VectorQuery{Collection: "c", Values: []float32{1, 0}})
	wantCode(t, err, citewell.CodeCanceled)
	wantCode(t, s.MakeCollection(ctx, store.VectorCollection{Name: "d", Dimension: 2}), citewell.CodeCanceled)
	if n, err := s.CountVectors(t.Context(), "c", nil); n != 0 || err != nil {
		t.Errorf("count is %d (%v), want 0", n, err)
	}
}
