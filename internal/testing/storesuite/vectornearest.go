package storesuite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/store"
)

func vectorMetrics(t *testing.T, b VectorBackend) {
	ctx := t.Context()
	s := b.Tenant("a")
	vectors := []store.Vector{{ID: "long", Values: []float32{6, 8}}, {ID: "short", Values: []float32{0.3, 0.4}},
		{ID: "near", Values: []float32{1, 0}}}
	query := []float32{1, 0.3}
	tests := []struct {
		metric store.Metric
		ids    string
		scores []float64
	}{
		{store.MetricCosine, "near long short", []float64{1 / math.Sqrt(1.09), 0.84 / math.Sqrt(1.09),
			0.84 / math.Sqrt(1.09)}},
		{store.MetricDot, "long near short", []float64{8.4, 1, 0.42}},
		{store.MetricL2, "near short long", []float64{-0.3, -math.Sqrt(0.5), -math.Sqrt(25 + 59.29)}},
	}
	for _, test := range tests {
		name := string(test.metric)
		must(t, s.MakeCollection(ctx, store.VectorCollection{Name: name, Dimension: 2, Metric: test.metric}))
		must(t, s.UpsertVectors(ctx, name, vectors))
		hits, err := s.NearestVectors(ctx, store.VectorQuery{Collection: name, Values: query})
		must(t, err)
		var ids []string
		for i, hit := range hits {
			ids = append(ids, hit.ID)
			if math.Abs(hit.Score-test.scores[i]) > 1e-5 {
				t.Errorf("%s: score %d is %v, want %v", name, i, hit.Score, test.scores[i])
			}
		}
		if name == "cosine" { // two point the same way; their floats may differ in the last place
			slices.Sort(ids[1:])
		}
		if got := strings.Join(ids, " "); got != test.ids {
			t.Errorf("%s: order is %s, want %s", name, got, test.ids)
		}
	}
	for _, metric := range []store.Metric{store.MetricDot, store.MetricL2} { // zeros are a place, if no direction
		must(t, s.UpsertVectors(ctx, string(metric), []store.Vector{{ID: "zero", Values: []float32{0, 0}}}))
		hits, err := s.NearestVectors(ctx, store.VectorQuery{Collection: string(metric), Values: []float32{0, 0}})
		must(t, err)
		if len(hits) != 4 || hits[0].Score != 0 || math.Signbit(hits[0].Score) {
			t.Errorf("%s: zeros find %+v", metric, hits)
		}
	}
}

func vectorTiesAndPages(t *testing.T, b VectorBackend) {
	s := newVectors(t, b, 2, store.MetricCosine)
	var all []string
	for i := range 40 {
		id := fmt.Sprintf("%02d", (i*7)%40)
		upsert(t, s, store.Vector{ID: id, Values: []float32{1, 1}})
		all = append(all, id)
	}
	slices.Sort(all)
	wantNearest(t, s, store.VectorQuery{Values: []float32{2, 1}}, all[:10]...)
	wantNearest(t, s, store.VectorQuery{Values: []float32{2, 1}, K: 1000}, all...)
	wantNearest(t, s, store.VectorQuery{Values: []float32{2, 1}, K: 7, Offset: 7}, all[7:14]...)
	wantNearest(t, s, store.VectorQuery{Values: []float32{2, 1}, K: 7, Offset: 38}, all[38:]...)
	wantNearest(t, s, store.VectorQuery{Values: []float32{2, 1}, K: 7, Offset: 400})
}

// vectorFiltersFirst asks for what is far from the query and alone meets the filter.
func vectorFiltersFirst(t *testing.T, b VectorBackend) {
	s := newVectors(t, b, 8, store.MetricCosine)
	var batch []store.Vector
	for i := range 900 {
		values := make([]float32, 8)
		values[0], values[1+i%7] = 10, float32(i%13)
		batch = append(batch, store.Vector{ID: fmt.Sprint("near", i), Values: values,
			Metadata: map[string]string{"side": "near"}})
	}
	for i := range 12 {
		values := make([]float32, 8)
		values[0], values[1] = -10, float32(i)
		batch = append(batch, store.Vector{ID: fmt.Sprintf("far%02d", i), Values: values,
			Metadata: map[string]string{"side": "far"}})
	}
	upsert(t, s, batch...)
	query := store.VectorQuery{Values: []float32{1, 0, 0, 0, 0, 0, 0, 0},
		Filters: []store.Filter{{Key: "side", In: []string{"far"}}}}
	wantNearest(t, s, query, "far11", "far10", "far09", "far08", "far07", "far06", "far05", "far04", "far03", "far02")
	query.Filters[0].In[0] = "elsewhere"
	wantNearest(t, s, query)
	query.Filters = nil
	for prefix, want := range map[string][]string{"f": {"far11", "far10"}, "far": {"far11", "far10"}, "fat": nil,
		"n": {"near0", "near104"}} {
		query.Below, query.K = store.MetadataPrefix{Key: "side", Prefix: prefix}, 2
		wantNearest(t, s, query, want...)
	}
	query.Below.Prefix, query.Filters = "f", []store.Filter{{Key: "side", In: []string{"near"}}}
	wantNearest(t, s, query)
}

