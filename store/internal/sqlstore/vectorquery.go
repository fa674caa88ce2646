package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
)

// A Near vector is one whose nearness is known.
type Near struct {
	ID       int64
	Name     string
	Nearness float64
}

// CompareNear orders vectors, the nearest first.
func CompareNear(a, b Near) int {
	return cmp.Or(cmp.Compare(b.Nearness, a.Nearness), cmp.Compare(a.Name, b.Name))
}

// A VectorSearch is one search within one view.
type VectorSearch struct {
	View       Conn
	Tenant     string
	Collection Collection
	Query      store.VectorQuery
	Need       int // results to know: the offset and K
}

// Narrowed reports whether only some rows are searched.
func (s VectorSearch) Narrowed() bool { return len(s.Query.Filters) > 0 || s.Query.Below.Prefix != "" }

// NearestVectors implements store.Vectors.
func (s *Store) NearestVectors(ctx context.Context, query store.VectorQuery) (hits []store.VectorHit, err error) {
	const op = "store.nearest_vectors"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	for again := true; again && err == nil; {
		err = s.b.View(ctx, op, func(view Conn) error {
			c, err := FindCollection(ctx, view, op, s.tenant, query.Collection, ``)
			if err != nil {
				return err
			}
			if err := c.CheckValues(op, query.Values); err != nil {
				return err
			}
			search := VectorSearch{view, s.tenant, c, query, query.Offset + query.K}
			var found []Near
			if found, again, err = s.b.Nearest(ctx, search); err != nil || again {
				return err
			}
			hits, err = search.hits(ctx, s.db, op, found[min(len(found), query.Offset):min(len(found), search.Need)])
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return hits, nil
}

// Compare gives every row of a query for id, name and embedding with its exact nearness to keep.
func (s VectorSearch) Compare(ctx context.Context, keep func(Near), query string, args ...any) error {
	return Each(ctx, s.View, query, func(scan func(...any) error) error {
		var n Near
		var embedding sql.RawBytes
		if err := scan(&n.ID, &n.Name, &embedding); err != nil {
			return err
		}
		floats, err := vectorcodec.Check("store.compare_vectors", embedding, s.Collection.Dimension)
		if err != nil {
			return err
		}
		n.Nearness = vectorcodec.Nearness(s.Collection.Metric, s.Query.Values, floats)
		keep(n)
		return nil
	}, args...)
}

// Nearest keeps those of the rows that compare gives which are needed, in order.
func (s VectorSearch) Nearest(compare func(keep func(Near)) error) ([]Near, error) {
	const slack = 1000
	var top []Near
	err := compare(func(n Near) {
		if top = append(top, n); len(top) >= 2*s.Need+slack {
			slices.SortFunc(top, CompareNear)
			top = top[:s.Need]
		}
	})
	slices.SortFunc(top, CompareNear)
	return top[:min(len(top), s.Need)], err
}

// hits reads what the answer shows of the vectors that were found.
func (s VectorSearch) hits(ctx context.Context, db *DB, op string, found []Near) ([]store.VectorHit, error) {
	if len(found) == 0 {
		return []store.VectorHit{}, nil
	}
	places, ids := make(map[int64]int, len(found)), make([]int64, len(found))
	hits := make([]store.VectorHit, len(found))
	for i, n := range found {
		places[n.ID], ids[i] = i, n.ID
		hits[i] = store.VectorHit{
			Vector: store.Vector{ID: n.Name},
			Score:  vectorcodec.Score(s.Collection.Metric, n.Nearness),
		}
	}
	args := Arguments{s.Collection.ID, s.Query.WithValues}
	err := Each(ctx, s.View, `SELECT id, record, CASE WHEN $2 THEN embedding END FROM {vector} WHERE {+}collection = $1
		AND `+oneOfIDs(db, &args, "id", ids),
		func(scan func(...any) error) error {
			var id int64
			var record, embedding []byte
			if err := scan(&id, &record, &embedding); err != nil {
				return err
			}
			hit := &hits[places[id]]
			err := vectorcodec.ReadRecord(op, record, &hit.Vector)
			if s.Query.WithValues && err == nil {
				hit.Values, err = s.Collection.values(op, embedding)
			}
			if !s.Query.WithText {
				hit.Text = ""
			}
			return err
		}, args...)
	if err != nil {
		return nil, err
	}
	return hits, nil
}
