package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
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

// A near row is one whose nearness is known.
type near struct {
	id       int64
	name     string
	nearness float64
}

func compareNear(a, b near) int {
	return cmp.Or(cmp.Compare(b.nearness, a.nearness), cmp.Compare(a.name, b.name))
}

// A vectorSearch is one search within one transaction.
type vectorSearch struct {
	store *Store
	tx    *sql.Tx
	c     vectorCollection
	query store.VectorQuery
	need  int // results to know: the offset and K
}

// NearestVectors implements store.Vectors.
func (s *Store) NearestVectors(ctx context.Context, query store.VectorQuery) ([]store.VectorHit, error) {
	const op = "store.nearest_vectors"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	for {
		hits, again, err := s.nearestOnce(ctx, op, query)
		if err != nil || !again {
			return hits, storeError(op, err)
		}
	}
}

// nearestOnce searches. Again is true where the codes in memory were of a later
// state than the transaction's: then a new transaction sees that state too.
func (s *Store) nearestOnce(ctx context.Context, op string, query store.VectorQuery) (hits []store.VectorHit, again bool, err error) {
	tx, err := s.db.reads.BeginTx(ctx, nil)
	if err != nil {
		return nil, false, err
	}
	defer tx.Rollback()
	c, err := s.collection(ctx, op, tx, query.Collection)
	if err != nil {
		return nil, false, err
	}
	if err := c.CheckValues(op, query.Values); err != nil {
		return nil, false, err
	}
	search := vectorSearch{store: s, tx: tx, c: c, query: query, need: query.Offset + query.K}
	var found []near
	index := s.db.vectors.get(c)
	if query.Exact || index == nil {
		found, err = search.everything(ctx)
	} else {
		found, again, err = search.indexed(ctx, index)
	}
	if err != nil || again {
		return nil, again, err
	}
	found = found[min(len(found), query.Offset):min(len(found), search.need)]
	hits, err = search.hits(ctx, op, found)
	return hits, false, err
}

// indexed searches the codes in memory, after bringing them to the transaction's
// state where they are behind. The search that does so keeps the index to itself, so
// that no other moves it on before it is done.
func (s vectorSearch) indexed(ctx context.Context, index *vectorIndex) (found []near, again bool, err error) {
	index.mu.RLock()
	if index.equals(s.c) {
		defer index.mu.RUnlock()
		found, err = s.nearest(ctx, &index.vectorSlots)
		return found, false, err
	}
	index.mu.RUnlock()
	index.mu.Lock()
	defer index.mu.Unlock()
	if index.ahead(s.c) {
		return nil, true, nil
	}
	if !index.equals(s.c) {
		if err := index.refresh(ctx, s.tx, s.store.tenant, s.c); err != nil {
			return nil, false, err
		}
	}
	found, err = s.nearest(ctx, &index.vectorSlots)
	return found, false, err
}

// narrowed says whether only some rows are searched.
func (s vectorSearch) narrowed() bool { return len(s.query.Filters) > 0 || s.query.Below.Prefix != "" }

// meeting returns the ids of the rows that meet all filters and are below the prefix,
// rising.
func (s vectorSearch) meeting(ctx context.Context) ([]int64, error) {
	ids, err := s.store.filtered(ctx, s.tx, s.c, s.query.Filters)
	if err != nil || s.query.Below.Prefix == "" {
		return ids, err
	}
	below, err := s.store.below(ctx, s.tx, s.c, s.query.Below)
	if err != nil || len(s.query.Filters) == 0 {
		return below, err
	}
	return slices.DeleteFunc(ids, func(id int64) bool {
		_, found := slices.BinarySearch(below, id)
		return !found
	}), nil
}

// everything compares every row that meets the filters.
func (s vectorSearch) everything(ctx context.Context) ([]near, error) {
	var top []near
	keep := func(n near) {
		if top = append(top, n); len(top) >= 2*s.need+allExact {
			slices.SortFunc(top, compareNear)
			top = top[:s.need]
		}
	}
	var err error
	if s.narrowed() {
		var ids []int64
		if ids, err = s.meeting(ctx); err == nil {
			err = s.compare(ctx, ids, keep)
		}
	} else {
		err = s.compareRows(ctx, keep, `SELECT v.id, v.name, v.embedding FROM vector_code AS c CROSS JOIN vector AS v
			WHERE c.tenant = ? AND c.collection = ? AND v.id = c.vector`, s.store.tenant, s.c.id) // in the order of the file
	}
	slices.SortFunc(top, compareNear)
	return top, err
}

