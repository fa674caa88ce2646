package postgres

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

// UpsertVectors implements store.Vectors. What is there and equal is left alone.
func (s *Store) UpsertVectors(ctx context.Context, collection string, vectors []store.Vector) error {
	const op = "store.upsert_vectors"
	var c vectorCollection
	err := s.db.reading(ctx, op, func(ctx context.Context) (err error) {
		c, err = s.collection(ctx, op, s.db.pool, collection, ``)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.CheckVectors(op, vectors); err != nil {
		return err
	}
	embeddings, records := make([][]byte, len(vectors)), make([][]byte, len(vectors))
	for i, v := range vectors {
		embeddings[i] = vectorcodec.Marshal(v.Values)
		if records[i], err = codec.PackJSON(vectorcodec.Record{Text: v.Text, Metadata: v.Metadata}); err != nil {
			return storeError(op, err)
		}
	}
	err = s.changeVectors(ctx, op, c, func(ctx context.Context, tx pgx.Tx) (int, error) {
		return s.upsertVectors(ctx, tx, c, vectors, embeddings, records)
	})
	if err == nil {
		s.db.wantNear(c, len(vectors))
	}
	return err
}

// upsertVectors returns by how many the vectors of the collection are more.
func (s *Store) upsertVectors(ctx context.Context, tx pgx.Tx, c vectorCollection, vectors []store.Vector, embeddings, records [][]byte) (int, error) {
	places := make(map[string]int, len(vectors))
	for i, v := range vectors {
		places[v.ID] = i
	}
	var stale []string
	err := each(ctx, tx, `SELECT name, embedding, record FROM vector_item WHERE tenant = $1 AND collection = $2 AND name = ANY ($3)`, func(scan func(...any) error) error {
		var name string
		var embedding, record []byte
		if err := scan(plain{&name}, &embedding, &record); err != nil {
			return err
		}
		at := places[name]
		if bytes.Equal(embedding, embeddings[at]) && bytes.Equal(record, records[at]) {
			delete(places, name)
		} else {
			stale = append(stale, name)
		}
		return nil
	}, s.tenant, c.id, escaped(slices.Collect(maps.Keys(places))))
	if err != nil || len(places) == 0 {
		return 0, err
	}
	removed, err := s.removeVectors(ctx, tx, c, `name = ANY (?)`, stale)
	if err != nil {
		return 0, err
	}
	var names, near []string
	var values, kept [][]byte
	for _, v := range vectors {
		if i, new := places[v.ID]; new {
			names, values, kept = append(names, escape(v.ID)), append(values, embeddings[i]), append(kept, records[i])
			if s.db.near {
				near = append(near, literal(v.Values))
			}
		}
	}
	into, from := `embedding, record`, `n.embedding, n.record`
	args := []any{s.tenant, c.id, names, values, kept}
	rows := `unnest($3::text[], $4::bytea[], $5::bytea[]) AS n (name, embedding, record)`
	if s.db.near {
		into, from = into+`, near`, from+`, n.near::vector`
		args = append(args, near)
		rows = `unnest($3::text[], $4::bytea[], $5::bytea[], $6::text[]) AS n (name, embedding, record, near)`
	}
	if _, err := tx.Exec(ctx, `INSERT INTO vector_item (tenant, collection, name, `+into+`) SELECT $1, $2, n.name, `+from+` FROM `+rows, args...); err != nil {
		return 0, err
	}
	return len(names) - removed, s.tagVectors(ctx, tx, c, vectors, places)
}

// tagVectors writes the metadata of those of vectors that have a place.
func (s *Store) tagVectors(ctx context.Context, tx pgx.Tx, c vectorCollection, vectors []store.Vector, places map[string]int) error {
	ids := make(map[string]int64, len(places))
	err := each(ctx, tx, `SELECT name, id FROM vector_item WHERE tenant = $1 AND collection = $2 AND name = ANY ($3)`, func(scan func(...any) error) error {
		var name string
		var id int64
		err := scan(plain{&name}, &id)
		ids[name] = id
		return err
	}, s.tenant, c.id, escaped(slices.Collect(maps.Keys(places))))
	if err != nil {
		return err
	}
	var tags [][]any
	for _, v := range vectors {
		if id, new := ids[v.ID]; new {
			for _, key := range slices.Sorted(maps.Keys(v.Metadata)) {
				tags = append(tags, vectorTag(c.id, id, key, v.Metadata[key]))
			}
		}
	}
	return copyTags(ctx, tx, tags)
}

// vectorTag is the row of one key of an embedding's metadata.
func vectorTag(collection, id int64, key, value string) []any {
	number, moment := sqlstore.NumberOrMoment(value)
	return []any{collection, id, escape(key), escape(value), number, moment}
}

func copyTags(ctx context.Context, tx pgx.Tx, tags [][]any) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"vector_tag"}, []string{"collection", "vector", "key", "value", "number", "moment"}, pgx.CopyFromRows(tags))
	return err
}

