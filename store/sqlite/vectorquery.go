package sqlite

import (
	"context"
	"slices"
	"strconv"

	"github.com/citewell/citewell/store/internal/sqlstore"
)

const (
	// minCoarse codes, and coarseFactor for each result, are the nearest by differing
	// bits, for which the cosine is estimated.
	minCoarse    = 4000
	coarseFactor = 20
	// maxExact rows, and exactFactor for each result, are at most read to be compared
	// exactly; the margins of the estimates mostly end it long before.
	maxExact    = 1000
	exactFactor = 10
	exactBatch  = 128
	// allExact rows or fewer are all compared exactly.
	allExact = 128
)

// A vectorSearch is one search.
type vectorSearch struct{ sqlstore.VectorSearch }

// Nearest implements sqlstore.Vectors. Again is true if the codes in memory are later than the transaction's state.
func (e engine) Nearest(ctx context.Context,
	search sqlstore.VectorSearch) (found []sqlstore.Near, again bool, err error) {
	s := vectorSearch{search}
	if index := e.vectors.indexOf(s.Collection); index != nil && !s.Query.Exact {
		return s.indexed(ctx, index)
	}
	found, err = s.everything(ctx)
	return found, false, err
}

// indexed searches the codes in memory, after bringing them to the transaction's state where they are behind. The
// search that does so keeps the index to itself, so that no other moves it on before it is done.
func (s vectorSearch) indexed(ctx context.Context, index *vectorIndex) (found []sqlstore.Near, again bool, err error) {
	index.mu.RLock()
	if index.equals(s.Collection) {
		defer index.mu.RUnlock()
		found, err = s.nearest(ctx, &index.vectorSlots)
		return found, false, err
	}
	index.mu.RUnlock()
	index.mu.Lock()
	defer index.mu.Unlock()
	if index.ahead(s.Collection) {
		return nil, true, nil
	}
	if !index.equals(s.Collection) {
		if err := index.refresh(ctx, s.View, s.Tenant, s.Collection); err != nil {
			return nil, false, err
		}
	}
	found, err = s.nearest(ctx, &index.vectorSlots)
	return found, false, err
}

// meeting returns the ids of the rows that meet all filters and are below the prefix, rising.
func (s vectorSearch) meeting(ctx context.Context) ([]int64, error) {
	ids, err := filtered(ctx, s.View, s.Tenant, s.Collection.ID, s.Query.Filters)
	if err != nil || s.Query.Below.Prefix == "" {
		return ids, err
	}
	below, err := below(ctx, s.View, s.Tenant, s.Collection.ID, s.Query.Below)
	if err != nil || len(s.Query.Filters) == 0 {
		return below, err
	}
	return slices.DeleteFunc(ids, func(id int64) bool {
		_, found := slices.BinarySearch(below, id)
		return !found
	}), nil
}

// everything compares every row that meets the filters.
func (s vectorSearch) everything(ctx context.Context) ([]sqlstore.Near, error) {
	return s.VectorSearch.Nearest(func(keep func(sqlstore.Near)) error {
		if s.Narrowed() {
			ids, err := s.meeting(ctx)
			if err != nil {
				return err
			}
			return s.compare(ctx, ids, keep)
		}
		return s.Compare(ctx, keep, `SELECT v.id, v.name, v.embedding FROM vector_code AS c CROSS JOIN vector AS v
			WHERE c.tenant = ? AND c.collection = ? AND v.id = c.vector`, s.Tenant, s.Collection.ID) // in the order of the file
	})
}

// nearest chooses by the codes whom to compare exactly, and compares.
func (s vectorSearch) nearest(ctx context.Context, slots *vectorSlots) ([]sqlstore.Near, error) {
	var some []int32 // the slots that meet the filters; nil where there are none to meet
	if s.Narrowed() {
		ids, err := s.meeting(ctx)
		if err != nil {
			return nil, err
		}
		if some = slots.slotsOf(ids); len(some) == 0 {
			return nil, nil
		}
	}
	e := newEstimator(s.Collection.Metric, s.Query.Values)
	chosen := slots.coarse(e, some, max(minCoarse, coarseFactor*s.Need))
	estimated := slots.estimate(e, chosen, s.Need)
	var found []sqlstore.Near
	keep := func(n sqlstore.Near) { found = append(found, n) }
	limit := max(maxExact, exactFactor*s.Need)
	for first := true; len(estimated) > 0 && len(found) < limit; first = false {
		batch := min(len(estimated), exactBatch, limit-len(found))
		if first {
			batch = min(len(estimated), max(2*s.Need, 32))
			if len(estimated) <= allExact {
				batch = len(estimated)
			}
		}
		ids := make([]int64, batch)
		for i, one := range estimated[:batch] {
			ids[i] = one.id
		}
		slices.Sort(ids) // neighbours on disk follow each other
		if err := s.compare(ctx, ids, keep); err != nil {
			return nil, err
		}
		slices.SortFunc(found, sqlstore.CompareNear)
		estimated = estimated[batch:]
		if len(found) >= s.Need {
			last := found[s.Need-1].Nearness
			estimated = slices.DeleteFunc(estimated, func(one estimate) bool { return one.nearness+one.margin < last })
		}
	}
	return found, nil
}

// compare reads the rows under ids and gives each with its exact nearness to keep.
func (s vectorSearch) compare(ctx context.Context, ids []int64, keep func(sqlstore.Near)) error {
	return s.Compare(ctx, keep, `SELECT v.id, v.name, v.embedding FROM json_each(?) AS wanted CROSS JOIN vector AS v
		WHERE v.id = wanted.value AND v.tenant = ? AND v.collection = ?`, jsonIDs(ids), s.Tenant, s.Collection.ID)
}

func jsonIDs(ids []int64) string {
	list := []byte("[")
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return string(append(list, ']'))
}
