package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

// A nearVector is one whose nearness is known.
type nearVector struct {
	name     string
	nearness float64
}

func compareNear(a, b nearVector) int {
	return cmp.Or(cmp.Compare(b.nearness, a.nearness), cmp.Compare(a.name, b.name))
}

// NearestVectors implements store.Vectors.
func (s *Store) NearestVectors(ctx context.Context, query store.VectorQuery) (hits []store.VectorHit, err error) {
	const op = "store.nearest_vectors"
	if err := query.Check(op); err != nil {
		return nil, err
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, s.db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			c, err := s.collection(ctx, op, tx, query.Collection, ``)
			if err != nil {
				return err
			}
			if err := c.CheckValues(op, query.Values); err != nil {
				return err
			}
			search := vectorSearch{Store: s, tx: tx, c: c, query: query, need: query.Offset + query.K}
			found, err := search.nearest(ctx)
			if err != nil {
				return err
			}
			hits, err = search.hits(ctx, op, found[min(len(found), query.Offset):min(len(found), search.need)])
			return err
		})
	})
	return hits, err
}

// A vectorSearch is one search within one transaction.
type vectorSearch struct {
	*Store
	tx    pgx.Tx
	c     vectorCollection
	query store.VectorQuery
	need  int // results to know: the offset and K
}

// nearest returns the nearest vectors, exactly compared and in order. Which are compared is
// chosen by the index where the collection has one and many vectors meet the filters; an index
// may stop before it has found enough, and then everything is compared.
func (s vectorSearch) nearest(ctx context.Context) ([]nearVector, error) {
	where, args := s.meeting(s.c, s.query.Filters, s.query.Below)
	where, args = numbered(where), ours(args)
	many := s.c.nearby && !s.query.Exact && s.need <= nearResults
	if many && (len(s.query.Filters) > 0 || s.query.Below.Prefix != "") {
		var meet int
		if err := s.tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM vector_item WHERE %s LIMIT %d) AS v`, where, nearFrom), args...).Scan(&meet); err != nil {
			return nil, err
		}
		many = meet == nearFrom
	}
	if many {
		found, err := s.byIndex(ctx, where, args)
		if err != nil || len(found) >= s.need {
			return found, err
		}
	}
	if s.db.near {
		return s.inServer(ctx, where, args)
	}
	return s.compare(ctx, `SELECT name, embedding FROM vector_item WHERE `+where, args)
}

// byIndex asks the index for several times as many as are needed, and compares those.
func (s vectorSearch) byIndex(ctx context.Context, where string, args []any) ([]nearVector, error) {
	if _, err := s.tx.Exec(ctx, fmt.Sprintf(`SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = %d`, s.looks())); err != nil {
		return nil, err
	}
	return s.compare(ctx, s.indexQuery(where, len(args)+1), append(slices.Clip(args), literal(s.query.Values)))
}

// looks is at how many vectors the index looks at once. Of a million it found 0.86 of the first ten
// with 100, 0.96 with 400, and no more with 1000.
func (s vectorSearch) looks() int {
	const least, most, share = 100, 1000, 2500 // pgvector takes no more for ef_search
	return min(most, max(least, nearFactor*s.need, s.c.Vectors/share))
}

// indexQuery is what the index is asked. The vector, which is the last argument, is a query of its
// own: the server would read its text anew for each row that it compares with.
func (s vectorSearch) indexQuery(where string, last int) string {
	sign, _ := operator(s.c.Metric)
	return fmt.Sprintf(`SELECT name, embedding FROM vector_item WHERE %s AND collection = %d ORDER BY near::vector(%d) %s (SELECT $%d::text::vector) LIMIT %d`,
		where, s.c.id, s.c.Dimension, sign, last, nearFactor*s.need)
}

// inServer has the server compare everything, in single precision, and compares again what may
// be among the nearest by it.
func (s vectorSearch) inServer(ctx context.Context, where string, args []any) ([]nearVector, error) {
	sign, _ := operator(s.c.Metric)
	return s.compare(ctx, fmt.Sprintf(`WITH every AS MATERIALIZED (SELECT name, embedding, near %s (SELECT $%d::text::vector) AS distance FROM vector_item WHERE %s),
		last AS (SELECT distance FROM every ORDER BY distance OFFSET %d LIMIT 1)
		SELECT name, embedding FROM every WHERE distance <= coalesce((SELECT distance + abs(distance) * 1e-4 + 1e-6 FROM last), 'infinity')`,
		sign, len(args)+1, where, s.need-1), append(slices.Clip(args), literal(s.query.Values)))
}

// compare reads embeddings and returns the nearest that are needed, in order.
func (s vectorSearch) compare(ctx context.Context, query string, args []any) ([]nearVector, error) {
	const op, slack = "store.nearest_vectors", 1000
	var top []nearVector
	err := each(ctx, s.tx, query, func(scan func(...any) error) error {
		var n nearVector
		var embedding []byte
		if err := scan(plain{&n.name}, &embedding); err != nil {
			return err
		}
		floats, err := vectorcodec.Check(op, embedding, s.c.Dimension)
		if err != nil {
			return err
		}
		n.nearness = vectorcodec.Nearness(s.c.Metric, s.query.Values, floats)
		if top = append(top, n); len(top) >= s.need+slack {
			slices.SortFunc(top, compareNear)
			top = top[:s.need]
		}
		return nil
	}, args...)
	slices.SortFunc(top, compareNear)
	return top[:min(len(top), s.need)], err
}

// hits reads what the answer shows of the vectors that were found.
func (s vectorSearch) hits(ctx context.Context, op string, found []nearVector) ([]store.VectorHit, error) {
	places, names := make(map[string]int, len(found)), make([]string, len(found))
	hits := make([]store.VectorHit, len(found))
	for i, n := range found {
		places[n.name], names[i] = i, escape(n.name)
		hits[i] = store.VectorHit{Vector: store.Vector{ID: n.name}, Score: vectorcodec.Score(s.c.Metric, n.nearness)}
	}
	err := each(ctx, s.tx, `SELECT name, record, CASE WHEN $4 THEN embedding END FROM vector_item WHERE tenant = $1 AND collection = $2 AND name = ANY ($3)`, func(scan func(...any) error) error {
		var name string
		var record, embedding []byte
		if err := scan(plain{&name}, &record, &embedding); err != nil {
			return err
		}
		hit := &hits[places[name]]
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
	}, s.tenant, s.c.id, names, s.query.WithValues)
	if err != nil {
		return nil, err
	}
	return hits, nil
}