// RemoveVectors implements store.Vectors.
func (s *Store) RemoveVectors(ctx context.Context, collection string, ids []string) (int, error) {
	const op = "store.remove_vectors"
	if err := vectorcodec.CheckIDs(op, ids); err != nil {
		return 0, err
	}
	return s.remove(ctx, op, collection, func(vectorCollection) (string, []any) { return `name = ANY (?)`, []any{ids} })
}

// RemoveVectorsWhere implements store.Vectors.
func (s *Store) RemoveVectorsWhere(ctx context.Context, collection string, filters []store.Filter) (int, error) {
	const op = "store.remove_vectors_where"
	if err := vectorcodec.CheckRemoval(op, filters); err != nil {
		return 0, err
	}
	return s.remove(ctx, op, collection, func(c vectorCollection) (string, []any) { return s.meeting(c, filters, store.MetadataPrefix{}) })
}

func (s *Store) remove(ctx context.Context, op, collection string, which func(vectorCollection) (string, []any)) (removed int, err error) {
	var c vectorCollection
	err = s.db.reading(ctx, op, func(ctx context.Context) (err error) {
		c, err = s.collection(ctx, op, s.db.pool, collection, ``)
		return err
	})
	if err != nil {
		return 0, err
	}
	err = s.changeVectors(ctx, op, c, func(ctx context.Context, tx pgx.Tx) (int, error) {
		condition, args := which(c)
		removed, err = s.removeVectors(ctx, tx, c, condition, args...)
		return -removed, err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// removeVectors takes away the vectors of a collection that meet a condition.
func (s *Store) removeVectors(ctx context.Context, tx pgx.Tx, c vectorCollection, condition string, args ...any) (int, error) {
	ids, err := readColumn[int64](ctx, tx, numbered(`DELETE FROM vector_item WHERE tenant = ? AND collection = ? AND (`+condition+`) RETURNING id`),
		ours(slices.Concat([]any{asIs(s.tenant), c.id}, args))...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM vector_tag WHERE collection = $1 AND vector = ANY ($2)`, c.id, ids)
	return len(ids), err
}

// changeVectors does a write to the collection that c was read from, which nobody else writes
// meanwhile, and keeps its number of vectors; do returns by how many they are more.
func (s *Store) changeVectors(ctx context.Context, op string, c vectorCollection, do func(ctx context.Context, tx pgx.Tx) (int, error)) error {
	return s.db.again(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		now, err := s.collection(ctx, op, tx, c.Name, `FOR UPDATE`)
		if err != nil {
			return err
		}
		if now.id != c.id {
			return vectorcodec.MadeAnew(op, c.Name)
		}
		more, err := do(ctx, tx)
		if err != nil || more == 0 {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE vector_collection SET vectors = vectors + $3 WHERE tenant = $1 AND name = $2`, s.tenant, escape(c.Name), more)
		return err
	})
}