// nearest chooses by the codes whom to compare exactly, and compares.
func (s vectorSearch) nearest(ctx context.Context, slots *vectorSlots) ([]near, error) {
	var some []int32 // the slots that meet the filters; nil where there are none to meet
	if s.narrowed() {
		ids, err := s.meeting(ctx)
		if err != nil {
			return nil, err
		}
		if some = slots.of(ids); len(some) == 0 {
			return nil, nil
		}
	}
	e := newEstimator(s.c.Metric, s.query.Values)
	chosen := slots.coarse(e, some, max(minCoarse, coarseFactor*s.need))
	estimated := slots.estimate(e, chosen, s.need)
	var found []near
	keep := func(n near) { found = append(found, n) }
	limit := max(maxExact, exactFactor*s.need)
	for first := true; len(estimated) > 0 && len(found) < limit; first = false {
		batch := min(len(estimated), exactBatch, limit-len(found))
		if first {
			batch = min(len(estimated), max(2*s.need, 32))
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
		slices.SortFunc(found, compareNear)
		estimated = estimated[batch:]
		if len(found) >= s.need {
			last := found[s.need-1].nearness
			estimated = slices.DeleteFunc(estimated, func(one estimate) bool { return one.nearness+one.margin < last })
		}
	}
	return found, nil
}

// compare reads the rows under ids and gives each with its exact nearness to keep.
func (s vectorSearch) compare(ctx context.Context, ids []int64, keep func(near)) error {
	return s.compareRows(ctx, keep, `SELECT v.id, v.name, v.embedding FROM json_each(?) AS wanted CROSS JOIN vector AS v
		WHERE v.id = wanted.value AND v.tenant = ? AND v.collection = ?`, jsonIDs(ids), s.store.tenant, s.c.id)
}

func (s vectorSearch) compareRows(ctx context.Context, keep func(near), query string, args ...any) error {
	const op = "store.compare_vectors"
	return each(ctx, s.tx, query, func(scan func(...any) error) error {
		var n near
		var embedding sql.RawBytes
		if err := scan(&n.id, &n.name, &embedding); err != nil {
			return err
		}
		floats, err := vectorcodec.Check(op, embedding, s.c.Dimension)
		if err != nil {
			return err
		}
		n.nearness = vectorcodec.Nearness(s.c.Metric, s.query.Values, floats)
		keep(n)
		return nil
	}, args...)
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

// hits reads what the answer shows of the rows that were found.
func (s vectorSearch) hits(ctx context.Context, op string, found []near) ([]store.VectorHit, error) {
	at := make(map[int64]int, len(found))
	ids := make([]int64, len(found))
	hits := make([]store.VectorHit, len(found))
	for i, n := range found {
		at[n.id], ids[i] = i, n.id
		hits[i] = store.VectorHit{Vector: store.Vector{ID: n.name}, Score: vectorcodec.Score(s.c.Metric, n.nearness)}
	}
	err := each(ctx, s.tx, `SELECT v.id, v.record, iif(?, v.embedding, NULL) FROM json_each(?) AS wanted CROSS JOIN vector AS v
		WHERE v.id = wanted.value`, func(scan func(...any) error) error {
		var id int64
		var record, embedding []byte
		if err := scan(&id, &record, &embedding); err != nil {
			return err
		}
		hit := &hits[at[id]]
		if err := vectorcodec.ReadRecord(op, record, &hit.Vector); err != nil {
			return err
		}
		if !s.query.WithText {
			hit.Text = ""
		}
		if !s.query.WithValues {
			return nil
		}
		floats, err := vectorcodec.Check(op, embedding, s.c.Dimension)
		hit.Values = vectorcodec.Values(floats)
		return err
	}, s.query.WithValues, jsonIDs(ids))
	if err != nil {
		return nil, err
	}
	return hits, nil
}