func vectorFilterKinds(t *testing.T, b VectorBackend) {
	s, ctx := newVectors(t, b, 2, store.MetricDot), t.Context()
	upsert(t, s,
		store.Vector{ID: "a", Values: []float32{4, 0}, Metadata: map[string]string{
			"lang": "de", "year": "1999", "date": "2026-03-01"}},
		store.Vector{ID: "b", Values: []float32{3, 0}, Metadata: map[string]string{
			"lang": "en", "year": "2007.5", "date": "2026-03-31T23:00:00Z"}},
		store.Vector{ID: "c", Values: []float32{2, 0}, Metadata: map[string]string{"lang": "en", "year": "unknown"}},
		store.Vector{ID: "d", Values: []float32{1, 0}})
	tests := []struct {
		filters []store.Filter
		want    string
	}{
		{nil, "a b c d"},
		{[]store.Filter{{Key: "lang", In: []string{"en"}}}, "b c"},
		{[]store.Filter{{Key: "lang", In: []string{"en", "de", "en"}}}, "a b c"},
		{[]store.Filter{{Key: "lang", In: []string{"en"}, Not: true}}, "a d"},
		{[]store.Filter{{Key: "lang", In: []string{"EN"}}}, ""},
		{[]store.Filter{{Key: "year", Min: "1999"}}, "a b"},
		{[]store.Filter{{Key: "year", Max: "2000"}}, "a"},
		{[]store.Filter{{Key: "date", Min: "2026-03", Max: "2026-03"}}, "a b"},
		{[]store.Filter{{Key: "date", Max: "2026-03-30"}}, "a"},
		{[]store.Filter{{Key: "year", Min: "1999", Not: true}}, "c d"},
		{[]store.Filter{{Key: "year", Min: "2000"}, {Key: "lang", In: []string{"en"}}}, "b"},
		{[]store.Filter{{Key: "lang", In: []string{"de"}, Not: true}, {Key: "lang", In: []string{"de", "en"}}}, "b c"},
		{[]store.Filter{{Key: "' OR 1=1 --", In: []string{"x"}}}, ""},
	}
	for _, test := range tests {
		want := strings.Fields(test.want)
		wantNearest(t, s, store.VectorQuery{Values: []float32{1, 0}, Filters: test.filters}, want...)
		if n, err := s.CountVectors(ctx, "c", test.filters); n != len(want) || err != nil {
			t.Errorf("%+v counts %d (%v), want %d", test.filters, n, err, len(want))
		}
	}
}

// vectorRecall compares the answer with the exact one where an index must choose.
func vectorRecall(t *testing.T, b VectorBackend) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	ctx := t.Context()
	s := b.Tenant("a")
	for _, test := range []struct {
		metric    store.Metric
		dimension int
	}{{store.MetricCosine, 96}, {store.MetricDot, 33}, {store.MetricL2, 3}} {
		name := fmt.Sprint(test.metric, test.dimension)
		must(t, s.MakeCollection(ctx, store.VectorCollection{Name: name, Dimension: test.dimension,
			Metric: test.metric}))
		random := rand.New(rand.NewPCG(1, uint64(test.dimension)))
		values := func() []float32 {
			v := make([]float32, test.dimension)
			for i := range v {
				v[i] = float32(random.NormFloat64() + 0.5)
			}
			return v
		}
		for part := range 5 {
			batch := make([]store.Vector, 1000)
			for i := range batch {
				batch[i] = store.Vector{ID: fmt.Sprint(part*1000 + i), Values: values(),
					Metadata: map[string]string{"third": fmt.Sprint(i % 3)}}
			}
			must(t, s.UpsertVectors(ctx, name, batch))
		}
		found, queries := 0, 20
		for i := range queries {
			q := store.VectorQuery{Collection: name, Values: values()}
			if i%4 == 0 {
				q.Filters = []store.Filter{{Key: "third", In: []string{"1"}, Not: true}}
			}
			exact := q
			exact.Exact = true
			want, err := s.NearestVectors(ctx, exact)
			must(t, err)
			got, err := s.NearestVectors(ctx, q)
			must(t, err)
			for _, hit := range got {
				if slices.ContainsFunc(want, func(w store.VectorHit) bool {
					return w.ID == hit.ID && w.Score == hit.Score
				}) {
					found++
				}
			}
		}
		recall := float64(found) / float64(10*queries)
		t.Logf("%s: recall@10 is %.3f", name, recall)
		if recall < 0.95 {
			t.Errorf("%s: recall@10 is %.3f, want 0.95", name, recall)
		}
	}
}
