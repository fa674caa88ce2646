package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

var _ store.Vectors = (*Store)(nil)

// A vectorCollection is a row of the table. nearby says whether its embeddings have an index.
type vectorCollection struct {
	store.VectorCollection
	id     int64
	nearby bool
}

const collectionColumns = `name, id, dimension, metric, model, vectors,
	coalesce((SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('vector_near_' || id)), false)`

func scanCollection(scan func(...any) error) (c vectorCollection, err error) {
	err = scan(plain{&c.Name}, &c.id, &c.Dimension, &c.Metric, plain{&c.Model}, &c.Vectors, &c.nearby)
	return c, err
}

func (s *Store) collection(ctx context.Context, op string, from querier, name, lock string) (vectorCollection, error) {
	c, err := scanCollection(from.QueryRow(ctx, `SELECT `+collectionColumns+` FROM vector_collection WHERE tenant = $1 AND name = $2 `+lock, s.tenant, escape(name)).Scan)
	return c, orMissing(err, vectorcodec.MissingCollection(op, name))
}

// MakeCollection implements store.Vectors.
func (s *Store) MakeCollection(ctx context.Context, c store.VectorCollection) error {
	const op = "store.make_collection"
	if err := c.Check(op); err != nil {
		return err
	}
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		kept, err := s.collection(ctx, op, tx, c.Name, `FOR UPDATE`)
		if err == nil {
			if fits, err := vectorcodec.Fits(op, kept.VectorCollection, c); fits || err != nil {
				return err
			}
			_, err = s.dropCollection(ctx, tx, c.Name)
		} else if citewell.CodeOf(err) == citewell.CodeNotFound {
			err = nil
		}
		if err != nil {
			return err
		}
		made, err := affected(tx.Exec(ctx, `INSERT INTO vector_collection (tenant, name, dimension, metric, model) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
			s.tenant, escape(c.Name), c.Dimension, string(c.Metric), escape(c.Model)))
		if err != nil || made > 0 {
			return err
		}
		if kept, err = s.collection(ctx, op, tx, c.Name, `FOR UPDATE`); err != nil { // made by somebody else at this moment
			return err
		}
		_, err = vectorcodec.Fits(op, kept.VectorCollection, c)
		return err
	})
}

// Collections implements store.Vectors.
func (s *Store) Collections(ctx context.Context) ([]store.VectorCollection, error) {
	return read(ctx, s.db, "store.collections", func(ctx context.Context) ([]store.VectorCollection, error) {
		return readRows(ctx, s.db.pool, `SELECT `+collectionColumns+` FROM vector_collection WHERE tenant = $1 ORDER BY name`,
			func(scan func(...any) error) (store.VectorCollection, error) {
				c, err := scanCollection(scan)
				return c.VectorCollection, err
			}, s.tenant)
	})
}

// DropCollection implements store.Vectors.
func (s *Store) DropCollection(ctx context.Context, name string) (dropped bool, err error) {
	err = s.db.again(ctx, "store.drop_collection", func(ctx context.Context, tx pgx.Tx) (err error) {
		dropped, err = s.dropCollection(ctx, tx, name)
		return err
	})
	return dropped && err == nil, err
}

// dropCollection removes a collection and all it holds, and says whether there was one. Its index
// is of nothing then; it goes with the next sweep (sweepNear).
func (s *Store) dropCollection(ctx context.Context, tx pgx.Tx, name string) (bool, error) {
	var id int64
	there, err := anyRow(tx.QueryRow(ctx, `DELETE FROM vector_collection WHERE tenant = $1 AND name = $2 RETURNING id`, s.tenant, escape(name)).Scan(&id))
	if !there {
		return false, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM vector_item WHERE tenant = $1 AND collection = $2`, s.tenant, id); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM vector_tag WHERE collection = $1`, id)
	return err == nil, err
}

// GetVectors implements store.Vectors.
func (s *Store) GetVectors(ctx context.Context, collection string, ids []string) (vectors []store.Vector, err error) {
	const op = "store.get_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
		return nil, err
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		vectors = nil
		c, err := s.collection(ctx, op, s.db.pool, collection, ``)
		if err != nil {
			return err
		}
		found := map[string]store.Vector{}
		err = each(ctx, s.db.pool, `SELECT name, embedding, record FROM vector_item WHERE tenant = $1 AND collection = $2 AND name = ANY ($3)`, func(scan func(...any) error) error {
			var v store.Vector
			var embedding, record []byte
			if err := scan(plain{&v.ID}, &embedding, &record); err != nil {
				return err
			}
			if err := vectorcodec.ReadRecord(op, record, &v); err != nil {
				return err
			}
			floats, err := vectorcodec.Check(op, embedding, c.Dimension)
			if err != nil {
				return err
			}
			v.Values = vectorcodec.Values(floats)
			found[v.ID] = v
			return nil
		}, s.tenant, c.id, escaped(ids))
		for _, id := range ids {
			if v, there := found[id]; there {
				vectors = append(vectors, v)
			}
		}
		return err
	})
	return vectors, err
}

// CountVectors implements store.Vectors.
func (s *Store) CountVectors(ctx context.Context, collection string, filters []store.Filter) (n int, err error) {
	const op = "store.count_vectors"
	if err := store.CheckFilters(op, filters); err != nil {
		return 0, err
	}
	err = s.db.reading(ctx, op, func(ctx context.Context) error {
		c, err := s.collection(ctx, op, s.db.pool, collection, ``)
		if n = c.Vectors; err != nil || len(filters) == 0 {
			return err
		}
		where, args := s.meeting(c, filters, store.MetadataPrefix{})
		return s.db.pool.QueryRow(ctx, `SELECT count(*) FROM vector_item WHERE `+numbered(where), ours(args)...).Scan(&n)
	})
	return n, err
}

// meeting is the condition for the vectors of a collection that meet filters and are below a
// prefix.
func (s *Store) meeting(c vectorCollection, filters []store.Filter, below store.MetadataPrefix) (condition string, args []any) {
	condition, args = "tenant = ? AND collection = ?", []any{asIs(s.tenant), c.id}
	tagged := func(not, match string, values []any) {
		condition += " AND id " + not + "IN (SELECT vector FROM vector_tag WHERE collection = ? AND " + match + ")"
		args = slices.Concat(args, []any{c.id}, values)
	}
	for _, f := range filters {
		not := ""
		if f.Not {
			not = "NOT "
		}
		match, values := heads.Metadata(f)
		tagged(not, match, values)
	}
	if below.Prefix != "" {
		match, values := begins("value", below.Prefix)
		tagged("", "key = ? AND "+match, append([]any{below.Key}, values...))
	}
	return condition, args
}

// numbered gives the arguments of a query, which has no question marks else, their numbers.
func numbered(query string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(query, "?")
		if b.WriteString(before); !found {
			return b.String()
		}
		fmt.Fprintf(&b, "$%d", n)
		query = after
	}
}
