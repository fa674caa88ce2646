package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/transfer"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/citewell/citewell/store/internal/vectorcodec"
	"github.com/jackc/pgx/v5"
)

// InsertRows implements sqlstore.Copies.
func (e engine) InsertRows(ctx context.Context, op string, kind transfer.Kind, rows []transfer.Row) error {
	if kind.Name == transfer.Vectors {
		return e.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
			return e.insertVectors(ctx, tx, kind, rows)
		})
	}
	columns := sqlstore.Columns(kind)
	for i := range columns {
		columns[i] = words.In(columns[i])
	}
	more := func(transfer.Row) []any { return nil }
	switch kind.Name {
	case transfer.Snapshots:
		columns = append(columns, "key", "url")
		more = func(row transfer.Row) []any { return snapshotKeys(kind, row) }
	case transfer.Edges:
		columns = append(columns, "key")
		more = func(row transfer.Row) []any {
			return []any{hashOf(row[kind.At("src")].(string), row[kind.At("rel")].(string),
				row[kind.At("dst")].(string))}
		}
	}
	made := make([][]any, len(rows))
	for i, row := range rows {
		made[i] = append(slices.Clone([]any(row)), more(row)...)
		for j, value := range row {
			if text, ok := value.(string); ok {
				made[i][j] = escape(text)
			}
		}
	}
	return e.once(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.CopyFrom(ctx, pgx.Identifier{words.In(sqlstore.Tables[kind.Name])}, columns,
			pgx.CopyFromRows(made))
		return err
	})
}

// snapshotKeys are by what a snapshot is found.
func snapshotKeys(kind transfer.Kind, row transfer.Row) []any {
	var doc struct{ Extractor citewell.Extractor }
	// of a damaged record nobody knows it
	_ = codec.UnpackJSON("store.copy", row[kind.At("document_record")].([]byte), &doc)
	url := row[kind.At("final_url")].(string)
	return []any{hashOf(url, row[kind.At("page_sha256")].(string), row[kind.At("text_sha256")].(string),
		doc.Extractor.ID, fmt.Sprint(doc.Extractor.Version)), hashOf(url)}
}

// insertVectors adds embeddings with what is searched by of them.
func (db *DB) insertVectors(ctx context.Context, tx pgx.Tx, kind transfer.Kind, rows []transfer.Row) error {
	into, from := `embedding, record`, `n.embedding, n.record`
	embeddings := columnOf[[]byte](rows, kind.At("embedding"))
	args := []any{columnOf[int64](rows, kind.At("id")), escaped(columnOf[string](rows, kind.At("tenant"))),
		columnOf[int64](rows, kind.At("collection")), escaped(columnOf[string](rows, kind.At("name"))),
		embeddings, columnOf[[]byte](rows, kind.At("record"))}
	unnested, names := `$1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bytea[], $6::bytea[]`,
		`id, tenant, collection, name, embedding, record`
	if db.near {
		into, from = into+`, near`, from+`, n.near::vector`
		unnested, names = unnested+`, $7::text[]`, names+`, near`
		args = append(args, nearOf(embeddings))
	}
	if _, err := tx.Exec(ctx, `INSERT INTO vector_item (id, tenant, collection, name, `+into+`) OVERRIDING SYSTEM VALUE
		SELECT n.id, n.tenant, n.collection, n.name, `+from+` FROM unnest(`+unnested+`) AS n (`+names+`)`, args...); err != nil {
		return err
	}
	var tags [][]any
	for _, row := range rows {
		var v store.Vector
		// of a damaged one there are no tags
		_ = vectorcodec.ReadRecord("store.copy", row[kind.At("record")].([]byte), &v)
		tags = append(tags, vectorTags(row[kind.At("collection")].(int64), row[kind.At("id")].(int64), v.Metadata)...)
	}
	return copyTags(ctx, tx, tags)
}

// nearOf is what pgvector reads of embeddings; nothing of one that is damaged.
func nearOf(embeddings [][]byte) []*string {
	all := make([]*string, len(embeddings))
	for i, embedding := range embeddings {
		if floats, err := vectorcodec.Check("store.copy", embedding, len(embedding)/4-1); err == nil {
			made := literal(vectorcodec.Values(floats))
			all[i] = &made
		}
	}
	return all
}
