package postgres

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
)

// DropCollection implements sqlstore.Vectors. The collection's index goes with the next sweep (strayNear).
func (e engine) DropCollection(ctx context.Context, tx sqlstore.Tx, tenant, name string) (id int64, err error) {
	there, err := sqlstore.AnyRow(tx.QueryRow(ctx, `DELETE FROM vector_collection WHERE tenant = $1 AND name = $2
		RETURNING id`, tenant, name).Scan(&id))
	if !there {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM vector_item WHERE tenant = $1 AND collection = $2`, tenant, id); err != nil {
		return 0, err
	}
	_, err = tx.Exec(ctx, `DELETE FROM vector_tag WHERE collection = $1`, id)
	return id, err
}

// CollectionDropped implements sqlstore.Vectors.
func (e engine) CollectionDropped(int64) {}

// CountVectors implements sqlstore.Vectors.
func (e engine) CountVectors(ctx context.Context, from sqlstore.Conn, tenant string, c sqlstore.Collection,
	filters []store.Filter) (n int, err error) {
	where, args := meeting(tenant, c.ID, filters, store.MetadataPrefix{})
	err = from.QueryRow(ctx, `SELECT count(*) FROM vector_item WHERE `+where, args...).Scan(&n)
	return n, err
}

// meeting is the condition for the vectors of a collection that meet filters and are below a prefix.
func meeting(tenant string, collection int64, filters []store.Filter,
	below store.MetadataPrefix) (condition string, args sqlstore.Arguments) {
	condition = args.Fill("tenant = ? AND collection = ?", tenant, collection)
	tagged := func(not, match string, values []any) {
		condition += args.Fill(" AND id "+not+"IN (SELECT vector FROM vector_tag WHERE collection = ? AND "+match+")",
			append([]any{collection}, values...)...)
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

// Code implements sqlstore.Vectors.
func (e engine) Code([]float32) []byte { return nil }

// Grown implements sqlstore.Vectors.
func (e engine) Grown(c sqlstore.Collection, more int) { e.wantNear(c, more) }

// PutVectors implements sqlstore.Vectors.
func (e engine) PutVectors(ctx context.Context, tx sqlstore.Tx, tenant string, c *sqlstore.Collection,
	rows []sqlstore.VectorRow) error {
	places := make(map[string]int, len(rows))
	for i, row := range rows {
		places[row.ID] = i
	}
	var stale []string
	err := sqlstore.Each(ctx, tx, `SELECT name, embedding, record FROM vector_item WHERE tenant = $1 AND collection = $2
		AND name = ANY ($3)`, func(scan func(...any) error) error {
		var name string
		var embedding, record []byte
		if err := scan(&name, &embedding, &record); err != nil {
			return err
		}
		at := places[name]
		if bytes.Equal(embedding, rows[at].Embedding) && bytes.Equal(record, rows[at].Record) {
			delete(places, name)
		} else {
			stale = append(stale, name)
		}
		return nil
	}, tenant, c.ID, slices.Collect(maps.Keys(places)))
	if err != nil || len(places) == 0 {
		return err
	}
	if err := e.RemoveVectors(ctx, tx, tenant, c, append([]string{}, stale...), nil); err != nil {
		return err
	}
	var names, near []string
	var embeddings, records [][]byte
	for _, row := range rows {
		if i, new := places[row.ID]; new {
			names, embeddings, records = append(names, row.ID), append(embeddings, rows[i].Embedding),
				append(records, rows[i].Record)
			if e.near {
				near = append(near, literal(row.Values))
			}
		}
	}
	into, from := `embedding, record`, `n.embedding, n.record`
	args := []any{tenant, c.ID, names, embeddings, records}
	unnested := `unnest($3::text[], $4::bytea[], $5::bytea[]) AS n (name, embedding, record)`
	if e.near {
		into, from = into+`, near`, from+`, n.near::vector`
		args = append(args, near)
		unnested = `unnest($3::text[], $4::bytea[], $5::bytea[], $6::text[]) AS n (name, embedding, record, near)`
	}
	if _, err := tx.Exec(ctx, `INSERT INTO vector_item (tenant, collection, name, `+into+
		`) SELECT $1, $2, n.name, `+from+`
		FROM `+unnested, args...); err != nil {
		return err
	}
	c.Vectors += len(names)
	return tagVectors(ctx, tx, tenant, c.ID, rows, places)
}

// tagVectors writes the metadata of those of vectors that have a place.
func tagVectors(ctx context.Context, tx sqlstore.Tx, tenant string, collection int64, rows []sqlstore.VectorRow,
	places map[string]int) error {
	ids := make(map[string]int64, len(places))
	err := sqlstore.Each(ctx, tx, `SELECT name, id FROM vector_item WHERE tenant = $1 AND collection = $2
		AND name = ANY ($3)`, func(scan func(...any) error) error {
		var name string
		var id int64
		err := scan(&name, &id)
		ids[name] = id
		return err
	}, tenant, collection, slices.Collect(maps.Keys(places)))
	if err != nil {
		return err
	}
	var tags [][]any
	for _, row := range rows {
		if id, new := ids[row.ID]; new {
			tags = append(tags, vectorTags(collection, id, row.Metadata)...)
		}
	}
	return copyTags(ctx, tx.(writing).tx, tags)
}

// vectorTags are the rows of an embedding's metadata.
func vectorTags(collection, id int64, metadata map[string]string) (tags [][]any) {
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		number, moment := sqlstore.NumberOrMoment(metadata[key])
		tags = append(tags, []any{collection, id, escape(key), escape(metadata[key]), number, moment})
	}
	return tags
}

func copyTags(ctx context.Context, tx pgx.Tx, tags [][]any) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"vector_tag"},
		[]string{"collection", "vector", "key", "value", "number", "moment"}, pgx.CopyFromRows(tags))
	return err
}

// RemoveVectors implements sqlstore.Vectors.
func (e engine) RemoveVectors(ctx context.Context, tx sqlstore.Tx, tenant string, c *sqlstore.Collection, ids []string,
	filters []store.Filter) error {
	where, args := meeting(tenant, c.ID, filters, store.MetadataPrefix{})
	if ids != nil {
		where += ` AND name = ANY (` + args.Place(ids) + `)`
	}
	gone, err := sqlstore.ReadColumn[int64](ctx, tx, `DELETE FROM vector_item WHERE `+where+` RETURNING id`, args...)
	if err != nil || len(gone) == 0 {
		return err
	}
	c.Vectors -= len(gone)
	_, err = tx.Exec(ctx, `DELETE FROM vector_tag WHERE collection = $1 AND vector = ANY ($2)`, c.ID, gone)
	return err
}

// Count implements sqlstore.Vectors.
func (e engine) Count(ctx context.Context, tx sqlstore.Tx, tenant string, before, now sqlstore.Collection) error {
	_, err := tx.Exec(ctx, `UPDATE vector_collection SET vectors = vectors + $3 WHERE tenant = $1 AND name = $2`,
		tenant, now.Name, now.Vectors-before.Vectors)
	return err
}
